package job

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/topo/plan"
)

// Flow is traffic from one host of the lab to another, beside its jobs and until they are
// done. Either host may have a worker, a server, or nothing else.
type Flow struct {
	Name     string
	Kind     string // FlowUDP or FlowTCP
	From, To string // hosts
	Pattern  traffic.Pattern
	Options  bool // packets of UDP have an option in their IP header, [traffic.Options]
	ECN      bool // its packets say that they may be marked (RFC 3168); TCP reacts to marks, UDP counts them
}

// Kinds of flows.
const (
	FlowUDP = "udp"
	FlowTCP = "tcp"
)

// Bounds and defaults of flows.
const (
	// MaxFlows is of one lab (assumed: live, each end of UDP takes a thread).
	MaxFlows = 256
	// DefaultDatagram is an IP packet of UDP, in bytes: the MTU of an ordinary Ethernet.
	DefaultDatagram units.Bytes = 1500
	// DefaultWrite is what a sender of TCP writes at a time (assumed).
	DefaultWrite = 16 * units.KiB
	// flowPort is the port of the first flow, at both of its ends; each has one of its own
	// (assumed: below those that Linux gives by itself, net.ipv4.ip_local_port_range).
	flowPort = 20000
)

// flowName is what may stand in tables and in names of counters.
var flowName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Validate checks what a flow says by itself.
func (f *Flow) Validate() error {
	p, errs := &f.Pattern, []error(nil)
	fault := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("flow %s: "+format, slices.Concat([]any{f.Name}, args)...))
	}
	if !flowName.MatchString(f.Name) {
		errs = append(errs, fmt.Errorf("flow %q: it needs a name of a-z, 0-9 and -, at most 32 of them", f.Name))
	}
	switch {
	case f.Kind != FlowUDP && f.Kind != FlowTCP:
		fault("kind %q: allowed are %s and %s", f.Kind, FlowUDP, FlowTCP)
	case f.Kind == FlowUDP && p.Rate == 0:
		fault("UDP needs a rate, as in 10Gbit/s: only TCP sends what the network takes")
	case f.Kind == FlowTCP && f.Options:
		fault("options of IP headers are for UDP: leave them out, or make it kind: %s", FlowUDP)
	case f.Kind == FlowUDP && p.Packet < traffic.LeastPacket(f.Options):
		fault("packets of %v: they hold headers, number and time in %v or more", p.Packet, traffic.LeastPacket(f.Options))
	case p.Packet < 1 || p.Packet > traffic.MaxWrite:
		fault("packets of %v: allowed are 1B to %v", p.Packet, traffic.MaxWrite)
	}
	if f.From == f.To {
		fault("it goes from %s to itself: name another host", f.From)
	}
	if (p.On == 0) != (p.Off == 0) {
		fault("on for %v, off for %v: give both, or neither for a flow that is always on", p.On, p.Off)
	}
	if p.Stop != 0 && p.Stop <= p.Start {
		fault("it starts at %v and stops at %v: the stop must be later; leave it out to go on until the run ends", p.Start, p.Stop)
	}
	if p.Rate < 0 || min(p.On, p.Off, p.Start, p.Stop) < 0 {
		fault("rate and times must not be negative")
	}
	return errors.Join(errs...)
}

// ValidateOn checks a flow against the hosts and the MTU of a topology.
func (f *Flow) ValidateOn(p *plan.Plan) error {
	hosts := hostNames(p)
	for _, h := range []string{f.From, f.To} {
		if !slices.Contains(hosts, h) {
			return fmt.Errorf("flow %s: topology %s has no host %q, its hosts are %s to %s%s", f.Name, p.Name, h, hosts[0], hosts[len(hosts)-1], suggest.DidYouMean(h, hosts))
		}
	}
	if f.Kind == FlowUDP && f.Pattern.Packet > units.Bytes(p.MTU) {
		return fmt.Errorf("flow %s: packets of %d bytes exceed the MTU of %d bytes of topology %s: make them smaller, or raise the MTU", f.Name, f.Pattern.Packet, p.MTU, p.Name)
	}
	return nil
}

// WithDefaults returns the flow with a size of packets.
func (f Flow) WithDefaults(mtu int) Flow {
	size := DefaultWrite
	if f.Kind == FlowUDP {
		size = min(DefaultDatagram, units.Bytes(mtu))
	}
	f.Pattern.Packet = cmp.Or(f.Pattern.Packet, size)
	return f
}

// validateFlows checks those of a job, which have their defaults.
func (s *Spec) validateFlows() error {
	var errs []error
	seen := map[string]bool{}
	for i := range s.Flows {
		f := &s.Flows[i]
		if seen[f.Name] {
			errs = append(errs, fmt.Errorf("two flows are called %s: give each a name of its own", f.Name))
		}
		seen[f.Name] = true
		errs = append(errs, cmp.Or(f.Validate(), f.ValidateOn(s.Plan)))
	}
	if n := len(s.Flows); n > MaxFlows {
		errs = append(errs, fmt.Errorf("%d flows: a lab takes %d", n, MaxFlows))
	}
	if len(s.Flows) > 0 && s.Host != (hostmodel.Model{}) && s.FlowHost == (hostmodel.Model{}) {
		errs = append(errs, fmt.Errorf("flows beside a job whose hosts are modelled (%s), on hosts that cost them nothing: set FlowHost, as in hostmodel.Constants.Flow", s.Host.Kind))
	}
	if len(s.Flows) > 0 && s.Elements > 0 {
		errs = append(errs, errors.New("flows run beside a training or a replay: a benchmark has the links for itself"))
	}
	return errors.Join(errs...)
}

// withFlows fills in what flows leave out.
func (s *Spec) withFlows() {
	s.Flows = slices.Clone(s.Flows)
	for i, f := range s.Flows {
		s.Flows[i] = f.WithDefaults(s.Plan.MTU)
	}
}

// FlowEnd is one end of a flow.
type FlowEnd struct {
	*Flow
	Sends bool
	Host  *plan.Host
	Addr  inet.Flow // as this end sends
}

// Flows returns the flows of the lab.
func (s *Set) Flows() []Flow { return s.Jobs[0].Flows }

// FlowEnds returns the ends of all flows, in their order: of each the sender, then the
// receiver. Both take packets at the same port, which is their own in the lab.
func (s *Set) FlowEnds() (out []FlowEnd) {
	hosts := s.Plan().Hosts
	find := func(name string) *plan.Host {
		return &hosts[slices.IndexFunc(hosts, func(h plan.Host) bool { return h.Name == name })]
	}
	flows := s.Flows()
	for i := range flows {
		f := &flows[i]
		from, to := find(f.From), find(f.To)
		for _, e := range []FlowEnd{{Flow: f, Sends: true, Host: from, Addr: s.Jobs[0].toHost(from, to)}, {Flow: f, Host: to, Addr: s.Jobs[0].toHost(to, from)}} {
			e.Addr.SrcPort, e.Addr.DstPort = flowPort+uint16(i), flowPort+uint16(i)
			out = append(out, e)
		}
	}
	return out
}

// OnFlowHost puts the machine of an end of a flow behind what its host costs it.
func (s *Set) OnFlowHost(e FlowEnd, m sansio.Machine) (sansio.Machine, error) {
	return behind(s.Jobs[0].FlowHost, e.Host.Name+"/"+e.Name, m)
}

// Record returns what a flow came to in a run that ended at a time, given what both ends
// counted.
func (f *Flow) Record(sent traffic.Sent, got traffic.Received, end units.Time) result.Flow {
	r := result.Flow{
		Name: f.Name, Kind: f.Kind, From: f.From, To: f.To, ECN: f.ECN,
		Sent: sent.Packets, SentBytes: sent.Bytes, Delivered: got.Packets, DeliveredBytes: got.Bytes,
		Lost: got.Lost, Reordered: got.Reordered, Marks: got.Marks + sent.Echoes, Resent: sent.Resent, DelayMax: got.DelayMax,
	}
	if got.Packets > 0 {
		r.DelayMean = got.DelaySum / units.Duration(got.Packets)
	}
	until := end
	if f.Pattern.Stop > 0 {
		until = min(end, units.Time(f.Pattern.Stop))
	}
	r.Active = max(0, max(until, got.Last).Sub(units.Time(f.Pattern.Start)))
	return r
}
