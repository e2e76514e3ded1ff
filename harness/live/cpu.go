package live

import (
	"fmt"
	"os"
	"runtime"

	"github.com/inalab/inalab/internal/units"
)

// cpuMeter measures the share of all processors that was busy, from the first
// line of /proc/stat (proc(5)): this lab's work and anybody else's. Of that, stolen is what
// the host of a virtual machine gave to others while a processor of the machine wanted to run.
type cpuMeter struct{ busy, stolen, total uint64 }

func (m *cpuMeter) start() { *m = readCPU() }

// stop returns the shares since start, fractions; busy is -1 where it is unknown.
func (m *cpuMeter) stop() (busy, stolen float64) {
	now := readCPU()
	if now.total <= m.total {
		return -1, 0
	}
	all := float64(now.total - m.total)
	return float64(now.busy-m.busy) / all, float64(now.stolen-m.stolen) / all
}

func readCPU() (m cpuMeter) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return m
	}
	var user, nice, system, idle, iowait, irq, softirq, steal uint64
	if _, err := fmt.Sscanf(string(text), "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal); err != nil {
		return m
	}
	m.busy, m.stolen = user+nice+system+irq+softirq+steal, steal
	m.total = m.busy + idle + iowait
	return m
}

// cpuTime is the processor time of everything during the run.
func (r *run) cpuTime() units.Duration {
	return units.Duration(r.wall.Nanoseconds()) * units.Nanosecond.Scale(max(0, r.busy)*float64(runtime.NumCPU()))
}
