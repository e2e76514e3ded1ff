package live

import (
	"context"
	"errors"
	"net/netip"
	"sync"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/pktio/afpacket"
	"github.com/inalab/inalab/internal/result"
	hostlive "github.com/inalab/inalab/nodes/live"
	"github.com/inalab/inalab/nodes/traffic"
)

// flowEnds is the process of the ends of flows on a host.
type flowEnds struct {
	host string
	hostlive.TrafficConfig
}

// flowProcesses returns the configuration of the processes of flows, one for each host that
// has an end of some.
func flowProcesses(s *job.Set, plain bool) (out []flowEnds) {
	ends := s.FlowEnds()
	for i := range s.Plan().Hosts {
		at := s.Plan().Hosts[i].Name
		p := flowEnds{at, hostlive.TrafficConfig{Node: trafficNode(at), Interval: s.Interval(), Collectors: collectorEnds(s, &s.Plan().Hosts[i], plain)}}
		for _, e := range ends {
			switch {
			case e.Host.Name != at:
			case e.Kind == job.FlowUDP:
				p.UDP = append(p.UDP, udpEnd(e, plain))
			default:
				p.TCP = append(p.TCP, tcpEnd(e))
			}
		}
		if len(p.UDP)+len(p.TCP)+len(p.Collectors) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func udpEnd(e job.FlowEnd, plain bool) hostlive.UDPEnd {
	end := hostlive.UDPEnd{Flow: e.Name, Socket: *udpConfig(e.Host, plain, e.Addr.SrcPort)}
	end.Socket.ECN, end.Options = e.ECN, e.Options
	if e.Sends {
		end.Source = &traffic.SourceConfig{Flow: e.Addr, Pattern: e.Pattern, ECN: e.ECN, Options: e.Options, Filled: true}
	}
	if e.Sends && e.Options {
		end.Socket.Options = traffic.Options
	}
	return end
}

func tcpEnd(e job.FlowEnd) hostlive.TCPEnd {
	end := hostlive.TCPEnd{
		Flow: e.Name, ECN: e.ECN,
		Local: netip.AddrPortFrom(e.Addr.Src, e.Addr.SrcPort), Remote: netip.AddrPortFrom(e.Addr.Dst, e.Addr.DstPort),
	}
	if e.Sends {
		end.Sends = &e.Pattern
	}
	return end
}

// flowFrames returns how many frames more a port of the switch buffers beside flows: for each
// end of a host as much as for a byte stream.
func flowFrames(s *job.Set) (most int) {
	for _, p := range flowProcesses(s, false) {
		most = max(most, len(p.UDP)+len(p.TCP))
	}
	return most * afpacket.DefaultRingFrames / 2
}

// startFlows starts the processes of flows. Workers and servers are ready: their connections
// are not opened while a flow asks for ECN.
func (r *run) startFlows(ctx context.Context) (err error) {
	for _, p := range flowProcesses(r.set, r.opt.Plain) {
		if r.flows, err = r.startOn(ctx, p.host, r.flows, "traffic", p.Node, p.TrafficConfig); err != nil {
			return err
		}
	}
	return waitReady(ctx, r.flows)
}

// stopFlows ends the flows, all at once, and reads what they counted.
func (r *run) stopFlows() (err error) {
	errs := make([]error, len(r.flows))
	var stopping sync.WaitGroup
	for i, p := range r.flows {
		stopping.Go(func() { errs[i] = p.Stop(stopGrace) })
	}
	stopping.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	r.flowReports, err = reports[hostlive.TrafficReport](r.flows)
	return err
}

// flowRecords returns what the flows came to.
func (r *run) flowRecords() (out []result.Flow) {
	flows := r.set.Flows()
	for i := range flows {
		f := &flows[i]
		var sent traffic.Sent
		var got traffic.Received
		for _, p := range r.flowReports {
			for _, e := range p.Ends {
				switch {
				case e.Flow != f.Name:
				case e.Sends:
					sent = e.Sent
				default:
					got = e.Received
				}
			}
		}
		out = append(out, f.Record(sent, got, r.over))
	}
	return out
}

// flowDevices calls f with the ends of UDP, by the names of their host and flow.
func (r *run) flowDevices(f func(name string, e *hostlive.EndReport)) {
	for _, p := range r.flowReports {
		for i := range p.Ends {
			if e := &p.Ends[i]; e.Device.Offload != "" {
				f(p.Node+"/"+e.Flow, e)
			}
		}
	}
}
