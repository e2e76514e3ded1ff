package job

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/program/transit"
	"github.com/inalab/inalab/topo/plan"
)

// CollectorPort is the first UDP port of collectors: that of IPFIX (RFC 7011 §10.3.4).
const CollectorPort uint16 = 4739

// Collector is on a host, and takes what programs in transit report over UDP.
type Collector struct {
	Program string // whose reports it reads
	Host    string
	Port    uint16 // where it takes them, its own on the host
}

// ValidateOn checks a collector against the hosts of a topology.
func (c *Collector) ValidateOn(p *plan.Plan) error {
	if _, ok := p.Host(c.Host); !ok {
		hosts := hostNames(p)
		return fmt.Errorf("topology %s has no host %q, its hosts are %s to %s%s", p.Name, c.Host, hosts[0], hosts[len(hosts)-1], suggest.DidYouMean(c.Host, hosts))
	}
	if program, ok := transit.Find(c.Program); !ok || program.Reports == nil {
		return fmt.Errorf("program %q sends no reports: there is nothing to collect", c.Program)
	}
	return nil
}

func hostNames(p *plan.Plan) (names []string) {
	for _, h := range p.Hosts {
		names = append(names, h.Name)
	}
	return names
}

// New makes the machine of a collector that meets a topology.
func (c *Collector) New() *traffic.Collector {
	program, _ := transit.Find(c.Program)
	return traffic.NewCollector(program.Reports.Read)
}

// Collectors returns the collectors of the lab.
func (s *Set) Collectors() []Collector { return s.Jobs[0].Collectors }

// Record returns what a collector was told, with the names that the addresses have in a
// topology: most bytes first.
func (c *Collector) Record(p *plan.Plan, told []traffic.Observed) (out []result.Report) {
	for _, o := range told {
		out = append(out, result.Report{
			Program: c.Program, Switch: nameOf(p, o.By), Collector: c.Host, From: nameOf(p, o.Src), To: nameOf(p, o.Dst),
			Reports: o.Reports, Packets: o.Packets, Bytes: o.Bytes,
		})
	}
	slices.SortStableFunc(out, func(a, b result.Report) int { return int(b.Bytes - a.Bytes) })
	return out
}

// nameOf returns whose address it is, or the address.
func nameOf(p *plan.Plan, a netip.Addr) string {
	for _, h := range p.Hosts {
		if h.Addr.Addr() == a {
			return h.Name
		}
	}
	for _, sw := range p.Switches {
		if sw.Router == a {
			return sw.Name
		}
	}
	return a.String()
}

// TransitCounts returns what programs in transit counted, among the counters of a run: those of
// all PFEs of a switch together.
func (s *Set) TransitCounts(counters []result.Counter) (out []result.TransitCount) {
	for i, programs := range s.Jobs[0].Transit {
		at, lo := s.Plan().Switches[i].Name, len(out)
		for _, c := range counters {
			parts := strings.SplitN(c.Name, "/", 3) // PFE, program, counter
			if c.Node != at || len(parts) < 3 || !slices.ContainsFunc(programs, func(p chassis.Program) bool { return cmp.Or(p.Name, p.System) == parts[1] }) {
				continue
			}
			out = addCount(out, result.TransitCount{Switch: at, Program: parts[1], Counter: parts[2], N: c.N})
		}
		slices.SortFunc(out[lo:], func(a, b result.TransitCount) int {
			return cmp.Or(strings.Compare(a.Program, b.Program), strings.Compare(a.Counter, b.Counter))
		})
	}
	return out
}

// addCount adds to the count of the same name, or appends it.
func addCount(list []result.TransitCount, c result.TransitCount) []result.TransitCount {
	for i := range list {
		if o := &list[i]; o.Switch == c.Switch && o.Program == c.Program && o.Counter == c.Counter {
			o.N += c.N
			return list
		}
	}
	return append(list, c)
}
