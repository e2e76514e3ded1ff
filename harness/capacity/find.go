package capacity

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// Try runs briefly, at one scale, all sets of jobs that will have one.
type Try func(ctx context.Context, scale int) ([]Trial, error)

// Search says where a scale is looked for.
type Search struct {
	Tell func(Tried) // is told of each scale; nil: nobody is
	Over func() bool // reports whether it is time to end, asked before each scale but the first; nil: it never is

	Start      int // the scale that is tried first
	Least      int // no smaller one is tried
	Most       int // no larger one
	Processors int
}

// Found is a scale that this machine carries, and how it was found.
type Found struct {
	Scale int     `json:"scale"`
	Tried []Tried `json:"tried"` // in order
	Note  string  `json:"note,omitempty"`
}

// NoScale is the error of a search that found none.
type NoScale struct {
	Most int   // the largest scale that was tried
	Best Tried // the one with the least load
}

// Error says what is short.
func (e *NoScale) Error() string {
	return fmt.Sprintf("this machine carries the run at no scale up to %d: at scale %d %s: use fewer hosts, end other programs, or take --clock virtual", e.Most, e.Best.Scale, e.Best.Why())
}

// Find returns the least scale, among round ones and the first that is tried, that the machine
// carries. Slow iterations and late timers that a larger scale does not mend are not the scale's: then
// processor time decides alone, and the note says so.
func Find(ctx context.Context, s Search, try Try) (Found, error) {
	f := finder{Search: s}
	for at := min(max(s.Start, s.Least), s.Most); at > 0; at = f.next() {
		trials, err := try(ctx, at)
		if err != nil {
			return Found{Tried: f.tried}, fmt.Errorf("self-test at scale %d: %w", at, err)
		}
		t := sum(at, s.Processors, trials)
		f.take(t)
		if s.Tell != nil {
			s.Tell(t)
		}
	}
	if f.carried == 0 {
		f.settle()
	}
	if f.carried == 0 {
		return Found{Tried: f.tried}, &NoScale{Most: f.tried[len(f.tried)-1].Scale, Best: f.best()}
	}
	return Found{f.carried, f.tried, f.note}, nil
}

// finder is a search under way.
type finder struct {
	Search
	tried   []Tried
	carried int // the least scale that was carried; 0: none yet
	failed  int // the largest that was not
	note    string
}

// take notes what came of a scale.
func (f *finder) take(t Tried) {
	if f.carried == 0 && t.Excess > 0 && t.fits() && f.unhelped(t) {
		f.note = "a larger scale does not help: " + t.Slow
	}
	if f.note != "" {
		t.Excess = min(t.Excess, 0)
	}
	f.tried = append(f.tried, t)
	f.judge()
}

// judge finds the least scale that was carried, above all that were not.
func (f *finder) judge() {
	f.carried, f.failed = 0, 0
	for _, t := range f.tried {
		if !f.holds(t) {
			f.failed = max(f.failed, t.Scale)
		}
	}
	for _, t := range f.tried {
		if f.holds(t) && t.Scale > f.failed && (f.carried == 0 || t.Scale < f.carried) {
			f.carried = t.Scale
		}
	}
}

// settle takes the largest scale that was only too slow, if the search ended before it knew more.
func (f *finder) settle() {
	for _, t := range f.tried {
		if t.fits() && t.Scale > f.carried {
			f.carried, f.note = t.Scale, "the self-test ended before a scale was found that helps: "+t.Slow
		}
	}
}

// holds reports whether a scale that was tried is carried, by what is known now.
func (f *finder) holds(t Tried) bool { return t.carried() || f.note != "" && t.fits() }

// unhelped reports whether a larger scale than one that was too slow is as slow.
func (f *finder) unhelped(t Tried) bool {
	for _, before := range f.tried {
		if before.Scale < t.Scale && before.Excess > 0 && before.fits() && t.Excess > before.Excess*(1-helped) {
			return true
		}
	}
	return t.Scale == f.Most
}

// next returns the scale to try next, which can tell more than is known: above all that failed, and
// below the least that was carried; 0: there is none.
func (f *finder) next() int {
	if f.note != "" || f.hopeless() || len(f.tried) == mostTries || f.Over != nil && f.Over() {
		return 0
	}
	last := f.tried[len(f.tried)-1]
	above := round(float64(f.failed) + 1)
	at := above
	switch {
	case f.holds(last):
		at = max(round(float64(f.carried)*f.share(f.carried)), f.Least, above)
	case f.carried == 0:
		at = min(round(float64(last.Scale)*f.factor(last)), f.Most)
	}
	if f.carried > 0 && at >= f.carried || at <= f.failed {
		return 0
	}
	return at
}

// best returns what came to an end with the least load, or else the last.
func (f *finder) best() Tried {
	ended := slices.DeleteFunc(slices.Clone(f.tried), func(t Tried) bool { return t.Failed != "" })
	if len(ended) == 0 {
		return f.tried[len(f.tried)-1]
	}
	return slices.MinFunc(ended, func(a, b Tried) int { return cmp.Compare(a.Load.Share, b.Load.Share) })
}

// hopeless reports whether a larger scale needed no less than a smaller one.
func (f *finder) hopeless() bool {
	n := len(f.tried)
	return n > 2 && f.carried == 0 && f.tried[n-2].Failed == "" && f.tried[n-1].Load.Share >= f.tried[n-2].Load.Share
}

// factor is by how much to raise a scale that was not carried.
func (f *finder) factor(t Tried) float64 {
	if t.Load.Share <= 1 || len(f.tried) > 1 { // the load tells nothing, or did not go down with the scale
		return max(growth, t.Load.Share)
	}
	return t.Load.Share
}

// share is that of the limit at a scale that was tried.
func (f *finder) share(scale int) float64 {
	for _, t := range f.tried {
		if t.Scale == scale {
			return t.Load.Share
		}
	}
	return 1
}

// round returns the least round number that is not smaller.
func round(x float64) int {
	for decade := 1.0; decade <= math.MaxInt32; decade *= 10 {
		for _, step := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
			if n := step * decade; n >= x*(1-1e-9) && n == math.Trunc(n) {
				return int(n)
			}
		}
	}
	return math.MaxInt32
}
