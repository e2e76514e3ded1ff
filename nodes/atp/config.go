package atp

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/gradient"
)

// Defaults of the paper (§3.7), and what it leaves open.
const (
	DefaultWindow  = 200                   // packets, of all streams of a worker
	MTU            = 5                     // packets in 1500 bytes
	OutOfOrder     = 3                     // parameter packets by which a loss is seen
	DefaultTimeout = 1 * units.Millisecond // assumed: that of SwitchML there (§5.2.3)
	DefaultSpan    = 2048                  // assumed: packets from the oldest that lacks its parameters to the newest sent
	DefaultTensor  = 1_024_000             // values that tensors are cut to: 4 MB (§5.1; the public code's number)

	DefaultAge      = 10 * units.Millisecond // assumed: that of the switches
	DefaultLifetime = 10 * units.Millisecond // assumed
)

// Config describes one worker of a job.
type Config struct {
	Node    string
	Worker  int
	Workers int
	Job     uint8
	Tensor  int   // elements of a generation's gradient, at least 1
	Tensors []int `json:",omitempty"` // lengths of the tensors it is made of, in its order; nil: it is one
	Cut     int   `json:",omitempty"` // values that tensors are cut to, in whole packets; zero: DefaultTensor

	Servers []Server
	Port    sansio.Port // port of the machine that packets leave by

	// Setups are those that may follow, if workers end and are started again (A.3), in their order.
	// Setup is the one that this worker is started for; 0: the first. In a later one it takes
	// the place of a worker that ended.
	Setups []Setup `json:",omitempty"`
	Setup  int     `json:",omitempty"`

	Indexing    Indexing
	Aggregators int  // of a switch; 0: none
	Base, Part  int  `json:",omitempty"` // of Static: the part of the table that is the job's
	Aligned     bool `json:",omitempty"` // an index that moves does so from a span on, not at once
	ByPlace     bool `json:",omitempty"` // a new index is for the packet's place in the window, as in the public code, not for all packets that name the old one; of ByPosition

	Threads     int  `json:",omitempty"` // zero means 1
	Window      int  // packets at the start, of all streams; zero: DefaultWindow
	Span        int  `json:",omitempty"` // of a stream, as servers have it; zero: DefaultSpan. With Static it is at most the stream's share of the part
	LeastWindow int  `json:",omitempty"` // of a stream; zero means 1
	Fixed       bool `json:",omitempty"` // no congestion control: the window stays

	Doubling  bool           `json:",omitempty"` // slow start adds 1 packet for a parameter packet, not an MTU
	Avoidance bool           `json:",omitempty"` // the first threshold is the window at the start: no slow start before a mark
	EachMark  bool           `json:",omitempty"` // each mark halves the window, not one in a window
	Resend    Resend         `json:",omitempty"`
	Alone     bool           `json:",omitempty"` // a timeout sends the expected packet again, not all that is in flight
	Keep      bool           `json:",omitempty"` // a timeout leaves the window as it is
	Timeout   units.Duration // zero: DefaultTimeout

	SequenceBits int `json:",omitempty"` // fewer are for tests; zero: wire.SequenceBits

	// Numbers are used again when no aggregator can hold a packet that had them: a worker waits
	// for packets on their way and for the age limit, then sends one packet for each aggregator.
	Age      units.Duration `json:",omitempty"` // from which switches take an aggregator for abandoned; zero: DefaultAge
	Lifetime units.Duration `json:",omitempty"` // of a packet in the network, at most; zero: DefaultLifetime
	Sweep    bool           `json:",omitempty"` // a job had this id before: so it is at the start, too

	Scaling  gradient.Fixed
	Integers bool              // the tensor is int32 already
	Sample   gradient.Sampling // of a run that carries unstored values in the other blocks
	Recorder gradient.Recorder `json:"-"`
	Trace    trace.Sink        `json:"-"`
}

// Setup is what another set-up of a job has of its own.
type Setup struct {
	Job     uint8
	Servers []Server // those of the job, as this worker sees them then
}

// Server is a parameter server as a worker sees it.
type Server struct {
	Flow    inet.Flow // from this worker to it
	Bitmaps [2]uint32 // by level: this worker's bit, and its rack's
	FanIns  [2]uint8
	Direct  bool // the worker is in the server's rack, and others are not: the second edge switch is its first

	// Upper are the levels above the second of a job that has some, and as its Level that of the worker's
	// switch (appendix A.2). All servers of a job have as many levels. Below that of its switch a worker has
	// bit 0, and a fan-in of 1.
	Upper wire.Upper `json:",omitzero"`
}

// Indexing says which aggregator a packet names.
type Indexing uint8

// The kinds of indexing.
const (
	ByPosition Indexing = iota // hash of the place in the window, as in the public code
	ByNumber                   // hash of the sequence number, as the paper says (§3.5)
	Linear                     // sequence number modulo the table (§5.4.2)
	Static                     // likewise, in the job's part of the table (§5.4.1)
)

// Resend says what is sent again because parameters of later packets came (§3.7).
type Resend uint8

// The kinds of resending. "Three consecutive parameter packets other than the expected" (§3.7) are,
// to the letter, three in a row while that packet is expected.
const (
	Expected Resend = iota // the expected packet, after three in a row: to the letter
	Passed                 // the expected packet, if three that were first sent after it came, whenever
	Gaps                   // after three in a row, all that lack before the last that came: as in the public code
)

// block is how many values a packet has.
const block = wire.Values
