package job

import "github.com/inalab/inalab/internal/units"

// Benched is a system that benchmarks measure: all-reduce of int32 tensors, on links
// that nothing limits.
type Benched interface {
	System
	// Benches returns the variants that are measured, set up so that only the machine
	// limits them.
	Benches(BenchLimits) []Bench
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
	Sim    bool   // bench sim measures the system where it is given none
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

// FindBench returns the variant of a name, which may be the second one.
func FindBench(list []Bench, name string) (Bench, error) {
	var names []string
	for _, b := range list {
		if b.Name == name || b.Alias != "" && b.Alias == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Bench{}, unknown(name, names)
}

// Windowed is a system whose window, or pool, is divided by the scale of a job.
type Windowed interface {
	System
	// FullWindow returns the system with a window that stays at its full size in jobs
	// of a scale.
	FullWindow(scale int) System
}

// FullWindow returns a system whose window, if it has one, is not divided by the scale.
func FullWindow(s System, scale int) System {
	if w, ok := s.(Windowed); ok {
		return w.FullWindow(scale)
	}
	return s
}
