package atpps

import (
	"net/netip"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/gradient"
)

// Config describes one parameter server of a job.
type Config struct {
	Node    string
	Workers int
	Job     uint8
	Flow    inet.Flow // to the group of the job's workers

	// From is the addresses of workers: packets have those of one, also where switches have added to them.
	// Empty: packets of anybody are taken.
	From []netip.Addr `json:",omitempty"`

	Streams []wire.Numbers // that go to this server: one for each thread
	Span    int            // of a stream, as workers have it: packets from the oldest that lacks its parameters to the newest sent

	// Racks are whom bits of the second level stand for, and workers whom those of the first do in
	// each. Where all workers are in the server's rack there is one, and no second level.
	Racks []Rack `json:",omitempty"`

	// Levels are those of a job of more than two (appendix A.2), and Paths by worker its bits at the switches on
	// its way, from that of the server down to its own; none: it is on the server's host. They stand in the place of racks.
	Levels int       `json:",omitempty"`
	Paths  [][]uint8 `json:",omitempty"`

	// Setups are those that may follow, if workers end and are started again (A.3), in their order.
	Setups []Setup `json:",omitempty"`

	Rehash      Rehash
	ByPlace     bool `json:",omitempty"` // a new index is for the place in the window of the packet that collided, not for all that name the old one
	Aggregators int  // of a switch
	Places      int  `json:",omitempty"` // in the windows of all streams of the job, which have an index each ([wire.Positions]); zero: indexes are those of numbers
	Used        bool `json:",omitempty"` // a job had this id before, so that streams begin with sweeps ([wire.Sweeps])

	Superset bool       `json:",omitempty"` // a packet with more workers takes the place of what is stored, not only one with others
	Copy     units.Rate `json:",omitempty"` // at which frames are copied (§5.5: 60 Gbit/s); zero: at once
	Ring     int        `json:",omitempty"` // bytes of frames that wait for it; zero: without limit

	Scaling gradient.Fixed // of answers in floats
	Trace   trace.Sink     `json:"-"`
}

// Setup is what another set-up of a job has of its own.
type Setup struct {
	Job   uint8
	Group netip.Addr // of the job's workers

	// Racks or Paths, as the job has. Levels are as many in all set-ups.
	Racks []Rack    `json:",omitempty"`
	Paths [][]uint8 `json:",omitempty"`
}

// Rack is a bit of the second level: a rack's workers, or one in the server's own rack.
type Rack struct {
	Bit     uint8
	Direct  bool    // it is one worker
	Local   bool    `json:",omitempty"` // it is the worker on the server's own host, whose packets come by [Server.Local] alone
	Workers []uint8 // by bit of the first level
}

// Rehash says where packets of an aggregator go that another job has.
type Rehash uint8

// The kinds of re-hashing.
const (
	ToFree  Rehash = iota // to one that the job does not use, as in the public code
	ByIndex               // to the hash of the index, as the paper says (§3.6)
	Never
	Recycle // to one that the job does not use now: those that it left come again; with ByPlace
)
