package switchml

import "github.com/inalab/inalab/harness/job"

// Benches returns the variant of the packets that the system has.
func (s System) Benches(limits job.BenchLimits) []job.Bench {
	b := job.Bench{Name: s.Name(), System: System{Elements: s.elements(), Slots: limits.Window, Retransmit: true, Timeout: limits.Timeout}}
	if s.elements() == elementsByDefault {
		b.Alias, b.Note, b.Sim = "switchml", "256 values a packet", true
	}
	return []job.Bench{b}
}

// FullWindow keeps the pool.
func (s System) FullWindow(int) job.System {
	s.Unscaled = true
	return s
}
