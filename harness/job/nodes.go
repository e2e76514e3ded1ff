package job

import (
	"encoding/json"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/topo/plan"
)

// Workers returns the configuration of every worker, in the order of hosts.
func (j *Job) Workers() []worker.Config {
	hosts := j.Hosts()
	out := make([]worker.Config, len(hosts))
	for i := range out {
		h := &hosts[i]
		out[i] = worker.Config{
			Loop: worker.LoopConfig{
				Node: h.Name, System: j.System.Name(), StraggleP: j.StraggleP, Job: j.Name, Worker: i, Iterations: j.Iterations,
				Compute: j.ComputeOn(h), Points: j.Schedule.Points, Delays: j.Schedule.Worker(i), Evaluate: i == 0,
				Times: j.Times,
			},
			Model:   worker.ModelConfig{Hidden: j.Hidden, MiniBatch: j.MiniBatch, Seed: j.Seed},
			Workers: len(out),
			Core:    j.cores[i],
		}
		if j.Layout.Reshard {
			out[i].Loop.Reshard = len(out)
		}
		if j.Replay {
			out[i].Model = worker.ModelConfig{Replay: &worker.ReplayConfig{Elements: j.Held()}}
			out[i].Loop.Evaluate = false
		}
		if j.Elements > 0 {
			out[i].Bench = &worker.BenchConfig{Elements: j.Elements, Iterations: j.Iterations, First: maxWorkers * (int(j.ID) - DefaultID), Small: j.Layout.Saturates}
		}
		if j.Layout.Peers != nil && j.Virtual {
			out[i].Stream = j.streams(h)
		}
	}
	return out
}

// Switches is [Set.Switches] of a job that has the lab for itself.
func (j *Job) Switches(quantum units.Duration) []chassis.Config { return Alone(j).Switches(quantum) }

// NewWorker makes the machine of one of [Job.Workers] in this process.
func (j *Job) NewWorker(cfg worker.Config, images worker.Images, rec gradient.Recorder, sink trace.Sink) (*worker.Worker, error) {
	if j.Record != nil {
		rec = gradient.Recorders{rec, j.Record(cfg.Loop.Worker)}
	}
	w, err := worker.Build(cfg, worker.Parts{NewCore: j.System.NewCore, Images: images, Recorder: rec, Trace: sink})
	if err != nil {
		return nil, err
	}
	w.Machine, err = j.onHost(cfg.Loop.Node, w.Machine)
	return w, err
}

// onHost puts a machine behind the cost of its host.
func (j *Job) onHost(node string, m sansio.Machine) (sansio.Machine, error) {
	return behind(j.Host, node, m)
}

// behind puts a machine behind what a host costs.
func behind(h hostmodel.Model, node string, m sansio.Machine) (sansio.Machine, error) {
	if h == (hostmodel.Model{}) {
		return m, nil
	}
	return hostmodel.New(h, node, m)
}

// NewSwitch makes the machine of one of [Job.Switches] in this process. Its clock reads zero at
// the epoch.
func (j *Job) NewSwitch(cfg chassis.Config, sink trace.Sink) (*chassis.Chassis, error) {
	return Alone(j).NewSwitch(cfg, sink)
}

// encode writes the configurations of the layout as they cross to processes.
func (j *Job) encode() (err error) {
	if j.cores, err = encode(j.Layout.Cores); err != nil {
		return err
	}
	if j.servers, err = encode(j.Layout.Dedicated); err != nil {
		return err
	}
	if j.beside, err = encode(j.Layout.Beside); err != nil {
		return err
	}
	j.programs = make([][]json.RawMessage, len(j.Plan.Switches))
	for i, programs := range j.Layout.Programs {
		if j.programs[i], err = encode(programs); err != nil {
			return err
		}
	}
	return nil
}

// ToSwitch is the flow from a host to its switch.
func (j *Job) ToSwitch(h *plan.Host, src, dst uint16) inet.Flow {
	return inet.Flow{SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(h.GatewayMAC), Src: h.Addr.Addr(), Dst: h.Gateway, SrcPort: src, DstPort: dst}
}

// ToGroup is the flow from the switch of the first worker to all workers, who take it at
// the UDP port that it is sent from.
func (j *Job) ToGroup(port uint16) inet.Flow {
	sw, _ := j.Plan.Switch(j.Members()[0].Switch)
	return ToGroup(sw, j.ID, port)
}

// ToGroup is [Job.ToGroup] of any job on a switch.
func ToGroup(sw *plan.Switch, id uint8, port uint16) inet.Flow {
	group := plan.Group(uint16(id))
	return inet.Flow{SrcMAC: inet.MAC(sw.MAC), DstMAC: inet.MulticastMAC(group), Src: sw.Router, Dst: group, SrcPort: port, DstPort: port}
}

// HostPorts returns the switch's ports that lead to the workers, in the order of
// hosts. Those of spare hosts are among them; the order is that of ports then.
func (j *Job) HostPorts() (out []sansio.Port) {
	for _, h := range slices.Concat(j.Members(), j.spares) {
		out = append(out, sansio.Port(h.SwitchPort))
	}
	if len(j.spares) > 0 {
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out
}

// streams returns the byte streams of a host under the virtual clock.
func (j *Job) streams(h *plan.Host) *stream.Config {
	c := &stream.Config{Node: h.Name, MTU: j.Plan.MTU, Transport: j.Layout.Transport, Rate: j.RateOf(h)}
	for _, p := range j.Layout.Peers[h.Index] {
		c.Connections = append(c.Connections, p.Connect(j.toHost(h, &j.Plan.Hosts[p.Host])))
	}
	return c
}

// ToHost is the UDP flow from a host to another one.
func (j *Job) ToHost(h, peer *plan.Host, src, dst uint16) inet.Flow {
	f := j.toHost(h, peer)
	f.SrcPort, f.DstPort = src, dst
	return f
}

// FromHost is the flow from a host to a multicast group, to the port that it is sent from.
func FromHost(h *plan.Host, group netip.Addr, port uint16) inet.Flow {
	return inet.Flow{SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MulticastMAC(group), Src: h.Addr.Addr(), Dst: group, SrcPort: port, DstPort: port}
}

// toHost is the flow from a host to another: to its MAC on the same subnet, else
// by way of the gateway, as is the flow of a host to itself.
func (j *Job) toHost(h, peer *plan.Host) inet.Flow {
	mac := h.GatewayMAC
	if peer.Switch == h.Switch && peer.Index != h.Index {
		mac = peer.MAC
	}
	return inet.Flow{SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(mac), Src: h.Addr.Addr(), Dst: peer.Addr.Addr()}
}
