package replay

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio"
)

// A Life is what one thread did: that of a packet, or one that a timer or an event started.
type Life struct {
	Packet uint64      // number in the order of arrival, from 1; 0: a timer's or an event's
	At     units.Time  // when the packet arrived, the timer fired or the event was raised
	Port   sansio.Port // that the packet came by
	Bytes  int         // of the packet
	Timer  string      // name of the entry; empty: a packet's
	Part   int         // of the hash table that is the timer thread's
	Run    uint32      // of the timer, from 0
	Event  string      // entry of the event, such as "event restart"; empty: none
	Notes  uint64      // that the event's thread finds in the work register

	Steps   []Step // instructions in their order, where Config.Steps
	Skipped uint64 // instructions behind the first Steps that are not kept
	Last    []Step // those behind them

	Sent   []Sending
	Gone   []Dropping
	Fault  *Fault // nil: it did no wrong
	Fate   trio.Fate
	Before string // why it never had a thread; empty: it had one

	Instructions uint64
	XTXNs        uint64
	// Took is from arrival until the packet left or, of one that did not, until its thread
	// ended; of a timer's thread until it ended. Instant mode: 0.
	Took units.Duration

	outstanding bool // asynchronous XTXNs since the last XtxnWait
	inside      int  // packets that were sent and have not left
	over        bool // its thread has ended, or there never was one
}

// A Step is an instruction that a thread executed.
type Step struct {
	Instruction int // index in the program
	Changes     []Change
	XTXN        *Call // nil: it issued none
}

// A Change is a place that an instruction, or the reply of an XTXN, has given another value.
type Change struct {
	Place    string // by the names of the source
	Old, New string
}

// A Call is an XTXN with its reply.
type Call struct {
	Text    string         // as the source writes it, with values
	Reply   string         // empty: it has none
	Changes []Change       // by the reply
	At      units.Time     // when it was issued; instant mode: when its packet arrived
	Took    units.Duration // until the thread went on; instant mode: 0
}

// Sending is a packet that a thread sent on.
type Sending struct {
	Hop     uint64 // next hop
	Created bool   // by the thread
}

// Dropping is a packet that a thread dropped.
type Dropping struct {
	Reason  string // name of the counter
	Created bool   // by the thread
}

// A Fault is where and why a thread was ended.
type Fault struct {
	Reason      string  `json:"reason"`      // name of the counter
	Instruction int     `json:"instruction"` // index in the program
	Pos         isa.Pos `json:"-"`           // of the instruction
	Place       string  `json:"place"`       // likewise, as file:line:column
	Rule        string  `json:"rule"`        // what is allowed, and where that comes from
	XTXN        string  `json:"xtxn"`        // that it was about to do; empty: none
}

// Limits of the steps that a Life carries; all assumed.
const (
	maxSteps = 2000 // the first ones
	maxLast  = 20   // the last ones
)

// add appends a step and returns it, for what its XTXN will change.
func (l *Life) add(s Step) *Step {
	if len(l.Steps) < maxSteps {
		l.Steps = append(l.Steps, s)
		return &l.Steps[len(l.Steps)-1]
	}
	if len(l.Last) == maxLast {
		l.Skipped++
		copy(l.Last, l.Last[1:])
		l.Last = l.Last[:maxLast-1]
	}
	l.Last = append(l.Last, s)
	return &l.Last[len(l.Last)-1]
}

// last returns the step that was added last; nil: there is none.
func (l *Life) last() *Step {
	switch {
	case len(l.Last) > 0:
		return &l.Last[len(l.Last)-1]
	case len(l.Steps) > 0:
		return &l.Steps[len(l.Steps)-1]
	}
	return nil
}
