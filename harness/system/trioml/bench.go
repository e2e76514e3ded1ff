package trioml

import (
	"cmp"

	"github.com/inalab/inalab/harness/job"
	host "github.com/inalab/inalab/nodes/trioml"
)

// Benches returns the system without ageing: no worker of a benchmark is late.
func (t System) Benches(limits job.BenchLimits) []job.Bench {
	return []job.Bench{{Name: t.Name(), Sim: true, System: benched(limits)}}
}

// benched is a system that only the machine limits. Its packets are of 4 KiB.
func benched(limits job.BenchLimits) System { return System{Window: limits.Window / 4, NoAging: true} }

// FullWindow keeps the window.
func (t System) FullWindow(scale int) job.System {
	t.Window = scale * cmp.Or(t.Window, host.DefaultWindow)
	return t
}
