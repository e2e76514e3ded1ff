package trio

import (
	"math/bits"

	"github.com/inalab/inalab/internal/units"
)

// ppes are the packet processing engines: how many threads each has in use, and
// how much of its pipeline is taken.
//
// A PPE takes in one instruction per Timing.Issue. Threads take turns, so no thread
// waits until the pipeline is full; then every thread gets slower. That is
// kept as a bucket that drains at the rate of the pipeline: a thread that is about
// to execute n instructions puts n into it, and needs as long as the bucket needs
// to drain, if that is longer than its instructions take on their own; but never
// longer than n turns of all threads of the PPE, which are served in a circle. So no
// more than one instruction is executed per Timing.Issue in the long run, a PPE
// with few threads at work is not slowed down, and a short thread does not wait
// for all that a long one is going to execute.
type ppes struct {
	threads int          // of each
	busy    []int        // threads in use, by PPE
	taken   []units.Time // until when the pipeline has its fill, by PPE
	byLoad  []bitset     // PPEs by number of threads in use
	lowest  int          // no PPE has fewer threads in use
	total   int          // threads in use
}

// bitset is a set of PPEs.
type bitset [(MaxPPEs + 63) / 64]uint64

func (s *bitset) flip(i int) { s[i>>6] ^= 1 << (i & 63) }

// first returns the lowest element, or -1.
func (s *bitset) first() int {
	for i, w := range s {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

func newPPEs(n, threads int) ppes {
	p := ppes{threads: threads, busy: make([]int, n), taken: make([]units.Time, n), byLoad: make([]bitset, threads+1)}
	for i := range n {
		p.byLoad[0].flip(i)
	}
	return p
}

// full reports whether every thread is in use.
func (p *ppes) full() bool { return p.total == len(p.busy)*p.threads }

// idle returns the threads that are not in use.
func (p *ppes) idle() int { return len(p.busy)*p.threads - p.total }

// take returns the PPE with the fewest threads in use, the first of several, and
// takes a thread of it; one must be free.
func (p *ppes) take() int {
	for {
		if i := p.byLoad[p.lowest].first(); i >= 0 {
			p.move(i, p.lowest+1)
			p.total++
			return i
		}
		p.lowest++
	}
}

// free gives a thread of a PPE back.
func (p *ppes) free(i int) {
	p.move(i, p.busy[i]-1)
	p.lowest = min(p.lowest, p.busy[i])
	p.total--
}

func (p *ppes) move(i, busy int) {
	p.byLoad[p.busy[i]].flip(i)
	p.busy[i] = busy
	p.byLoad[busy].flip(i)
}

// execute returns when a thread of a PPE has executed n instructions, of which
// the first may start at from; now, the time of the decision, is not later.
func (p *ppes) execute(t *Timing, ppe int, now, from units.Time, n uint64) units.Time {
	own := units.Duration(n) * t.Issue
	taken := max(p.taken[ppe], now).Add(own)
	p.taken[ppe] = taken
	drain := min(taken.Sub(now), own*units.Duration(p.busy[ppe]))
	return from.Add(max(units.Duration(n)*t.Instruction, drain))
}
