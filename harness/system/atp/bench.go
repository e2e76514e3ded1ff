package atp

import "github.com/inalab/inalab/harness/job"

// Benches returns the system with aggregators for all that is in flight, in the reference program and on
// the emulated Tofino, with the server beside a worker, and without any, where the server adds all.
func (s System) Benches(limits job.BenchLimits) []job.Bench {
	n := limits.Window * packetsOfWindow
	with := System{Aggregators: 2 * n, Window: n, Span: n, Fixed: true, Unscaled: true, Timeout: limits.Timeout}
	chip, beside, none := with, with, with
	chip.Pipe.Pipeline = true
	beside.Colocated = true
	none.Aggregators = None
	return []job.Bench{
		{Name: s.Name(), Note: "window without congestion control", System: with},
		{Name: s.Name() + "-pipeline", Note: "on the emulated Tofino", System: chip},
		{Name: s.Name() + "-colocated", Note: "the server beside the first worker", System: beside},
		{Name: s.Name() + "-server", Note: "no aggregators: the server adds", System: none},
	}
}

// packetsOfWindow is how many packets are as long as one of those that windows of benchmarks are
// counted in: 248 bytes of values to about 1 KiB.
const packetsOfWindow = 4
