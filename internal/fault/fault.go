// Package fault draws schedules of faults as data: who suffers what, and when,
// decided before a run from its seed, so that every system meets the same.
//
// Stragglers follow the Slow Worker Pattern of Trio §6.1: each iteration has
// three delay points, and at each a server may fall asleep with probability p
// for U[0.5, 2] of the typical iteration time. The paper leaves open who may
// (ambiguity trio.straggle-semantics):
//
//   - [OneServer] (the default): one server, drawn anew for each iteration,
//     decides at each point; a system that waits for everybody then takes
//     1+3*1.25*p of its time.
//   - [ServerPerPoint]: one server, drawn anew for each point, decides at it; delays
//     of two servers in one iteration overlap, so that it takes less.
//   - [EveryServer]: every server decides for itself at each point.
//
// Beside what is drawn, an [Outage] has one worker sleep so long that it counts as
// out of service (§5, "permanent" stragglers).
//
// The draws do not depend on p: a delay of the schedule for a low p is in the
// schedule for every higher p too, so that points of a sweep differ by p alone.
package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
)

// Semantics says who may straggle.
type Semantics string

// The readings of the paper; see the package comment.
const (
	OneServer      Semantics = "one-server"
	ServerPerPoint Semantics = "server-per-point"
	EveryServer    Semantics = "every-server"
)

// Readings returns the names of the readings, the default first.
func Readings() []string {
	return []string{string(OneServer), string(ServerPerPoint), string(EveryServer)}
}

// DefaultPoints is the number of delay points of an iteration (Trio §6.1).
const DefaultPoints = 3

// Bounds of a delay as fractions of the typical iteration time (Trio §6.1).
const (
	MinDelay = 0.5
	MaxDelay = 2.0
)

// Straggle describes a schedule of slow workers.
type Straggle struct {
	P          float64        // probability at each delay point, 0 to 1
	Workers    int            // at least 1
	Iterations int            // at least 1
	Points     int            // zero means DefaultPoints
	Typical    units.Duration // typical iteration time without stragglers
	Semantics  Semantics      // empty means OneServer
	Outages    []Outage       // beside what is drawn
}

// Outage is a worker out of service: asleep from the first delay point of an
// iteration on.
type Outage struct {
	Worker    int
	Iteration int            // 0 is the first
	For       units.Duration // positive
}

// Validate names the field that is wrong.
func (s Straggle) Validate() error {
	switch {
	case s.P < 0 || s.P > 1 || s.P != s.P:
		return fmt.Errorf("straggling probability %v: it must be from 0 to 1", s.P)
	case s.Workers < 1 || s.Iterations < 1 || s.Points < 0 || s.Typical < 0:
		return fmt.Errorf("straggle schedule for %d workers, %d iterations, %d points, typical time %v: none may be negative, the first two must be positive", s.Workers, s.Iterations, s.Points, s.Typical)
	case s.Semantics != "" && !slices.Contains(Readings(), string(s.Semantics)):
		return fmt.Errorf("straggle semantics %q: allowed are %s", s.Semantics, strings.Join(Readings(), ", "))
	}
	for _, o := range s.Outages {
		if o.Worker < 0 || o.Worker >= s.Workers || o.Iteration < 0 || o.Iteration >= s.Iterations || o.For <= 0 {
			return fmt.Errorf("worker %d out of service from iteration %d on for %v: there are workers 0 to %d and iterations 0 to %d, and the time must be positive", o.Worker, o.Iteration, o.For, s.Workers-1, s.Iterations-1)
		}
	}
	return nil
}

// Schedule is the delay of each worker at each delay point of each iteration.
type Schedule struct {
	Points int
	delays [][]units.Duration // by worker, then iteration*Points+point
}

// Draw draws the schedule from the stream "fault/straggle" of the root seed.
func (s Straggle) Draw(root rng.Root) (Schedule, error) {
	if err := s.Validate(); err != nil {
		return Schedule{}, err
	}
	s.Points = cmp.Or(s.Points, DefaultPoints)
	out := Schedule{Points: s.Points, delays: make([][]units.Duration, s.Workers)}
	for w := range out.delays {
		out.delays[w] = make([]units.Duration, s.Iterations*s.Points)
	}
	stream := root.Stream("fault/straggle")
	for i := range s.Iterations {
		chosen := stream.IntN(s.Workers)
		for p := range s.Points {
			if s.Semantics == ServerPerPoint && p > 0 {
				chosen = stream.IntN(s.Workers)
			}
			for w := range s.Workers {
				if s.Semantics == EveryServer || w == chosen {
					out.delays[w][i*s.Points+p] = s.delay(stream)
				}
			}
		}
	}
	for _, o := range s.Outages {
		out.delays[o.Worker][o.Iteration*s.Points] += o.For
	}
	return out, nil
}

// delay draws one decision: two numbers, whatever it is.
func (s Straggle) delay(stream *rng.Stream) units.Duration {
	u, length := stream.Float64(), stream.Uniform(MinDelay, MaxDelay)
	if u >= s.P {
		return 0
	}
	return s.Typical.Scale(length)
}

// Worker returns the delays of one worker by iteration*Points+point.
func (s Schedule) Worker(w int) []units.Duration { return s.delays[w] }

// At returns the delay of worker w at a point of an iteration.
func (s Schedule) At(w, iteration, point int) units.Duration {
	return s.delays[w][iteration*s.Points+point]
}

// Paid returns what a system that waits for everybody pays in an iteration: the
// largest sum of delays over the workers.
func (s Schedule) Paid(iteration int) units.Duration {
	var worst units.Duration
	for w := range s.delays {
		worst = max(worst, s.Sum(w, iteration))
	}
	return worst
}

// Sum returns the delays of worker w in an iteration.
func (s Schedule) Sum(w, iteration int) (sum units.Duration) {
	for p := range s.Points {
		sum += s.At(w, iteration, p)
	}
	return sum
}
