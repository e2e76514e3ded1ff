package job

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wiresml "github.com/inalab/inalab/internal/wire/switchml"
	wiretrio "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// tcpHeaders is Ethernet, IPv4 and TCP with the timestamp option (RFC 7323).
const tcpHeaders = inet.EtherLen + inet.IPv4Len + inet.TCPLen + 12

func trioPacket(grads int) int {
	return inet.IPv4Len + inet.UDPLen + wiretrio.HeaderLen + 4*grads
}

func switchmlPacket(elements int) int {
	return inet.IPv4Len + inet.UDPLen + wiresml.HeaderLen + 4*elements
}

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

// frames returns the time that n frames of size bytes (headers included,
// framing not) occupy a line.
func (j *Job) frames(n int, size int) units.Duration {
	return j.Rate().TimeToSend(units.Bytes(n) * (units.Bytes(size) + units.EthernetFraming))
}

// ringTime is the analytic time of ring all-reduce at link rate: 2(n-1)/n of
// the tensor crosses each link (Patarasuk and Yuan 2009), in full TCP segments.
func (j *Job) ringTime() units.Duration {
	n := len(j.Plan.Hosts)
	bytes := 2 * (n - 1) * 4 * j.Params / n
	segment := j.Plan.MTU - (tcpHeaders - inet.EtherLen)
	full, rest := bytes/segment, bytes%segment
	return j.frames(full, segment+tcpHeaders) + j.frames(1, rest+tcpHeaders)
}

// trioTime is one crossing of every block, up and, behind it, of the last down.
func (j *Job) trioTime() units.Duration {
	grads := or(j.Trio.Grads, trioml.DefaultGrads)
	size := inet.EtherLen + trioPacket(grads)
	return j.frames(j.trioBlocks()+1, size) + j.latency(size)
}

// latency is what a block's way takes beside its serialisation on the host's
// links: their delays, and with two levels the fabric up and down.
func (j *Job) latency(size int) units.Duration {
	sw := &j.Plan.Switches[0]
	up := sw.Ports[j.Plan.Hosts[0].SwitchPort]
	d := up.In.Delay + up.Out.Delay
	if sw.Chassis != nil && len(j.leaves(sw, len(sw.Chassis.PFEs))) > 1 {
		f := sw.Chassis.Fabric
		d += 2 * (f.Delay + f.Rate.TimeToSend(units.Bytes(size)+units.EthernetFraming))
	}
	return d
}

func (j *Job) trioBlocks() int {
	grads := or(j.Trio.Grads, trioml.DefaultGrads)
	return (j.Params + grads - 1) / grads
}

// switchmlTime is one crossing of every packet: the blocks, and one packet with
// exponents only for each slot.
func (j *Job) switchmlTime() units.Duration {
	k := j.elements()
	blocks := (j.Params + k - 1) / k
	size := inet.EtherLen + switchmlPacket(k)
	return j.frames(blocks+min(j.slots(), blocks)+1, size) + j.latency(size)
}

// Ideal returns the iteration time of a network without stragglers: the nominal
// compute and the analytic ring time at link rate.
func (j *Job) Ideal() units.Duration { return j.Model.Compute + j.ringTime() }

// Expect returns the mean iteration time that the schedule allows, and whether
// it is an upper bound. Systems that wait for everybody pay every delay. With
// Trio-ML the others wait for a straggler at most two timeouts for each refill
// of the window (§5: a record ages T to 2T after its last packet).
func (j *Job) Expect() (mean units.Duration, bound bool) {
	if j.System == TrioML && !j.Trio.NoAging {
		return j.expectTrio(), true
	}
	comm := j.ringTime()
	switch j.System {
	case TrioML:
		comm = j.trioTime()
	case SwitchML64, SwitchML256:
		comm = j.switchmlTime()
	}
	var paid units.Duration
	for i := range j.Iterations {
		paid += j.Schedule.Paid(i)
	}
	return j.Model.Compute + comm + paid/units.Duration(j.Iterations), false
}

// expectTrio follows each worker through the run. An iteration ends for all when
// the last worker is ready to reduce, or two timeouts a refill after the first
// is, whichever comes first. Who sleeps at that moment starts the next iteration
// when it wakes up; the others start at once.
func (j *Job) expectTrio() units.Duration {
	refills := (j.trioBlocks() + j.window() - 1) / j.window()
	patience := 2 * or(j.Trio.Timeout, program.DefaultTimeout) * units.Duration(refills)
	comm := j.trioTime()
	start := make([]units.Time, len(j.Plan.Hosts))
	var end units.Time
	for i := range j.Iterations {
		first, last := units.Never, units.Time(0)
		for w := range start {
			ready := start[w].Add(j.Schedule.Sum(w, i) + j.Model.Compute)
			first, last = min(first, ready), max(last, ready)
		}
		end = min(last, first.Add(patience)).Add(comm)
		for w := range start {
			start[w] = j.awake(w, i, start[w], end)
		}
	}
	return units.Duration(end) / units.Duration(j.Iterations)
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
