package job

import (
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo/plan"
)

// TCPHeaders is Ethernet, IPv4 and TCP with the timestamp option (RFC 7323).
const TCPHeaders = inet.EtherLen + inet.IPv4Len + inet.TCPLen + 12

// Rate returns the slowest rate on the way of the job's traffic; zero is unlimited.
func (j *Job) Rate() units.Rate { return j.slowestOf(slices.Concat(j.Members(), j.spares)) }

// RateOf returns the slowest rate on the way between a host and any faster one; zero is unlimited.
func (j *Job) RateOf(h *plan.Host) units.Rate { return j.slowestOf([]plan.Host{*h}) }

// slowestOf returns the slowest rate of the links of hosts, either way, and of all links between
// switches.
func (j *Job) slowestOf(hosts []plan.Host) (slowest units.Rate) {
	on := make([]bool, len(j.Plan.Hosts))
	for _, h := range hosts {
		on[h.Index] = true
	}
	for _, sw := range j.Plan.Switches {
		for _, p := range sw.Ports {
			if !p.Wired || p.PeerHost != plan.None && !on[p.PeerHost] {
				continue
			}
			for _, r := range []units.Rate{p.In.Rate, p.Out.Rate} {
				if r > 0 && (slowest == 0 || r < slowest) {
					slowest = r
				}
			}
		}
	}
	return slowest
}

// FrameTime returns the time that n frames of size bytes (headers included,
// framing not) occupy the slowest line of the job.
func (j *Job) FrameTime(n int, size int) units.Duration { return FrameTimeAt(j.Rate(), n, size) }

// FrameTimeAt is [Job.FrameTime] on a line of a given rate.
func FrameTimeAt(rate units.Rate, n int, size int) units.Duration {
	return rate.TimeToSend(units.Bytes(n) * (units.Bytes(size) + units.EthernetFraming))
}

// ringTime is the analytic time of ring all-reduce at link rate: 2(n-1)/n of
// the tensor crosses each link (Patarasuk and Yuan 2009), in full TCP segments. The slowest link
// of a worker holds up all.
func (j *Job) ringTime() units.Duration {
	n, rate := len(j.Hosts()), j.slowestOf(j.Hosts())
	bytes := 2 * (n - 1) * 4 * j.Params / n
	segment := j.Plan.MTU - (TCPHeaders - inet.EtherLen)
	full, rest := bytes/segment, bytes%segment
	return FrameTimeAt(rate, full, segment+TCPHeaders) + FrameTimeAt(rate, 1, rest+TCPHeaders)
}

// Latency is what a frame's way to a host's switch and back takes beside its
// serialisation on the hosts' links: the longest of their delays, and with two levels the
// fabric up and down.
func (j *Job) Latency(size int) units.Duration {
	var in, out units.Duration
	for _, h := range j.Members() {
		sw, _ := j.Plan.Switch(h.Switch)
		in, out = max(in, sw.Ports[h.SwitchPort].In.Delay), max(out, sw.Ports[h.SwitchPort].Out.Delay)
	}
	sw, _ := j.Plan.Switch(j.Members()[0].Switch)
	d := in + out
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
		if h.Switch == sw.Name && (sw.Chassis == nil || sw.Ports[h.SwitchPort].PFE == pfe) {
			out = append(out, i)
		}
	}
	return out
}

// Ideal returns the iteration time of a network without stragglers: the longest nominal
// compute of a worker and the analytic ring time at link rate.
func (j *Job) Ideal() units.Duration { return j.SlowestCompute() + j.ringTime() }

// Expect returns the mean iteration time that the schedule allows, and whether
// it is an upper bound. Systems that wait for everybody pay every delay; with
// others the workers wait for a straggler as long as their patience lasts. Where workers
// compute for unequal times, it is a bound: what the faster ones send meanwhile is saved.
func (j *Job) Expect() (mean units.Duration, bound bool) {
	if j.Layout.Patience > 0 {
		return j.expectImpatient(), true
	}
	var paid units.Duration
	for i := range j.Iterations {
		paid += j.Schedule.Paid(i)
	}
	return j.SlowestCompute() + j.Layout.Time + paid/units.Duration(j.Iterations), j.unequal()
}

// expectImpatient follows each worker through the run. An iteration ends for all
// when the last worker is ready to reduce, or when patience for it ends after the
// first is, whichever comes first. Who sleeps at that moment starts the next
// iteration when it wakes up; the others start at once.
func (j *Job) expectImpatient() units.Duration {
	compute := j.stretchedComputes()
	start := make([]units.Time, len(j.Hosts()))
	var end units.Time
	for i := range j.Iterations {
		first, last := units.Never, units.Time(0)
		for w := range start {
			ready := start[w].Add(j.Schedule.Sum(w, i) + compute[w])
			first, last = min(first, ready), max(last, ready)
		}
		end = min(last, first.Add(j.Layout.Patience)).Add(j.Layout.Time)
		for w := range start {
			start[w] = j.awake(w, i, start[w], end)
		}
	}
	return units.Duration(end) / units.Duration(j.Iterations)
}

// stretchedComputes returns the compute times of the workers while those that have an
// outage are all out of service and the others have their share.
func (j *Job) stretchedComputes() []units.Duration {
	out := map[int]bool{}
	for _, o := range j.Outages {
		out[o.Worker] = true
	}
	list := j.Computes()
	if n := len(list); j.Layout.Reshard && len(out) < n {
		for w := range list {
			list[w] = list[w] * units.Duration(n) / units.Duration(n-len(out))
		}
	}
	return list
}

// awake returns when worker w, which began iteration i at start, can begin the
// next if the iteration ends at end: then, or when the delay that it is in ends.
func (j *Job) awake(w, i int, start, end units.Time) units.Time {
	at, compute := start, j.ComputeOn(&j.Hosts()[w])
	for p := range j.Schedule.Points {
		wake := at.Add(j.Schedule.At(w, i, p))
		if at <= end && end < wake {
			return wake
		}
		at = wake.Add(compute / units.Duration(j.Schedule.Points))
	}
	return end
}
