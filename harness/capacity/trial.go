package capacity

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// Trial is what a few iterations of one set of jobs needed. All times are of one iteration.
type Trial struct {
	Name      string         // what ran, and where
	Line      units.Duration // in which its packets pass by the rates of links; all of the iteration where that is not known
	Compute   units.Duration // nominal
	Node      string         // whose packet thread needed the most
	Thread    units.Duration // processor time of that one
	Threads   units.Duration // of those of all nodes
	Gradients units.Duration // of the gradients of all workers
	Iteration units.Duration // the shortest that there was
	Expected  units.Duration // zero: not known
	Late      units.Duration // by which 1% of the timers of half of the nodes fired, or more
	LateLimit units.Duration // of that; zero: none
	Failed    string         // why it came to no end; the times are then zero
}

// Load is the largest share of a limit that a trial needs: at 1 the machine is at its limit.
type Load struct {
	Share float64 `json:"share"`
	Of    string  `json:"of"` // what is short, and of whom
}

// Load returns what a trial needs of so many processors. The packets of an iteration take as long as the
// busiest thread, and as all threads on all processors, at least: an iteration is then within the
// limit if that is within the time of its lines and what an iteration may be late.
func (t *Trial) Load(processors int) Load {
	time := headroom * float64(max(t.Line+t.Expected.Scale(slower), leastTime))
	worst := Load{float64(t.Thread) / time, fmt.Sprintf("the packet thread of %s with %s", t.Node, t.Name)}
	if share := float64(t.Threads) / float64(processors) / time; share > worst.Share {
		worst = Load{share, "the packet threads of all nodes with " + t.Name}
	}
	if t.Compute > 0 {
		if share := float64(t.Gradients) / float64(processors) / float64(t.Compute) / gradientShare; share > worst.Share {
			worst = Load{share, "the gradients of all workers with " + t.Name}
		}
	}
	return worst
}

// Excess is by which share the shortest iteration took longer than allowed, or timers fired later, and what
// that is; 0 or less: neither did.
func (t *Trial) Excess() (share float64, what string) {
	if t.Expected > 0 {
		share = float64(t.Iteration)/float64(t.Expected) - 1 - slower
		what = fmt.Sprintf("an iteration of %s takes %.1f ms at least, where %.1f ms are expected", t.Name, t.Iteration.Milliseconds(), t.Expected.Milliseconds())
	}
	if t.LateLimit == 0 {
		return share, what
	}
	if late := float64(t.Late)/float64(t.LateLimit) - 1; late > max(share, 0) {
		return late, fmt.Sprintf("timers of %s fire %.1f ms late, where %.1f ms are trusted", t.Name, t.Late.Milliseconds(), t.LateLimit.Milliseconds())
	}
	return share, what
}

// Tried is what all trials at one scale came to.
type Tried struct {
	Scale  int     `json:"scale"`
	Load   Load    `json:"load"`
	Excess float64 `json:"excess"` // of the slowest or latest, above what is allowed; 0 or less: none is too slow
	Slow   string  `json:"slow,omitempty"`
	Failed string  `json:"failed,omitempty"` // a run that came to no end
}

// sum returns what trials at a scale came to.
func sum(scale, processors int, trials []Trial) Tried {
	out := Tried{Scale: scale, Excess: -slower}
	for i := range trials {
		if why := trials[i].Failed; why != "" {
			out.Failed = cmp.Or(out.Failed, trials[i].Name+": "+why)
			continue
		}
		if l := trials[i].Load(processors); out.Load.Of == "" || l.Share > out.Load.Share {
			out.Load = l
		}
		if e, what := trials[i].Excess(); e > out.Excess {
			out.Excess, out.Slow = e, what
		}
	}
	if out.Excess <= 0 {
		out.Slow = ""
	}
	return out
}

// carried reports whether the machine carries what was tried.
func (t *Tried) carried() bool { return t.fits() && t.Excess <= 0 }

// fits reports whether there is processor time enough.
func (t *Tried) fits() bool { return t.Load.Share <= 1 && t.Failed == "" }

// Why says what is short, or else how much of the limit is needed.
func (t *Tried) Why() string {
	return cmp.Or(t.overload(), t.Failed, t.Slow, fmt.Sprintf("%s: %.2f times what the machine has for it", t.Load.Of, t.Load.Share))
}

func (t *Tried) overload() string {
	if t.Load.Share <= 1 {
		return ""
	}
	return fmt.Sprintf("%s: %.1f times what the machine has for it", t.Load.Of, t.Load.Share)
}
