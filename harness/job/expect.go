package job

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo/plan"
)

// TCPHeaders is Ethernet, IPv4 and TCP with the timestamp option (RFC 7323).
const TCPHeaders = inet.EtherLen + inet.IPv4Len + inet.TCPLen + 12

// Rate returns the slowest rate on the way of a host's traffic; zero is unlimited.
func (j *Job) Rate() units.Rate {
	var slowest units.Rate
	for _, sw := range j.Plan.Switches {
		for _, p := range sw.Ports {
			for _, r := range []units.Rate{p.In.Rate, p.Out.Rate} {
				if p.Wired && r > 0 && (slowest == 0 || r < slowest) {
					slowest = r
				}
			}
		}
	}
	return slowest
}

// FrameTime returns the time that n frames of size bytes (headers included,
// framing not) occupy a host's line.
func (j *Job) FrameTime(n int, size int) units.Duration {
	return j.Rate().TimeToSend(units.Bytes(n) * (units.Bytes(size) + units.EthernetFraming))
}

// ringTime is the analytic time of ring all-reduce at link rate: 2(n-1)/n of
// the tensor crosses each link (Patarasuk and Yuan 2009), in full TCP segments.
func (j *Job) ringTime() units.Duration {
	n := len(j.Hosts())
	bytes := 2 * (n - 1) * 4 * j.Params / n
	segment := j.Plan.MTU - (TCPHeaders - inet.EtherLen)
	full, rest := bytes/segment, bytes%segment
	return j.FrameTime(full, segment+TCPHeaders) + j.FrameTime(1, rest+TCPHeaders)
}

// Latency is what a frame's way to a host's switch and back takes beside its
// serialisation on the hosts' links: their delays, and with two levels the
// fabric up and down.
func (j *Job) Latency(size int) units.Duration {
	h := &j.Members()[0]
	sw, _ := j.Plan.Switch(h.Switch)
	up := sw.Ports[h.SwitchPort]
	d := up.In.Delay + up.Out.Delay
	if sw.Chassis != nil && len(j.Leaves(sw, len(sw.Chassis.PFEs))) > 1 {
		f := sw.Chassis.Fabric
		d += 2 * (f.Delay + f.Rate.TimeToSend(units.Bytes(size)+units.EthernetFraming))
	}
	return d
}

// Climb is what a frame's way between the switches of a tree takes, up to its root or down from
// it, on the longest one.
func (j *Job) Climb(tree []plan.TreeHop, size int) (longest units.Duration) {
	frame := units.Bytes(size) + units.EthernetFraming
	at := make([]units.Duration, len(j.Plan.Switches)) // of the way so far, root first
	for _, h := range tree {
		if h.In == plan.None {
			continue
		}
		sw, _ := j.Plan.Switch(h.Switch)
		port := &sw.Ports[h.In]
		at[sw.Index] = at[port.PeerSwitch] + port.In.Delay + port.Out.Delay + port.In.Rate.TimeToSend(frame) + port.Out.Rate.TimeToSend(frame)
		longest = max(longest, at[sw.Index])
	}
	return longest
}

// Leaves returns the PFEs that have workers.
func (j *Job) Leaves(sw *plan.Switch, pfes int) (out []int) {
	for i := range pfes {
		if len(j.HostsOn(sw, i)) > 0 {
			out = append(out, i)
		}
	}
	return out
}

// HostsOn returns the hosts on a PFE (any PFE of a switch without chassis), by
// their place among those of the job: that of their workers.
func (j *Job) HostsOn(sw *plan.Switch, pfe int) (out []int) {
	for i, h := range j.Members() {
		if p := sw.Ports[h.SwitchPort]; sw.Chassis == nil || p.PFE == pfe {
			out = append(out, i)
		}
	}
	return out
}

// Ideal returns the iteration time of a network without stragglers: the nominal
// compute and the analytic ring time at link rate.
func (j *Job) Ideal() units.Duration { return j.Model.Compute + j.ringTime() }

// Expect returns the mean iteration time that the schedule allows, and whether
// it is an upper bound. Systems that wait for everybody pay every delay; with
// others the workers wait for a straggler as long as their patience lasts.
func (j *Job) Expect() (mean units.Duration, bound bool) {
	if j.Layout.Patience > 0 {
		return j.expectImpatient(), true
	}
	var paid units.Duration
	for i := range j.Iterations {
		paid += j.Schedule.Paid(i)
	}
	return j.Model.Compute + j.Layout.Time + paid/units.Duration(j.Iterations), false
}

// expectImpatient follows each worker through the run. An iteration ends for all
// when the last worker is ready to reduce, or when patience for it ends after the
// first is, whichever comes first. Who sleeps at that moment starts the next
// iteration when it wakes up; the others start at once.
func (j *Job) expectImpatient() units.Duration {
	compute := j.slowestCompute()
	start := make([]units.Time, len(j.Hosts()))
	var end units.Time
	for i := range j.Iterations {
		first, last := units.Never, units.Time(0)
		for w := range start {
			ready := start[w].Add(j.Schedule.Sum(w, i) + compute)
			first, last = min(first, ready), max(last, ready)
		}
		end = min(last, first.Add(j.Layout.Patience)).Add(j.Layout.Time)
		for w := range start {
			start[w] = j.awake(w, i, start[w], end)
		}
	}
	return units.Duration(end) / units.Duration(j.Iterations)
}

// slowestCompute returns the compute time of the workers while those that have an
// outage are all out of service and the others have their share.
func (j *Job) slowestCompute() units.Duration {
	out := map[int]bool{}
	for _, o := range j.Outages {
		out[o.Worker] = true
	}
	if n := len(j.Hosts()); j.Layout.Reshard && len(out) < n {
		return j.Model.Compute * units.Duration(n) / units.Duration(n-len(out))
	}
	return j.Model.Compute
}

// awake returns when worker w, which began iteration i at start, can begin the
// next if the iteration ends at end: then, or when the delay that it is in ends.
func (j *Job) awake(w, i int, start, end units.Time) units.Time {
	at := start
	for p := range j.Schedule.Points {
		wake := at.Add(j.Schedule.At(w, i, p))
		if at <= end && end < wake {
			return wake
		}
		at = wake.Add(j.Model.Compute / units.Duration(j.Schedule.Points))
	}
	return end
}

// MeanCompute returns the mean over workers of their mean computes. One that never computed,
// as a worker that ended before it was given a model, has 0 and does not count.
func MeanCompute(list []units.Duration) units.Duration {
	var sum units.Duration
	n := 0
	for _, c := range list {
		if sum += c; c > 0 {
			n++
		}
	}
	return sum / units.Duration(max(1, n))
}
