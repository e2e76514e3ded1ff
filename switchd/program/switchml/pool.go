package switchml

import "slices"

// Pool divides the slots of a switch among its jobs. The part of a job is one run
// of slots: an engine finds a slot by adding the first of its job. The lowest run
// that is long enough is taken, so that every engine divides its pool alike.
type Pool struct {
	Slots int    // of each set
	parts []part // by their first slots
}

type part struct{ job, base, slots int }

// Take gives a job so many slots and returns the first; ok is false where no run
// is long enough. A job has one part at most.
func (p *Pool) Take(job, slots int) (base int, ok bool) {
	at := 0
	for ; at < len(p.parts); at++ {
		if p.parts[at].base-base >= slots {
			break
		}
		base = p.parts[at].base + p.parts[at].slots
	}
	if base+slots > p.Slots {
		return 0, false
	}
	p.parts = slices.Insert(p.parts, at, part{job, base, slots})
	return base, true
}

// Free takes a job's part back, if it has one.
func (p *Pool) Free(job int) {
	p.parts = slices.DeleteFunc(p.parts, func(q part) bool { return q.job == job })
}

// Left returns how many slots are free, and how many of them in one run at most.
func (p *Pool) Left() (all, longest int) {
	base := 0
	for _, q := range append(slices.Clone(p.parts), part{base: p.Slots}) {
		all += q.base - base
		longest = max(longest, q.base-base)
		base = q.base + q.slots
	}
	return all, longest
}
