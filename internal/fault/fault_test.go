package fault

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
)

const typical = 100 * units.Millisecond

func draw(t testing.TB, s Straggle, seed rng.Root) Schedule {
	t.Helper()
	out, err := s.Draw(seed)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// iterations returns the length of the schedule.
func (s Schedule) iterations() int { return len(s.delays[0]) / s.Points }

// "for a period uniformly randomly chosen between 0.5 and 2x of the typical
// iteration time" (Trio §6.1).
func TestBounds(t *testing.T) {
	for _, sem := range []Semantics{OneServer, ServerPerPoint, EveryServer} {
		s := draw(t, Straggle{P: 1, Workers: 4, Iterations: 2000, Typical: typical, Semantics: sem}, 3)
		var low, high, n int
		for i := range s.iterations() {
			for w := range len(s.delays) {
				for p := range s.Points {
					d := s.At(w, i, p)
					if d == 0 {
						continue
					}
					n++
					if d < typical/2 || d > 2*typical {
						t.Fatalf("delay %v is outside half to twice %v", d, typical)
					}
					if d < typical*8/10 {
						low++
					}
					if d > typical*17/10 {
						high++
					}
				}
			}
		}
		for _, share := range []int{low, high} { // 0.3 of a width of 1.5: a fifth
			if got, sigma := float64(share)/float64(n), math.Sqrt(0.2*0.8/float64(n)); math.Abs(got-0.2) > 4*sigma {
				t.Errorf("%s: share %v of delays in an outer fifth of the range", sem, got)
			}
		}
	}
}

// "selecting three possible delay points in each iteration and allowing one of
// the servers to decide to slow down at each point with a given probability p":
// a system that waits for everybody pays 3 p 1.25 T an iteration on average.
func TestMeanPaid(t *testing.T) {
	const n = 20_000
	for _, p := range []float64{0.02, 0.16, 0.5, 1} {
		s := draw(t, Straggle{P: p, Workers: 6, Iterations: n, Typical: typical}, 1)
		sum := 0.0
		for i := range n {
			sum += float64(s.Paid(i)) / float64(typical)
		}
		// A point costs B*L: mean 1.25p, second moment p*(1.25^2 + 1.5^2/12) = 1.75p.
		mean, variance := 3*1.25*p, 3*(1.75*p-1.5625*p*p)
		if got, sigma := sum/n, math.Sqrt(variance/n); math.Abs(got-mean) > 4*sigma {
			t.Errorf("p=%v: %v typical times an iteration, want %v within %v", p, got, mean, 4*sigma)
		}
	}
}

func TestOneServerAnIteration(t *testing.T) {
	s := draw(t, Straggle{P: 1, Workers: 6, Iterations: 600, Typical: typical}, 2)
	times := make([]int, 6)
	for i := range s.iterations() {
		chosen := -1
		for w := range len(s.delays) {
			switch sum := s.Sum(w, i); {
			case sum == 0:
			case chosen >= 0:
				t.Fatalf("iteration %d: workers %d and %d straggle", i, chosen, w)
			default:
				chosen = w
			}
		}
		if chosen < 0 {
			t.Fatalf("iteration %d: nobody straggles at p=1", i)
		}
		if s.Paid(i) != s.Sum(chosen, i) {
			t.Fatalf("iteration %d: paid %v, the straggler slept %v", i, s.Paid(i), s.Sum(chosen, i))
		}
		times[chosen]++
	}
	for w, n := range times {
		if n < 60 || n > 140 { // 100 +- 4*9.1
			t.Errorf("worker %d was chosen %d times of 600", w, n)
		}
	}
}

// A server is drawn anew for each point, and no two sleep at one. At p = 1 three
// delays are in an iteration, those of one server after each other: by chance all on
// one (1/36), two and one (15/36) or all apart (20/36).
func TestServerPerPoint(t *testing.T) {
	const n = 7200
	s := draw(t, Straggle{P: 1, Workers: 6, Iterations: n, Typical: typical, Semantics: ServerPerPoint}, 2)
	count := map[int]int{} // iterations by how many servers sleep
	for i := range n {
		asleep, delays := 0, 0
		for w := range len(s.delays) {
			if s.Sum(w, i) > 0 {
				asleep++
			}
		}
		for p := range s.Points {
			for w := range len(s.delays) {
				if s.At(w, i, p) > 0 {
					delays++
				}
			}
			if delays != p+1 {
				t.Fatalf("iteration %d: %d delays at %d points", i, delays, p+1)
			}
		}
		count[asleep]++
	}
	for asleep, share := range map[int]float64{1: 1. / 36, 2: 15. / 36, 3: 20. / 36} {
		if got, sigma := float64(count[asleep]), math.Sqrt(n*share*(1-share)); math.Abs(got-n*share) > 4*sigma {
			t.Errorf("%d servers sleep in %v of %d iterations, want %v within %v", asleep, got, n, n*share, 4*sigma)
		}
	}
}

// expectedWorst returns, in typical times, the mean of the largest of n workers'
// sums of three delays: the integral of 1-F(x)^n, F by convolution on a grid.
func expectedWorst(p float64, n int) float64 {
	const steps = 200 // a typical time
	delay := make([]float64, 6*steps+1)
	delay[0] = 1 - p
	for i := steps / 2; i < 2*steps; i++ { // midpoints of [0.5, 2), half a step late
		delay[i] = p / (1.5 * steps)
	}
	sum := []float64{1}
	for range 3 {
		next := make([]float64, len(delay))
		for i, a := range sum {
			for j, b := range delay[:len(delay)-i] {
				next[i+j] += a * b
			}
		}
		sum = next
	}
	mean, f := 0.0, 0.0
	for _, mass := range sum {
		f += mass
		mean += (1 - math.Pow(f, float64(n))) / steps
	}
	return mean
}

// Under the other reading everybody decides for itself, and those who wait pay
// for the worker that slept longest in the iteration. (The 3.65 of ambiguity
// trio.straggle-semantics, less 1 for the iteration itself, is more: it would
// need a barrier at every delay point, not one at the end.)
func TestEveryServer(t *testing.T) {
	const n = 5000
	s := draw(t, Straggle{P: 0.16, Workers: 6, Iterations: n, Typical: typical, Semantics: EveryServer}, 2)
	slept := 0
	paid, squares := 0.0, 0.0
	for i := range n {
		worst := units.Duration(0)
		for w := range len(s.delays) {
			worst = max(worst, s.Sum(w, i))
			for p := range s.Points {
				if s.At(w, i, p) > 0 {
					slept++
				}
			}
		}
		if s.Paid(i) != worst {
			t.Fatalf("iteration %d: paid %v, the worst slept %v", i, s.Paid(i), worst)
		}
		x := float64(worst) / float64(typical)
		paid, squares = paid+x, squares+x*x
	}
	draws := float64(n * 6 * 3)
	if share, sigma := float64(slept)/draws, math.Sqrt(0.16*0.84/draws); math.Abs(share-0.16) > 4*sigma {
		t.Errorf("share %v of the decisions is to sleep, want 0.16", share)
	}
	mean, want := paid/n, expectedWorst(0.16, 6)
	if sigma := math.Sqrt((squares/n - mean*mean) / n); math.Abs(mean-want) > 4*sigma+0.01 { // the grid is good to 0.01
		t.Errorf("%v typical times paid, want %v within %v", mean, want, 4*sigma+0.01)
	}
}

// The schedule of a low p is inside that of any higher p: the same delays, and
// more.
func TestNestedInP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := Straggle{
			Workers: rapid.IntRange(1, 5).Draw(t, "workers"), Iterations: rapid.IntRange(1, 20).Draw(t, "iterations"),
			Points: rapid.IntRange(0, 4).Draw(t, "points"), Typical: typical,
			Semantics: rapid.SampledFrom([]Semantics{"", OneServer, ServerPerPoint, EveryServer}).Draw(t, "semantics"),
		}
		seed := rng.Root(rapid.Uint64().Draw(t, "seed"))
		ps := []float64{0, rapid.Float64Range(0, 1).Draw(t, "p"), rapid.Float64Range(0, 1).Draw(t, "p"), 1}
		ps[1], ps[2] = min(ps[1], ps[2]), max(ps[1], ps[2])
		var lower *Schedule
		for _, p := range ps {
			base.P = p
			s, err := base.Draw(seed)
			if err != nil {
				t.Fatal(err)
			}
			for w := range len(s.delays) {
				for at, d := range s.Worker(w) {
					if lower != nil && lower.Worker(w)[at] != 0 && lower.Worker(w)[at] != d {
						t.Fatalf("worker %d, point %d: %v became %v at p=%v", w, at, lower.Worker(w)[at], d, p)
					}
					if p == 0 && d != 0 {
						t.Fatalf("worker %d sleeps %v at p=0", w, d)
					}
				}
			}
			lower = &s
		}
	})
}

func TestValidate(t *testing.T) {
	ok := Straggle{P: 0.5, Workers: 1, Iterations: 1}
	if err := ok.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Straggle){
		"probability": func(s *Straggle) { s.P = 1.01 },
		"negative":    func(s *Straggle) { s.P = -0.01 },
		"nan":         func(s *Straggle) { s.P = math.NaN() },
		"workers":     func(s *Straggle) { s.Workers = 0 },
		"iterations":  func(s *Straggle) { s.Iterations = 0 },
		"points":      func(s *Straggle) { s.Points = -1 },
		"typical":     func(s *Straggle) { s.Typical = -1 },
		"semantics":   func(s *Straggle) { s.Semantics = "two-servers" },
	} {
		s := ok
		change(&s)
		if _, err := s.Draw(1); err == nil {
			t.Errorf("%s: %+v was accepted", name, s)
		}
	}
}

// The schedule of a seed must not change: it would change every recorded run.
func TestGolden(t *testing.T) {
	for _, sem := range []Semantics{OneServer, ServerPerPoint, EveryServer} {
		s := draw(t, Straggle{P: 0.3, Workers: 3, Iterations: 8, Typical: typical, Semantics: sem}, 1)
		var b strings.Builder
		fmt.Fprintf(&b, "%s, p 0.3, seed 1, typical %v: delays at three points of each worker\n", sem, typical)
		for i := range s.iterations() {
			fmt.Fprintf(&b, "%d:", i)
			for w := range len(s.delays) {
				fmt.Fprintf(&b, "  w%d", w)
				for p := range s.Points {
					text, _ := s.At(w, i, p).MarshalText()
					fmt.Fprintf(&b, " %s", text)
				}
			}
			fmt.Fprintf(&b, "  paid %v\n", s.Paid(i))
		}
		golden.Equal(t, string(sem)+".txt", b.String())
	}
}

// An outage is there beside what is drawn, which it does not change; two of one
// iteration add up.
func TestOutages(t *testing.T) {
	base := Straggle{P: 0.5, Workers: 4, Iterations: 20, Typical: typical, Semantics: EveryServer}
	with := base
	with.Outages = []Outage{{Worker: 3, Iteration: 7, For: units.Second}, {Worker: 3, Iteration: 7, For: 2 * units.Second}, {Worker: 0, Iteration: 19, For: 5}}
	before, after := draw(t, base, 5), draw(t, with, 5)
	for i := range base.Iterations {
		for w := range base.Workers {
			for p := range before.Points {
				want := before.At(w, i, p)
				switch {
				case w == 3 && i == 7 && p == 0:
					want += 3 * units.Second
				case w == 0 && i == 19 && p == 0:
					want += 5
				}
				if got := after.At(w, i, p); got != want {
					t.Fatalf("worker %d, iteration %d, point %d: %v, want %v", w, i, p, got, want)
				}
			}
		}
	}
	for _, o := range []Outage{{4, 0, 1}, {-1, 0, 1}, {0, 20, 1}, {0, -1, 1}, {0, 0, 0}, {0, 0, -1}} {
		with.Outages = []Outage{o}
		if _, err := with.Draw(5); err == nil || !strings.Contains(err.Error(), "out of service from iteration") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
