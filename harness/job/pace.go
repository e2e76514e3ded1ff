package job

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo/plan"
)

// Pace is how long the worker on a host computes: on a slower card (XAgg §VI-C), or each iteration
// a fixed time longer (§II-A). The zero value is the model's compute time. Both grow with the
// worker's share where others are out of service (assumed, see package worker).
type Pace struct {
	Factor float64        // of the model's compute time; zero means 1
	Lag    units.Duration // beyond that, in each iteration
}

// MaxFactor bounds a factor, and its inverse (assumed: no two cards differ by as much).
const MaxFactor = 1000

// Of returns how long a worker takes for what takes the model's time d.
func (p Pace) Of(d units.Duration) units.Duration {
	if p.Factor != 0 {
		d = d.Scale(p.Factor)
	}
	return d + p.Lag
}

// Validate checks a pace by itself.
func (p Pace) Validate() error {
	if f := cmp.Or(p.Factor, 1); !(f >= 1./MaxFactor && f <= MaxFactor) {
		return fmt.Errorf("a compute time of %gx the model's: allowed are %gx to %dx", p.Factor, 1./MaxFactor, MaxFactor)
	}
	if p.Lag < 0 || p.Lag > MaxLag {
		return fmt.Errorf("a lag of %v: allowed are 0s to %v", p.Lag, MaxLag)
	}
	return nil
}

// MaxLag bounds a lag (assumed: a live run waits as long in each iteration).
const MaxLag = 3600 * units.Second

// paceAt returns the pace of the worker on a host.
func (s *Spec) paceAt(h *plan.Host) Pace {
	if h.Index < len(s.Paces) {
		return s.Paces[h.Index]
	}
	return Pace{}
}

// ComputeOn returns how long the worker on a host computes in an iteration.
func (s *Spec) ComputeOn(h *plan.Host) units.Duration { return s.paceAt(h).Of(s.Model.Compute) }

// Computes returns how long each worker computes in an iteration, in the order of workers.
func (s *Spec) Computes() []units.Duration {
	hosts := s.Hosts()
	out := make([]units.Duration, len(hosts))
	for w := range hosts {
		out[w] = s.ComputeOn(&hosts[w])
	}
	return out
}

// SlowestCompute returns the longest compute time of a worker.
func (s *Spec) SlowestCompute() units.Duration { return slices.Max(s.Computes()) }

// unequal reports whether some worker computes longer than another.
func (s *Spec) unequal() bool {
	list := s.Computes()
	return slices.Min(list) != slices.Max(list)
}

func (s *Spec) validatePaces() error {
	var errs []error
	if n := len(s.Plan.Hosts); len(s.Paces) > n {
		return fmt.Errorf("paces of %d hosts: topology %s has %d", len(s.Paces), s.Plan.Name, n)
	}
	for h, p := range s.Paces {
		if err := p.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("the worker on %s: %w", s.Plan.Hosts[h].Name, err))
		}
		if s.Elements > 0 && p != (Pace{}) {
			errs = append(errs, fmt.Errorf("a pace of the worker on %s: a benchmark computes nothing: leave it out", s.Plan.Hosts[h].Name))
		}
	}
	return errors.Join(errs...)
}

// Measured is the mean time of the computes of the worker on a host.
type Measured struct {
	Host string
	Mean units.Duration // zero: it never computed, as one that ended before it was given a model
}

// MeanCompute returns what the model's compute takes, as measured: the mean over workers that
// computed, with what their paces make of the model's time taken out.
func (s *Spec) MeanCompute(list []Measured) units.Duration {
	var sum units.Duration
	n := 0
	for _, m := range list {
		if m.Mean == 0 {
			continue
		}
		sum, n = sum+m.Mean, n+1
		if k := slices.IndexFunc(s.Plan.Hosts, func(h plan.Host) bool { return h.Name == m.Host }); k >= 0 {
			sum += s.Model.Compute - s.ComputeOn(&s.Plan.Hosts[k])
		}
	}
	return sum / units.Duration(max(1, n))
}
