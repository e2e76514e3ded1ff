package sim

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/host"
	"github.com/inalab/inalab/switchd/chassis"
)

// switchNode is a switch, which may be gone and come back with empty memory.
type switchNode struct {
	name    string
	make    func() (*chassis.Chassis, error)
	chassis *chassis.Chassis // nil: it is gone
	since   units.Time       // that it runs
}

// life is what a switch came to from its start to its end.
type life struct {
	links           []result.Link
	crossings, made uint64
}

func (sw *switchNode) life(until units.Time) life {
	l := life{sw.chassis.Links(sw.since, until), sw.chassis.Crossings(), sw.chassis.Made()}
	for i := range l.links {
		l.links[i].Since = sw.since
	}
	return l
}

// addSwitch makes a switch.
func (r *run) addSwitch(name string, make func() (*chassis.Chassis, error)) error {
	c, err := make()
	if err != nil {
		return err
	}
	m := r.process(name, c)
	r.ids[name] = r.net.AddNode(name, m)
	r.settle(name, []host.Member{{Machine: m}})
	r.switches = append(r.switches, &switchNode{name: name, make: make, chassis: c})
	r.counted = append(r.counted, counted{name, c.Counters})
	return nil
}

// settle tells the processes of a node where they are.
func (r *run) settle(node string, members []host.Member) {
	for _, m := range members {
		if p, ok := m.Machine.(*process); ok {
			p.id = r.ids[node]
		}
	}
}

// switchLives returns what switches came to: those that were stopped, then those that run.
func (r *run) switchLives() []life {
	out := r.lives
	for _, sw := range r.switches {
		if sw.chassis != nil {
			out = append(out, sw.life(r.net.now))
		}
	}
	return out
}

// addSpares adds the hosts without a machine, on which the course has workers come up.
func (r *run) addSpares() error {
	if r.director == nil {
		return nil
	}
	for _, s := range r.director.steps {
		name := s.Host.Name
		if name == "" || r.director.processes[name] != nil {
			continue
		}
		m := host.Member{Machine: r.process(name, nil)}
		if r.beside[name] != nil {
			l := &r.tenants[s.Job].job.Layout
			m.Port, m.Protocol = l.Port, l.Protocol
		}
		if err := r.place(r.tenants[s.Job], name, m); err != nil {
			return err
		}
	}
	return nil
}
