package job

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wiresml "github.com/inalab/inalab/internal/wire/switchml"
	wiretrio "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/ring"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo/plan"
)

// jobID is the id of the one job of a run.
const jobID = 1

// switchmlSource is the UDP port of SwitchML workers, from the dynamic range
// (RFC 6335); the public client lets its user choose it.
const switchmlSource uint16 = 49200

// pfeSource is the src_id of PFE 0 at the top level; workers have their index.
const pfeSource = 200

// Workers returns the configuration of every worker, in the order of hosts.
func (j *Job) Workers() []worker.Config {
	out := make([]worker.Config, len(j.Plan.Hosts))
	for i := range out {
		h := &j.Plan.Hosts[i]
		out[i] = worker.Config{
			Loop: worker.LoopConfig{
				Node: h.Name, System: j.System, StraggleP: j.StraggleP, Worker: i, Iterations: j.Iterations,
				Compute: j.Model.Compute, Points: j.Schedule.Points, Delays: j.Schedule.Worker(i), Evaluate: i == 0,
			},
			Model:   worker.ModelConfig{Hidden: j.Hidden, MiniBatch: j.MiniBatch, Seed: j.Seed},
			Workers: len(out),
		}
		if j.Elements > 0 {
			out[i].Bench = &worker.BenchConfig{Elements: j.Elements, Iterations: j.Iterations}
		}
		j.core(&out[i], h)
	}
	return out
}

func (j *Job) core(w *worker.Config, h *plan.Host) {
	switch j.System {
	case TrioML:
		w.TrioML = &trioml.Config{
			Node: h.Name, Job: jobID, Source: uint8(h.Index), Tensor: j.Params, Grads: j.Trio.Grads, Window: j.window(),
			Flow: j.toSwitch(h, wiretrio.Port, wiretrio.Port), Results: j.trioResults(), Wake: j.Trio.Wake,
		}
	case SwitchML64, SwitchML256:
		w.SwitchML = &switchml.Config{
			Node: h.Name, Workers: len(j.Plan.Hosts), Tensor: j.Params, Elements: j.elements(), Slots: j.slots(), Job: jobID,
			Flow: j.toSwitch(h, switchmlSource, wiresml.Port), Timeout: j.retransmitTimeout(), NoRetransmit: !j.SwitchML.Retransmit, Integers: j.Elements > 0,
		}
	case Ring:
		w.Ring = &ring.Config{Node: h.Name, Rank: h.Index, Workers: len(j.Plan.Hosts), Tensor: j.Params}
		if j.Virtual {
			w.Stream = &stream.Config{Node: h.Name, Next: j.toHost(h, h.Index+1), Prev: j.toHost(h, h.Index-1), MTU: j.Plan.MTU}
		}
	}
}

// toSwitch is the flow from a host to the aggregating switch.
func (j *Job) toSwitch(h *plan.Host, src, dst uint16) inet.Flow {
	return inet.Flow{SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(h.GatewayMAC), Src: h.Addr.Addr(), Dst: j.Plan.Switches[0].Router, SrcPort: src, DstPort: dst}
}

// toHost is the flow from a host to the i'th host, counted round the ring: to
// its MAC on the same subnet, else by way of the gateway.
func (j *Job) toHost(h *plan.Host, i int) inet.Flow {
	n := len(j.Plan.Hosts)
	peer := &j.Plan.Hosts[(i+n)%n]
	mac := h.GatewayMAC
	if peer.Switch == h.Switch {
		mac = peer.MAC
	}
	return inet.Flow{SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(mac), Src: h.Addr.Addr(), Dst: peer.Addr.Addr(), SrcPort: stream.Port, DstPort: stream.Port}
}

// Group returns the multicast group of the job's results.
func (j *Job) Group() (inet.Flow, bool) { return j.trioResults(), j.System == TrioML }

func (j *Job) trioResults() inet.Flow {
	sw, group := &j.Plan.Switches[0], plan.Group(jobID)
	return inet.Flow{SrcMAC: inet.MAC(sw.MAC), DstMAC: inet.MulticastMAC(group), Src: sw.Router, Dst: group, SrcPort: wiretrio.Port, DstPort: wiretrio.Port}
}

// WindowPackets returns how many packets of a worker may be on their way; 0
// where a byte stream decides that.
func (j *Job) WindowPackets() int {
	switch j.System {
	case TrioML:
		return j.window()
	case SwitchML64, SwitchML256:
		return j.slots()
	}
	return 0
}

func (j *Job) window() int {
	return max(1, (or(j.Trio.Window, trioml.DefaultWindow)+j.Scale-1)/j.Scale)
}

func (j *Job) slots() int {
	full := or(j.SwitchML.Slots, DefaultSlots)
	if j.SwitchML.Unscaled {
		return full
	}
	return min(full, max(MinWindow, (full+j.Scale-1)/j.Scale))
}

func (j *Job) elements() int {
	if j.System == SwitchML64 {
		return 64
	}
	return 256
}

// Retransmission timeouts by default: the public client's live, the paper's
// (§6.3) in virtual time.
const (
	liveTimeout    = 10 * units.Millisecond
	virtualTimeout = 1 * units.Millisecond
)

func (j *Job) retransmitTimeout() units.Duration {
	def := liveTimeout
	if j.Virtual {
		def = virtualTimeout
	}
	return or(j.SwitchML.Timeout, def)
}

// WorkerPort returns the UDP port that workers send from and take results at.
func (j *Job) WorkerPort() uint16 {
	if j.System == TrioML {
		return wiretrio.Port
	}
	return switchmlSource
}
