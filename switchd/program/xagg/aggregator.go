package xagg

import (
	"math/bits"

	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// Verdict is what becomes of a frame.
type Verdict uint8

// The verdicts.
const (
	Pass Verdict = iota // unchanged, to whoever else is on the host
	Drop                // it ends here
	Send                // changed, back by the interface that it came by
)

// Check is an entry of the check queue: a host sent the last packet of a group (§IV-D).
type Check struct {
	Host      uint32
	Gradient  uint32
	Iteration uint16
	Flags     wire.Flags
}

// Aggregator is the machine. It is not safe for use by several goroutines.
type Aggregator struct {
	cfg    Config
	first  Config // that it began with
	tables [2]table
	tally  Tally
	checks []Check
}

// table is a [Table] with its elements, by gradient id less 1.
type table struct {
	Table
	elements []Element
}

// New returns an aggregator with empty elements.
func New(cfg Config) (*Aggregator, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	a := &Aggregator{cfg: cfg, first: cfg}
	for i, t := range [...]Table{cfg.Sums(), cfg.Results()} {
		a.tables[i].Table = t
		if t.Required != 0 {
			a.tables[i].elements = make([]Element, cfg.Fragments)
		}
	}
	return a, nil
}

// Receive takes a frame, from Ethernet on, and changes it where the verdict is Send.
func (a *Aggregator) Receive(frame []byte) Verdict {
	if !wire.Ours(frame) || !a.addressed(frame) {
		a.tally[Passed]++
		return Pass
	}
	if !wire.Sized(frame, a.cfg.Values) {
		return a.refuse(Length)
	}
	var h wire.Header
	h.Read(frame[wire.HeaderOffset:])
	t, why := a.admit(h)
	if t == nil {
		return a.refuse(why)
	}
	return a.take(t, h, frame)
}

// addressed reports whether a frame is to this host or to its group: a switch may flood others.
func (a *Aggregator) addressed(frame []byte) bool {
	dst := inet.IPv4(frame[inet.EtherLen:]).Dst()
	return dst == a.cfg.Addr || dst == a.cfg.Group
}

// admit judges what a packet says, without its element.
func (a *Aggregator) admit(h wire.Header) (*table, Counter) {
	t := &a.tables[0]
	if h.Flags.Has(wire.Result) {
		t = &a.tables[1]
	}
	switch {
	case h.Job != a.cfg.Job:
		return nil, OtherJob
	case t.Required == 0:
		return nil, NoTable
	case !wire.OneHot(h.Host) || t.Covers[bits.TrailingZeros32(h.Host)] == 0:
		return nil, OtherHost
	case h.Gradient == 0 || h.Gradient > a.cfg.Fragments:
		return nil, Index
	}
	return t, 0
}

// take does Algorithm 1.
func (a *Aggregator) take(t *table, h wire.Header, frame []byte) Verdict {
	e := &t.elements[h.Gradient-1]
	covers := t.Covers[bits.TrailingZeros32(h.Host)]
	what := e.judge(h, covers, t.Required, a.cfg.Window)
	switch what {
	case Stale, Early:
		return a.refuse(what)
	case Added:
		a.tally[Overflows] += e.add(h.Iteration, covers, frame[wire.ValuesOffset:], a.cfg.Values)
		if h.Flags.Has(wire.Result) {
			what = Stored
		}
		if e.has(t.Required) {
			a.tally[Finished]++
		}
	}
	a.tally[what]++
	if h.Flags.Has(wire.EndOfGroup) || wire.EndsGroup(h.Gradient, a.cfg.Fragments) {
		a.queue(h)
	}
	if what == Duplicate || !e.has(t.Required) || !t.Next.Valid() {
		return Drop
	}
	return a.send(t, h, e, frame)
}

// send writes a finished element into the frame that finished it.
func (a *Aggregator) send(t *table, h wire.Header, e *Element, frame []byte) Verdict {
	p := wire.Path{SrcMAC: a.cfg.MAC, DstMAC: t.Next.MAC, Src: a.cfg.Addr, Dst: t.Next.Addr}
	p.PutPath(frame, a.cfg.Values)
	flags := t.Flags | h.Flags&wire.Retransmit
	if wire.EndsGroup(h.Gradient, a.cfg.Fragments) {
		flags |= wire.EndOfGroup
	}
	h.Host, h.Flags = a.cfg.Host, flags
	h.Put(frame[wire.HeaderOffset:])
	wire.PutValues(frame[wire.ValuesOffset:], e.Values)
	a.tally[Sent]++
	return Send
}

// queue puts a packet into the check queue, if there is room.
func (a *Aggregator) queue(h wire.Header) {
	if len(a.checks) >= a.cfg.CheckEntries() {
		a.tally[QueueFull]++
		return
	}
	a.checks = append(a.checks, Check{h.Host, h.Gradient, h.Iteration, h.Flags})
	a.tally[Queued]++
}

func (a *Aggregator) refuse(why Counter) Verdict {
	a.tally[why]++
	return Drop
}

// Drain appends the check queue to list, and empties it.
func (a *Aggregator) Drain(list []Check) []Check {
	list = append(list, a.checks...)
	a.checks = a.checks[:0]
	return list
}

// Tally returns the counters.
func (a *Aggregator) Tally() Tally { return a.tally }

// Reconfigure changes children, parent, next hops and window, as after a failure of a neighbour (§V).
// Elements stay as they are. [Config.Replace] says what cannot change.
func (a *Aggregator) Reconfigure(c Config) error {
	if err := c.Replace(&a.first); err != nil {
		return err
	}
	a.cfg, a.tables[0].Table, a.tables[1].Table = c, c.Sums(), c.Results()
	return nil
}

// Sum returns the element of gradients with a gradient id; the zero value if there is none. Its
// values are valid until the next Receive.
func (a *Aggregator) Sum(gradient uint32) Element { return a.tables[0].element(gradient) }

// Result returns the stored result with a gradient id, in the same way.
func (a *Aggregator) Result(gradient uint32) Element { return a.tables[1].element(gradient) }

func (t *table) element(gradient uint32) Element {
	if gradient == 0 || int64(gradient) > int64(len(t.elements)) {
		return Element{}
	}
	return t.elements[gradient-1]
}
