package halving

import "math/bits"

// chunks is a run of the chunks that the tensor is cut into, lo to hi-1.
type chunks struct{ lo, hi int }

func (r chunks) empty() bool { return r.lo == r.hi }

// halves returns the half that a worker whose bit is 0 or 1 keeps, and the other.
func (r chunks) halves(bit int) (keep, other chunks) {
	mid := (r.lo + r.hi) / 2
	lower, upper := chunks{r.lo, mid}, chunks{mid, r.hi}
	if bit == 0 {
		return lower, upper
	}
	return upper, lower
}

// step is one exchange with a partner. Either side may send nothing.
type step struct {
	port int
	kind int // of the messages, both ways
	send chunks
	recv chunks
	add  bool // else what comes replaces
}

// plan is the place of a worker among n.
type plan struct {
	rank, workers int
	levels        int // log2 of the workers that take part in the halving
	extra         int // pairs of which only the even one takes part
}

func newPlan(rank, workers int) plan {
	levels := bits.Len(uint(workers)) - 1
	return plan{rank: rank, workers: workers, levels: levels, extra: workers - 1<<levels}
}

// parts returns into how many chunks the tensor is cut.
func (p plan) parts() int { return 1 << p.levels }

func (p plan) paired() bool { return p.rank < 2*p.extra }

// folded reports whether the partner takes part for this worker.
func (p plan) folded() bool { return p.paired() && p.rank%2 == 1 }

// place returns the worker's number among those that take part.
func (p plan) place() int {
	if p.paired() {
		return p.rank / 2
	}
	return p.rank - p.extra
}

// rankOf is the inverse of place.
func (p plan) rankOf(place int) int {
	if place < p.extra {
		return 2 * place
	}
	return place + p.extra
}

// partners returns ranks, by port.
func (p plan) partners() (out []int) {
	if !p.folded() {
		for s := range p.levels {
			out = append(out, p.rankOf(p.place()^1<<s))
		}
	}
	if p.paired() {
		out = append(out, p.rank^1)
	}
	return out
}

// steps returns what a worker does, in order.
func (p plan) steps() []step {
	all := chunks{0, p.parts()}
	lower, upper := all.halves(0)
	switch {
	case p.folded():
		return []step{
			{port: 0, kind: kindHalf, send: lower, recv: upper, add: true},
			{port: 0, kind: kindSums, send: upper},
			{port: 0, kind: kindResult, recv: all},
		}
	case p.paired():
		out := []step{
			{port: p.levels, kind: kindHalf, send: upper, recv: lower, add: true},
			{port: p.levels, kind: kindSums, recv: upper},
		}
		out = append(out, p.exchanges()...)
		return append(out, step{port: p.levels, kind: kindResult, send: all})
	}
	return p.exchanges()
}

// exchanges returns the halving and the doubling.
func (p plan) exchanges() (out []step) {
	have := chunks{0, p.parts()}
	var others []chunks
	for s := range p.levels {
		keep, other := have.halves(p.place() >> s & 1)
		out = append(out, step{port: s, kind: kindExchange + s, send: other, recv: keep, add: true})
		others = append(others, other)
		have = keep
	}
	for s := p.levels - 1; s >= 0; s-- {
		out = append(out, step{port: s, kind: kindExchange + 2*p.levels - 1 - s, send: have, recv: others[s]})
		have = chunks{min(have.lo, others[s].lo), max(have.hi, others[s].hi)}
	}
	return out
}

// Kinds of messages.
const (
	kindHalf     = iota // of an odd pairing: a half of the tensor
	kindSums            // the half that the odd worker added
	kindResult          // for the odd worker
	kindExchange        // step 0 of the halving; the other steps follow
)
