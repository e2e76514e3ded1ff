package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/topo"
)

// The MX480 of the Trio testbed (§6.1): two MPC10E-15C-MRATE line cards, each
// of 12 x 100 Gbit/s ports over three PFEs. The product name promises 15 ports;
// the paper's 12 are taken.
const (
	mx480Cards   = 2
	pfesPerCard  = 3
	portsPerPFE  = 4
	mx480PFEs    = mx480Cards * pfesPerCard
	mx480Ports   = mx480PFEs * portsPerPFE
	defaultTop   = "pfe4" // "configuring PFE4 as the top-level aggregator" (§6.1)
	defaultOnPFE = 3      // servers on each of pfe1 and pfe2 (§6.1)
)

// MX480Params says which servers stand where. The zero value is the testbed of
// the Trio paper with perfect links.
type MX480Params struct {
	Servers []int         // servers on pfe1, pfe2, ...; PFEs past its end have none; nil means {3,3,0,0,0,0}
	Top     string        // PFE that aggregates at top level, pfe1..pfe6; "" means pfe4
	Link    topo.LinkSpec // each server's link, both ways
	Fabric  topo.LinkSpec // path between any two PFEs, each way
	MTU     int           // bytes; zero means topo.DefaultMTU
}

func (p *MX480Params) validate() error {
	if p.Servers == nil {
		p.Servers = []int{defaultOnPFE, defaultOnPFE}
	}
	p.Top = cmp.Or(p.Top, defaultTop)
	if !slices.Contains(pfeNames(), p.Top) {
		return fmt.Errorf("mx480: unknown top-level pfe %q: allowed are %s%s", p.Top, strings.Join(pfeNames(), ", "), suggest.DidYouMean(p.Top, pfeNames()))
	}
	if len(p.Servers) > mx480PFEs {
		return fmt.Errorf("mx480: servers given for %d pfes: it has %d", len(p.Servers), mx480PFEs)
	}
	total := 0
	for i, n := range p.Servers {
		if n < 0 || n > portsPerPFE {
			return fmt.Errorf("mx480: %d hosts on %s: it has %d ports", n, pfeName(i), portsPerPFE)
		}
		total += n
	}
	if total == 0 {
		return fmt.Errorf("mx480: no hosts: give 1..%d, at most %d on a pfe", mx480Ports, portsPerPFE)
	}
	return nil
}

// MX480 returns one switch "mx480" with a chassis of six PFEs, pfe1 to pfe3 on
// line card (FPC) 0 and pfe4 to pfe6 on card 1, four ports each, named
// et-<fpc>-<pic>-<port> where pic is the PFE's index on its card. Hosts take
// the lowest ports of their PFE, in the order of the PFEs.
func MX480(p MX480Params) (*topo.Graph, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	b := newBuilder("mx480", p.MTU, p.Link)
	b.addChassis("mx480", p.Top, p.Fabric, p.Servers)
	return b.finish()
}

func mx480Engines() []topo.PFE {
	pfes := make([]topo.PFE, mx480PFEs)
	for i := range pfes {
		fpc, pic := i/pfesPerCard, i%pfesPerCard
		pfes[i] = topo.PFE{Name: pfeName(i), FPC: fpc, Index: pic}
		for port := range portsPerPFE {
			pfes[i].Ports = append(pfes[i].Ports, fmt.Sprintf("et-%d-%d-%d", fpc, pic, port))
		}
	}
	return pfes
}

// pfeName returns the paper's name of the i-th PFE; the paper counts from 1.
func pfeName(i int) string { return "pfe" + strconv.Itoa(i+1) }

func pfeNames() []string {
	names := make([]string, mx480PFEs)
	for i := range names {
		names[i] = pfeName(i)
	}
	return names
}

// spreadServers places hosts on PFEs: evenly over pfe1 and pfe2 while they
// have ports, as in the paper's testbed, then on the further PFEs in order. The
// top-level PFE gets none, so that it aggregates other PFEs' results only.
func spreadServers(hosts int) ([]int, error) {
	top := slices.Index(pfeNames(), defaultTop)
	if most := mx480Ports - portsPerPFE; hosts < 1 || hosts > most {
		return nil, fmt.Errorf("mx480: %d hosts: must be 1..%d, for it has %d ports and the %d of the top-level %s stay free",
			hosts, most, mx480Ports, portsPerPFE, defaultTop)
	}
	servers := make([]int, mx480PFEs)
	servers[0] = min((hosts+1)/2, portsPerPFE)
	servers[1] = min(hosts/2, portsPerPFE)
	rest := hosts - servers[0] - servers[1]
	for i := 2; i < mx480PFEs; i++ {
		if i != top {
			servers[i] = min(rest, portsPerPFE)
			rest -= servers[i]
		}
	}
	return servers, nil
}
