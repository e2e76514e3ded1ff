package gen

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/topo"
)

// DefaultHosts is the size of a rack that gives none: the six servers of the
// Trio testbed on one Tofino switch (§6.1).
const DefaultHosts = 6

// hostPort is the one port of every host.
const hostPort = "eth0"

// RackParams says what a rack is made of.
type RackParams struct {
	Hosts int           // hosts on the switch; zero means DefaultHosts
	Link  topo.LinkSpec // each host's link, both ways
	MTU   int           // bytes; zero means topo.DefaultMTU
}

func (p *RackParams) validate() error {
	p.Hosts = cmp.Or(p.Hosts, DefaultHosts)
	return inRange("rack", "hosts", p.Hosts, topo.MaxHostsPerSwitch)
}

// Rack returns a switch "tor" with hosts h0, h1, ... on its ports p0, p1, ...
func Rack(p RackParams) (*topo.Graph, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	b := newBuilder("rack", p.MTU, p.Link)
	b.addHosts(b.addSwitch("tor", 0), p.Hosts)
	return b.finish()
}

// inRange returns an error unless 1 <= n <= most.
func inRange(topology, what string, n, most int) error {
	if n < 1 || n > most {
		return fmt.Errorf("%s: %s %d: must be 1..%d", topology, what, n, most)
	}
	return nil
}
