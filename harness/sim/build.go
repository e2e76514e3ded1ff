package sim

import (
	"fmt"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/host"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo/plan"
)

// newRun makes the machines. The run is valid beside an error as far as its cells
// go.
func newRun(s *job.Set, images worker.Images, o Observer) (*run, error) {
	r := &run{set: s, net: &Network{}, owner: map[NodeID]*tenant{}, ids: map[string]NodeID{}, log: o.logFor(s)}
	var sinks []trace.Sink
	cells := s.Cells()
	for i, j := range s.Jobs {
		shape, who, sink := check.ForJob(j)
		r.tenants = append(r.tenants, &tenant{job: j, cell: cells[i], sums: check.NewStream(shape, who)})
		if sink != nil {
			sinks = append(sinks, sink)
		}
	}
	for _, cfg := range s.Switches(0) {
		c, err := s.NewSwitch(cfg, r.sink(sinks...))
		if err != nil {
			return r, err
		}
		r.ids[cfg.Switch.Name] = r.net.AddNode(cfg.Switch.Name, c)
		r.switches = append(r.switches, c)
		r.counted = append(r.counted, counted{cfg.Switch.Name, c.Counters})
	}
	if err := r.addFlows(s); err != nil {
		return r, err
	}
	for _, t := range r.tenants {
		if err := r.addHosts(t, images); err != nil {
			return r, err
		}
	}
	if err := r.addOthers(s); err != nil {
		return r, err
	}
	return r, r.connect(s.Plan())
}

// addHosts makes the hosts of a job. A host with a worker, servers and ends of flows holds
// several machines.
func (r *run) addHosts(t *tenant, images worker.Images) error {
	beside := map[string][]host.Member{} // by host; looked up
	for _, cfg := range t.job.ServerConfigs() {
		s, err := t.job.NewServer(cfg)
		if err != nil {
			return err
		}
		if cfg.Name == cfg.Host.Name {
			if err := r.place(t, cfg.Name, host.Member{Machine: s}); err != nil {
				return err
			}
		} else {
			beside[cfg.Host.Name] = append(beside[cfg.Host.Name], host.Member{Port: cfg.UDP, Machine: s})
		}
		t.count(cfg.Name, s.Counters)
	}
	for i, cfg := range t.job.Workers() {
		w, err := t.job.NewWorker(cfg, images, t.sums.Recorder(i), r.sink(t.job.Trace))
		if err != nil {
			return err
		}
		t.workers, r.workers = append(t.workers, w), append(r.workers, w)
		t.count(cfg.Loop.Node, w.Counters)
		own := host.Member{Machine: w}
		others := beside[cfg.Loop.Node]
		if others != nil {
			own.Port = t.job.Layout.Port
		}
		if err := r.place(t, cfg.Loop.Node, append(others, own)...); err != nil {
			return err
		}
		if l, ok := w.Job.(*worker.Loop); ok && !r.shared {
			r.net.nodes[r.ids[cfg.Loop.Node]].own = l.OwnDeadline
		}
	}
	return nil
}

// place adds a host with its machines and the ends of flows there; of one without a job
// t is nil. Rounds of a run in which hosts have several machines are not charged: their
// patterns are those of workers.
func (r *run) place(t *tenant, name string, members ...host.Member) error {
	members = append(members, r.beside[name]...)
	delete(r.beside, name)
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

func (r *run) addHost(t *tenant, name string, m sansio.Machine) NodeID {
	id := r.net.AddNode(name, m)
	r.ids[name], r.owner[id] = id, t
	return id
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
			peer := sansio.Port(0)
			if port.PeerSwitch != plan.None {
				peer = sansio.Port(port.PeerPort)
			}
			if err := r.net.Connect(r.ids[sw.Name], sansio.Port(port.Index), to, peer); err != nil {
				return err
			}
		}
	}
	return nil
}
