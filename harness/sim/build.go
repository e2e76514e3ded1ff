package sim

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/host"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/topo/plan"
)

// newRun makes the machines. The run is valid beside an error as far as its cells
// go.
func newRun(s *job.Set, images worker.Images, o Observer) (*run, error) {
	images.Origin = new(worker.Origin)
	r := &run{set: s, interval: s.Interval(), net: &Network{}, owner: map[NodeID]*tenant{}, ids: map[string]NodeID{}, log: o.logFor(s)}
	var sinks []trace.Sink
	cells := s.Cells()
	for i, j := range s.Jobs {
		shape, who, sink := check.ForJob(j)
		n := len(j.Hosts())
		r.tenants = append(r.tenants, &tenant{job: j, cell: cells[i], sums: check.NewStream(shape, who), gone: make([]bool, n), at: make([]string, n)})
		if sink != nil {
			sinks = append(sinks, sink)
		}
	}
	if err := r.direct(s, images); err != nil {
		return r, err
	}
	if o.Tap != nil {
		sinks = append(sinks, o.Tap)
	}
	for _, cfg := range s.Switches(0) {
		make := func() (*chassis.Chassis, error) { return s.NewSwitch(cfg, r.sink(sinks...)) }
		if err := r.addSwitch(cfg.Switch.Name, make); err != nil {
			return r, err
		}
	}
	if err := r.addFlows(s); err != nil {
		return r, err
	}
	r.addCollectors(s)
	for _, t := range r.tenants {
		if err := r.addHosts(t, images); err != nil {
			return r, err
		}
	}
	if err := errors.Join(r.addSpares(), r.addOthers(s)); err != nil {
		return r, err
	}
	if o.Tap != nil {
		r.tapped = true
		r.net.onWire = r.wires(s.Plan(), o.Tap)
	}
	return r, r.connect(s.Plan())
}

// addHosts makes the hosts of a job. A host with a worker, servers and ends of flows holds
// several machines.
func (r *run) addHosts(t *tenant, images worker.Images) error {
	beside := map[string][]host.Member{} // by host; looked up
	for _, cfg := range t.job.ServerConfigs() {
		cfg.Interval = r.interval
		s, err := t.job.NewServer(cfg, r.sink(t.job.Trace))
		if err != nil {
			return err
		}
		t.adding, t.servers = append(t.adding, s.Adding), append(t.servers, server{cfg.Name, s.Server})
		m := host.Member{Machine: r.process(cfg.Name, s)}
		if cfg.Name == cfg.Host.Name {
			if err := r.place(t, cfg.Name, m); err != nil {
				return err
			}
		} else {
			m.Port = cfg.UDP
			beside[cfg.Host.Name] = append(beside[cfg.Host.Name], m)
		}
		t.count(cfg.Name, s.Counters)
	}
	for i, cfg := range t.job.Workers() {
		w, err := r.newWorker(t, cfg, images)
		if err != nil {
			return err
		}
		node := cfg.Loop.Node
		t.workers, t.at[i] = append(t.workers, w), node
		own := host.Member{Machine: r.process(node, w)}
		others := beside[node]
		if others != nil {
			own.Port, own.Protocol = t.job.Layout.Port, t.job.Layout.Protocol
		}
		if err := r.place(t, node, append(others, own)...); err != nil {
			return err
		}
		if l, ok := w.Job.(*worker.Loop); ok && !r.shared && r.director == nil {
			r.net.nodes[r.ids[node]].own = l.OwnDeadline
		}
	}
	return nil
}

// newWorker makes a worker of a job.
func (r *run) newWorker(t *tenant, cfg worker.Config, images worker.Images) (*worker.Worker, error) {
	cfg.Interval = r.interval
	w, err := t.job.NewWorker(cfg, images, t.sums.Recorder(cfg.Loop.Worker), r.sink(t.job.Trace))
	if err == nil {
		t.count(cfg.Loop.Node, w.Counters)
		t.meters = append(t.meters, w.Meter)
		t.adding = append(t.adding, w.Adding)
	}
	return w, err
}

// place adds a host with its machines and the ends of flows there; of one without a job
// t is nil. Rounds of a run in which hosts have several machines are not charged: their
// patterns are those of workers.
func (r *run) place(t *tenant, name string, members ...host.Member) error {
	members = append(members, r.beside[name]...)
	delete(r.beside, name)
	defer r.settle(name, members)
	if len(members) == 1 && members[0].Port == 0 {
		r.addHost(t, name, members[0].Machine)
		return nil
	}
	h, err := host.New(members...)
	if err != nil {
		return fmt.Errorf("host %s: %w", name, err)
	}
	r.addHost(t, name, h)
	r.shared = true
	interfaces := counted{name + "-interface", h.Counters}
	if t == nil {
		r.counted = append(r.counted, interfaces)
	} else {
		t.counted = append(t.counted, interfaces)
	}
	return nil
}

func (r *run) addHost(t *tenant, name string, m sansio.Machine) {
	id := r.net.AddNode(name, m)
	r.ids[name], r.owner[id] = id, t
}

// count adds a node's counters to those of the job.
func (t *tenant) count(name string, counters func() []sansio.Count) {
	t.counted = append(t.counted, counted{name, counters})
}

// connect joins the switches with one another and with the hosts that have a
// machine.
func (r *run) connect(p *plan.Plan) error {
	for _, sw := range p.Switches {
		for _, port := range sw.Ports {
			if !port.Wired || port.PeerSwitch != plan.None && port.PeerSwitch < sw.Index {
				continue // unwired, or connected from the other end
			}
			to, there := r.ids[port.Peer.Node]
			if !there {
				continue // no job has this host
			}
			if err := r.net.Connect(r.ids[sw.Name], sansio.Port(port.Index), to, peerPort(port)); err != nil {
				return err
			}
		}
	}
	return nil
}
