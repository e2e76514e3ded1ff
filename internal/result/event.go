package result

import "github.com/inalab/inalab/internal/units"

// Traced says what the events of one run are of, and how many there were. It is
// a line of events.ndjson.gz, before the events of the run.
type Traced struct {
	System     string         `json:"system"`
	Topology   string         `json:"topology"`
	Clock      string         `json:"clock"`      // live or virtual
	StraggleP  float64        `json:"straggle_p"` // a fraction
	Point      Point          `json:"swept,omitzero"`
	Seed       uint64         `json:"seed"`
	Workers    []string       `json:"workers"` // nodes, in the order of worker ids
	Iterations int            `json:"iterations"`
	Blocks     int            `json:"blocks"`          // of the tensor
	Slots      int            `json:"slots,omitempty"` // of the pool, where blocks go through slots
	Engines    []TracedEngine `json:"engines"`
	Rule       string         `json:"rule"`            // what was kept
	Kept       uint64         `json:"kept"`            // events in the file
	LeftOut    uint64         `json:"left_out"`        // events of blocks that the rule or its limit left out
	Lost       uint64         `json:"lost"`            // events for which a node had no memory, or that died with it
	Error      string         `json:"error,omitempty"` // why the run ended early
}

// TracedEngine is an aggregation engine of the run.
type TracedEngine struct {
	Node    string   `json:"node"`            // as in its events
	Sources []string `json:"sources"`         // workers and engines whose packets it adds, the lowest bit first
	Below   []string `json:"below,omitempty"` // by source: whom its packets come from, where there are more than two levels
	Top     bool     `json:"top,omitempty"`
	Server  bool     `json:"server,omitempty"` // it adds what the switches did not
}

// NoBlock is the block of an event that is of none: of a worker's iteration, or
// of a packet that carries no block.
const NoBlock = -1

// Event is one thing that happened to a block, or to a worker in an iteration. It
// is a line of events.ndjson.gz.
type Event struct {
	At        units.Time `json:"at_ps"`
	Node      string     `json:"node"`
	Kind      string     `json:"kind"` // as in package trace
	Iteration int        `json:"iteration"`
	Block     int        `json:"block"`              // of the tensor, or NoBlock
	Slot      int        `json:"slot,omitempty"`     // where blocks go through slots
	Packet    uint32     `json:"packet,omitempty"`   // the how manieth of the slot, from 1
	Number    uint32     `json:"number,omitempty"`   // where packets have sequence numbers, from 1
	Index     uint16     `json:"index,omitempty"`    // of the aggregator that the packet of such a number names
	From      string     `json:"from,omitempty"`     // whose packet it was
	Bitmap    string     `json:"bitmap,omitempty"`   // sources in the block afterwards, the engine's lowest last, as 0b001011
	Count     int        `json:"count,omitempty"`    // workers in the result
	Degraded  bool       `json:"degraded,omitempty"` // the result lacks some
	Note      string     `json:"note,omitempty"`     // reason of a drop; timer thread of a scan; why a packet was sent again; whose an aggregator is; what freed it
}
