package sim

import (
	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo/plan"
)

// newRun makes the machines. The run is valid beside an error as far as its cells
// go.
func newRun(s *job.Set, images worker.Images, o Observer) (*run, error) {
	r := &run{net: &Network{}, owner: map[NodeID]*tenant{}, ids: map[string]NodeID{}, log: o.logFor(s)}
	var sinks []trace.Sink
	for _, j := range s.Jobs {
		shape, who, sink := check.ForJob(j)
		r.tenants = append(r.tenants, &tenant{job: j, cell: j.Cell(), sums: check.NewStream(shape, who)})
		if sink != nil {
			sinks = append(sinks, sink)
		}
	}
	for _, cfg := range s.Switches(0) {
		c, err := s.Jobs[0].NewSwitch(cfg, r.sink(sinks...))
		if err != nil {
			return r, err
		}
		r.ids[cfg.Switch.Name] = r.net.AddNode(cfg.Switch.Name, c)
		r.switches = append(r.switches, c)
		r.counted = append(r.counted, counted{cfg.Switch.Name, c.Counters})
	}
	for _, t := range r.tenants {
		if err := r.addHosts(t, images); err != nil {
			return r, err
		}
	}
	return r, r.connect(s.Plan())
}

// addHosts makes the hosts of a job.
func (r *run) addHosts(t *tenant, images worker.Images) error {
	for _, cfg := range t.job.ServerConfigs() {
		s, err := t.job.NewServer(cfg)
		if err != nil {
			return err
		}
		r.addHost(t, cfg.Node, s, s.Server.Counters)
	}
	for i, cfg := range t.job.Workers() {
		w, err := t.job.NewWorker(cfg, images, t.sums.Recorder(i), r.sink(t.job.Trace))
		if err != nil {
			return err
		}
		t.workers, r.workers = append(t.workers, w), append(r.workers, w)
		id := r.addHost(t, cfg.Loop.Node, w, w.Job.Core().Counters)
		if l, ok := w.Job.(*worker.Loop); ok {
			r.net.nodes[id].own = l.OwnDeadline
		}
	}
	return nil
}

func (r *run) addHost(t *tenant, name string, m sansio.Machine, counters func() []sansio.Count) NodeID {
	id := r.net.AddNode(name, m)
	r.ids[name], r.owner[id] = id, t
	t.counted = append(t.counted, counted{name, counters})
	return id
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
