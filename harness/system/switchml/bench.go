package switchml

import "github.com/inalab/inalab/harness/job"

// Benches returns the variant of the packets that the system has; over RoCE and of the packets in ATP
// there is none.
func (s System) Benches(limits job.BenchLimits) []job.Bench {
	if s.Transport == RoCE || s.elements() == inATP {
		return nil
	}
	b := job.Bench{Name: s.Name(), System: benched(s.elements(), limits)}
	if s.elements() == elementsByDefault {
		b.Alias, b.Note, b.Sim = "switchml", "256 values a packet", true
	}
	return []job.Bench{b}
}

// benched is a system that only the machine limits.
func benched(elements int, limits job.BenchLimits) System {
	return System{Elements: elements, Slots: limits.Window, Retransmit: true, Timeout: limits.Timeout}
}

// FullWindow keeps the pool.
func (s System) FullWindow(int) job.System {
	s.Unscaled = true
	return s
}
