package live

import (
	"fmt"
	"os"
	"runtime"

	"github.com/inalab/inalab/internal/units"
)

// cpuMeter measures the share of all processors that was busy, from the first
// line of /proc/stat (proc(5)): this lab's work and anybody else's.
type cpuMeter struct{ busy, total uint64 }

func (m *cpuMeter) start() { m.busy, m.total = readCPU() }

// stop returns the busy share since start, a fraction; -1 where it is unknown.
func (m *cpuMeter) stop() float64 {
	busy, total := readCPU()
	if total <= m.total {
		return -1
	}
	return float64(busy-m.busy) / float64(total-m.total)
}

func readCPU() (busy, total uint64) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	var user, nice, system, idle, iowait, irq, softirq, steal uint64
	if _, err := fmt.Sscanf(string(text), "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal); err != nil {
		return 0, 0
	}
	busy = user + nice + system + irq + softirq + steal
	return busy, busy + idle + iowait
}

// cpuTime is the processor time of everything during the run.
func (r *run) cpuTime() units.Duration {
	return units.Duration(r.wall.Nanoseconds()) * units.Nanosecond.Scale(max(0, r.busy)*float64(runtime.NumCPU()))
}
