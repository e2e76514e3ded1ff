package xdp

import "fmt"

// Cost returns the runs of the program and their time, as far as the kernel has counted them: it does while
// somebody has switched that on (BPF_ENABLE_STATS, or sysctl kernel.bpf_stats_enabled).
func (a *Aggregator) Cost() (Cost, error) {
	if a.closed {
		return Cost{}, ErrClosed
	}
	s, err := a.kernel.Xagg.Stats()
	if err != nil {
		return Cost{}, fmt.Errorf("read the runs of the aggregator: %w", explain(err))
	}
	return Cost{Runs: s.RunCount, Time: s.Runtime}, nil
}
