package virtual

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// Settings of the SwitchML testbed as it is simulated.
const (
	// portQueue is above what windows let into a port, so that nothing is lost but
	// by chance: live, a host holds back what its own line cannot take, and RDMA
	// networks pause. Assumed.
	portQueue = 64 * units.MiB
	// tensorMiB is the 100 MB tensor of SwitchML §6.1, in whole MiB.
	tensorMiB = 95
	// pool10 is the pool at 10 Gbit/s (SwitchML App C); at 100 it is that of
	// switchml.DefaultSlots.
	pool10 = 128
)

// call is the aggregation of one tensor, computing apart, on a rack.
type call struct {
	name    string // of the row
	sys     job.System
	host    hostmodel.Model // zero: hosts cost nothing
	workers int
	rate    units.Rate
	mib     int // of the tensor
	loss    float64
	first   float64        // loss of the first worker's link alone
	inside  units.Duration // from port to port of the switch
	trace   trace.Sink
	whole   bool   // packets carry all values
	ran     string // what aggregated in switches, of a call that was simulated
}

// onChip gives a call the time that it takes in switches. SwitchML and ATP run on the emulated Tofino, whose passes,
// ports inside and queues take time; packets of all else take one pass.
func (c call) onChip(e *experiment.Env) call {
	switch s := c.sys.(type) {
	case switchml.System:
		if s.Elements == testbed.InATP().Elements {
			break // the pipeline has no such packets
		}
		s.Pipe = testbed.TimedPipe(e)
		c.sys = s
		return c
	case atp.System:
		s.Pipe = testbed.TimedATP(e)
		c.sys = s
	}
	c.inside = testbed.SwitchTime(e)
	return c
}

// job lays the call out. The tensor is aggregated once or, over TCP, whose connections
// open and start slowly, twice; the last time counts.
func (c *call) job(e *experiment.Env) (*job.Job, error) {
	j, err := c.times(e, 1)
	if err != nil || j.Layout.Peers == nil || j.Layout.Transport == stream.RoCE {
		return j, err
	}
	return c.times(e, 2)
}

// times lays the call out for so many aggregations.
func (c *call) times(e *experiment.Env, n int) (*job.Job, error) {
	servers := job.Servers(c.sys, c.workers)
	rack := network{topology: "rack", hosts: c.workers + servers, rate: c.rate, mtu: testbed.MTU, loss: c.loss, first: c.first, queue: portQueue, extra: c.inside / 2}
	return replay(e, c.sys, rack, func(s *job.Spec) {
		s.Model = profiles.Profile{Name: fmt.Sprintf("%d MiB", c.mib), SizeMiB: c.mib}
		s.Iterations, s.Servers, s.Host, s.Trace = n, servers, c.host, c.trace
		if c.whole {
			s.Sample.Every = 1
		}
	})
}

// bytes returns the size of the tensor.
func (c *call) bytes() units.Bytes { return units.Bytes(c.mib) * units.MiB }

// rateOf returns elements a second.
func (c *call) rateOf(took units.Duration) float64 { return float64(c.bytes()) / 4 / took.Seconds() }

// switchNote says what stands in the column of switches.
const switchNote = "Switch: the pipeline is SwitchML on the emulated Tofino, whose passes, ports inside and queues take time; packets of hosts alone take one pass of a switch."

// aggregate simulates calls, notes in each what aggregated, and returns how long each took, from the start
// of the first worker to the end of the last.
func aggregate(ctx context.Context, e *experiment.Env, calls []call) ([]units.Duration, error) {
	var jobs []*job.Job
	for i := range calls {
		j, err := calls[i].job(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", calls[i].name, err)
		}
		jobs = append(jobs, j)
	}
	cells, err := runJobs(ctx, jobs...)
	if err != nil {
		return nil, err
	}
	var out []units.Duration
	for i := range cells {
		if calls[i].ran, err = testbed.RanOn(calls[i].sys, &cells[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", calls[i].name, err)
		}
		out = append(out, testbed.Took(cells[i].Samples, jobs[i].Iterations-1))
	}
	return out, nil
}

// line is what calls of a system take, by the size of the tensor.
type line struct {
	fixed units.Duration
	each  float64 // picoseconds a byte
	ran   string  // what aggregated in switches
}

// lineThrough returns the line through two calls.
func lineThrough(small, large *call, t, u units.Duration) line {
	each := float64(u-t) / float64(large.bytes()-small.bytes())
	return line{fixed: max(0, t-units.Duration(each*float64(small.bytes()))), each: each, ran: large.ran}
}

// cost returns the time of a call. It is a [profiles.Cost].
func (l line) cost(n units.Bytes) units.Duration {
	return l.fixed + units.Duration(l.each*float64(n))
}

// rate returns how fast long tensors pass.
func (l line) rate() units.Rate { return units.Rate(8e12 / l.each) }

// lines simulates two tensors of each call and returns the line through them.
func lines(ctx context.Context, e *experiment.Env, calls []call) ([]line, error) {
	var all []call
	for _, c := range calls {
		for _, c.mib = range experiment.Cut(e, []int{48, 96}, []int{12, 24}) {
			all = append(all, c)
		}
	}
	times, err := aggregate(ctx, e, all)
	if err != nil {
		return nil, err
	}
	var out []line
	for i := 0; i < len(all); i += 2 {
		out = append(out, lineThrough(&all[i], &all[i+1], times[i], times[i+1]))
	}
	return out, nil
}

// lineNote says how times of gradients come about.
const lineNote = "Times of gradients are on the line through those of two tensors."

// quickLines says how [lines] is cut.
const quickLines = "costs of calls from tensors of 12 and 24 MiB in place of 48 and 96"

// Systems of SwitchML's figures beside those that also run live.
var (
	smlRDMA  = switchml.System{Transport: switchml.RoCE}
	ringRoCE = ring.System{Transport: stream.RoCE}
)
