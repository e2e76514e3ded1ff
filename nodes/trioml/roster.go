package trioml

import (
	"maps"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/trioml"
)

// Names of counters of notices (package internal/wire/trioml).
const (
	CountTemporary   = "trioml-notices-temporary"
	CountPermanent   = "trioml-notices-permanent"
	CountBack        = "trioml-notices-back"
	CountNoticeAgain = "trioml-notices-repeated"
	CountNoticeLate  = "trioml-notices-too-late"       // this worker had begun the generation from which the notice holds
	CountResharded   = "trioml-generations-re-sharded" // begun with a part of the share of others
)

// noticeLead is how many generations after the newest one that the router has seen
// a notice holds; docs/trio-ml.md says why. A later notice holds from the next generation on.
const noticeLead = 2

// roster is which sources are out of service, by generation: workers, and PFEs below
// the top level.
type roster struct {
	out     trace.Mask // at the generation at hand
	changes []change   // of generations to come, in their order
	last    map[uint8]wire.Notice
}

// change is what a notice comes to.
type change struct {
	from   int // generation
	source uint8
	out    bool
}

// at returns who is out of service in a generation that is not over.
func (r *roster) at(gen int) trace.Mask {
	out := r.out
	for _, c := range r.changes {
		if c.from <= gen {
			c.apply(&out)
		}
	}
	return out
}

func (c change) apply(out *trace.Mask) {
	if c.out {
		out.Set(c.source)
	} else {
		out.Clear(c.source)
	}
}

// add takes a change in. What holds at generation now already, which is the one at
// hand, needs no place of its own any more, nor does what holds for no generation: so
// there is one change of each source for each generation ahead at most.
func (r *roster) add(c change, now int) {
	for len(r.changes) > 0 && r.changes[0].from <= now {
		r.changes[0].apply(&r.out)
		r.changes = r.changes[1:]
	}
	if last := len(r.changes) - 1; last >= 0 {
		c.from = max(c.from, r.changes[last].from)
	}
	r.changes = slices.DeleteFunc(r.changes, func(o change) bool { return o.from == c.from && o.source == c.source })
	r.changes = append(r.changes, c)
}

// repeated reports whether a notice is the last one of its source once more.
func (r *roster) repeated(n wire.Notice) bool {
	if last, ok := r.last[n.Source]; ok && last == n {
		return true
	}
	if r.last == nil {
		r.last = map[uint8]wire.Notice{}
	}
	r.last[n.Source] = n
	return false
}

// Absent returns the workers that are out of service in generation gen, which is
// not finished: those of which a notice said so, and those below a PFE of which one
// did. They are the same for all workers of the job.
func (c *Core) Absent(gen int) trace.Mask {
	named := c.roster.at(gen)
	if named == (trace.Mask{}) {
		return named
	}
	out := named
	for _, pfe := range slices.Sorted(maps.Keys(c.cfg.Behind)) {
		if !named.Has(pfe) {
			continue
		}
		out.Clear(pfe)
		for _, w := range c.cfg.Behind[pfe] {
			out.Set(w)
		}
	}
	return out
}

// known reports whether a notice can be about a source.
func (c *Core) known(source uint8) bool {
	_, pfe := c.cfg.Behind[source]
	return pfe || int(source) < c.cfg.Workers
}

// notice takes a notice; false if the packet is something else.
func (c *Core) notice(payload []byte, unstored int) bool {
	if c.cfg.Workers == 0 || unstored > 0 {
		return false
	}
	n, ok := wire.ParseNotice(payload)
	if !ok {
		return false
	}
	switch {
	case n.Job != c.cfg.Job || !c.known(n.Source):
		c.count.Add(DropForeign, 1)
	case c.roster.repeated(n):
		c.count.Add(CountNoticeAgain, 1)
	case n.Change == wire.AgeTemporary:
		c.count.Add(CountTemporary, 1)
	case n.Change == wire.AgePermanent:
		c.count.Add(CountPermanent, 1)
		c.change(n, true)
	default:
		c.count.Add(CountBack, 1)
		c.change(n, false)
	}
	return true
}

// change notes from when on a notice holds. Where that generation has begun, this
// worker's share of it is drawn: the next is the first that it can agree on.
func (c *Core) change(n wire.Notice, out bool) {
	from := c.gen + int(int16(n.Gen-uint16(c.gen))) + noticeLead
	if from <= c.gen {
		c.count.Add(CountNoticeLate, 1)
		from = c.gen + 1
	}
	c.roster.add(change{from: from, source: n.Source, out: out}, c.gen)
}

// resharded counts the generation at hand if it is computed with a part of the
// share of others.
func (c *Core) resharded() {
	if out := c.Absent(c.gen); out != (trace.Mask{}) && !out.Has(c.cfg.Source) {
		c.count.Add(CountResharded, 1)
	}
}
