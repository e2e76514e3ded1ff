package job

import "github.com/inalab/inalab/internal/units"

// Benched is a system that benchmarks measure: all-reduce of int32 tensors, on links
// that nothing limits.
type Benched interface {
	System
	// Benches returns the variants that are measured, set up so that only the machine
	// limits them.
	Benches(BenchLimits) []Bench
	// Unscaled returns the system with its pool or window as it is where the tensor is
	// divided by scale.
	Unscaled(scale int) System
}

// BenchLimits are what a benchmark asks of every system.
type BenchLimits struct {
	Window  int            // packets of about 1 KiB on their way
	Timeout units.Duration // of retransmissions: above the time that a full window takes
}

// Bench is a variant of a system that benchmarks measure.
type Bench struct {
	Name   string // on the command line
	Alias  string // a second name there; empty: none
	Note   string // what the name does not say; may be empty
	System System
}

// Benches returns the variants of all systems that are measured.
func Benches(list []System, limits BenchLimits) (out []Bench) {
	for _, s := range list {
		if b, ok := s.(Benched); ok {
			out = append(out, b.Benches(limits)...)
		}
	}
	return out
}
