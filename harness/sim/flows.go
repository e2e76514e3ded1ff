package sim

import (
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/nodes/host"
	"github.com/inalab/inalab/nodes/meter"
	"github.com/inalab/inalab/nodes/traffic"
)

// flow is a flow and what its ends count.
type flow struct {
	*job.Flow
	sent     func() traffic.Sent
	received func() traffic.Received
	meter    *meter.Meter // of what came
}

// flowEnd is the machine of an end.
type flowEnd interface {
	sansio.Machine
	Counters() []sansio.Count
}

// addFlows makes the ends of flows. They wait for the machines of jobs on their hosts.
func (r *run) addFlows(s *job.Set) error {
	r.beside = map[string][]host.Member{}
	for _, e := range s.FlowEnds() {
		m, err := r.newFlowEnd(e, s.Plan().MTU)
		if err != nil {
			return fmt.Errorf("flow %s: %w", e.Name, err)
		}
		machine, err := s.OnFlowHost(e, m)
		if err != nil {
			return fmt.Errorf("flow %s: %w", e.Name, err)
		}
		at := e.Host.Name
		r.beside[at] = append(r.beside[at], host.Member{Port: e.Addr.SrcPort, TCP: e.Kind == job.FlowTCP, Machine: machine})
		r.counted = append(r.counted, counted{at + "/" + e.Name, m.Counters})
	}
	return nil
}

// newFlowEnd makes the machine of an end, and notes what counts for the record.
func (r *run) newFlowEnd(e job.FlowEnd, mtu int) (flowEnd, error) {
	count := meter.New(r.interval)
	tcp := traffic.TCPConfig{Node: e.Host.Name, Flow: e.Addr, MTU: mtu, ECN: e.ECN}
	switch {
	case e.Sends && e.Kind == job.FlowUDP:
		m, err := traffic.NewSource(traffic.SourceConfig{Flow: e.Addr, Pattern: e.Pattern, ECN: e.ECN, Options: e.Options})
		if err == nil {
			r.flows = append(r.flows, flow{Flow: e.Flow, sent: m.Sent})
		}
		return m, err
	case e.Sends:
		m, err := traffic.NewSender(tcp, e.Pattern)
		if err == nil {
			r.flows = append(r.flows, flow{Flow: e.Flow, sent: m.Sent})
		}
		return m, err
	case e.Kind == job.FlowUDP:
		m := &traffic.Sink{Meter: count, Options: e.Options}
		f := &r.flows[len(r.flows)-1]
		f.received, f.meter = m.Received, count
		return m, nil
	}
	m, err := traffic.NewReceiver(tcp)
	if err == nil {
		f := &r.flows[len(r.flows)-1]
		m.Meter, f.received, f.meter = count, m.Received, count
	}
	return m, err
}

// addOthers adds the hosts that have ends of flows and no machine of a job.
func (r *run) addOthers(s *job.Set) error {
	for _, h := range s.Plan().Hosts {
		if r.beside[h.Name] != nil {
			if err := r.place(nil, h.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// flowRecords returns what the flows came to.
func (r *run) flowRecords() (out []result.Flow) {
	for _, f := range r.flows {
		out = append(out, f.Record(f.sent(), f.received(), r.net.now))
	}
	return out
}
