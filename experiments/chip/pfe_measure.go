package chip

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/trio"
)

// pfeRun is one load on one machine.
type pfeRun struct {
	machine Machine
	load    pfeLoad
}

// pfePoint is what was measured of a run. Latency is time in the PFE, from the
// arrival of a packet to the end of its thread (ambiguity trio.latency-definition).
type pfePoint struct {
	pfeRun
	all     units.Duration // mean latency of all packets; one completes the block and builds the result
	adding  units.Duration // mean latency of those that do not
	waiting units.Duration // of it, for a thread; of all packets
	took    units.Duration // of the measured blocks, from result to result
	end     trio.Snapshot  // of the whole run
}

// rate is gradients per microsecond of latency: the right axis of Fig 15.
func (p *pfePoint) rate(latency units.Duration) float64 {
	return float64(p.load.grads) / latency.Seconds() * 1e-6
}

// throughput is that of all servers' gradients, in bits a second.
func (p *pfePoint) throughput() float64 {
	return 32 * float64(pfeServers*p.load.count*p.load.grads) / p.took.Seconds()
}

// measure runs the load and measures what comes behind its warm-up.
func (x pfeRun) measure() (pfePoint, error) {
	r, err := newPFERig(&x.machine, x.load)
	if err != nil {
		return pfePoint{}, err
	}
	if err := r.until(x.load.warmup); err != nil {
		return pfePoint{}, err
	}
	before, from := r.engine.Snapshot(), r.last
	if err := r.until(x.load.warmup + x.load.count); err != nil {
		return pfePoint{}, err
	}
	p := pfePoint{pfeRun: x, took: r.last.Sub(from), end: r.engine.Snapshot()}
	var adding, all, waiting span
	adding.between(inside(&before, trio.Consumed), inside(&p.end, trio.Consumed))
	all = adding
	all.between(inside(&before, trio.Created), inside(&p.end, trio.Created))
	waiting.between(before.Wait, p.end.Wait)
	p.all, p.adding, p.waiting = all.mean(), adding.mean(), waiting.mean()
	return p, nil
}

// inside returns the times of packets in the PFE, by what became of them.
func inside(s *trio.Snapshot, f trio.Fate) trio.Latency {
	for _, w := range s.Work {
		if w.Fate == f.String() {
			return w.Inside
		}
	}
	return trio.Latency{}
}

// span is times that are summed.
type span struct {
	sum units.Duration
	n   uint64
}

// between adds what was measured between two looks.
func (s *span) between(before, after trio.Latency) {
	s.sum += after.Sum - before.Sum
	s.n += after.N - before.N
}

func (s *span) mean() units.Duration { return s.sum / units.Duration(max(s.n, 1)) }

// measureAll carries runs out, as many at a time as there are processors, and
// returns points in their order.
func measureAll(ctx context.Context, runs []pfeRun) ([]pfePoint, error) {
	points, errs := make([]pfePoint, len(runs)), make([]error, len(runs))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range runs {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if errs[i] = ctx.Err(); errs[i] == nil {
				points[i], errs[i] = runs[i].measure()
			}
		})
	}
	all.Wait()
	return points, errors.Join(errs...)
}
