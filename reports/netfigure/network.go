package netfigure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/topo/plan"
)

// Network is a network with levels, and what its links carried.
type Network struct {
	Title    string
	Switches []Switch
	Hosts    []Host // those of one switch follow each other
	Trunks   []Trunk
}

// Switch is a switch or a chassis.
type Switch struct {
	Name  string
	Level int // 0 of those that hosts are attached to
	Cards []Card
}

// Card is a line card of a chassis.
type Card struct{ PFEs []PFE }

// PFE is one engine of a chassis.
type PFE struct {
	Name string
	Top  bool    // it aggregates for the whole chassis
	Busy float64 // use of the busiest path of the fabric that it sends or gets by
}

// Host is a host with its link.
type Host struct {
	Name   string
	Switch int // index
	Link   Link
}

// Trunk is a link between two switches.
type Trunk struct {
	A, B int // indexes of the switches
	Link Link
}

// Link is both directions of a link.
type Link struct {
	Rate     string
	Up, Down float64 // use of the line away from hosts and towards them; for trunks from A to B and back
	Drops    uint64  // in both directions
	Known    bool    // it was measured
}

// use is that of the busier direction.
func (l *Link) use() float64 { return max(l.Up, l.Down) }

// New returns the network of a plan; links are those of a run on it, in any order.
func New(title string, p *plan.Plan, links []result.Link) *Network {
	n := &Network{Title: title}
	of := map[string]*result.Link{}
	for i := range links {
		of[links[i].Name] = &links[i]
	}
	for i := range p.Switches {
		s := &p.Switches[i]
		n.Switches = append(n.Switches, Switch{Name: s.Name, Level: -1, Cards: cards(s, of)})
	}
	for i := range p.Hosts {
		h := &p.Hosts[i]
		at := slices.IndexFunc(p.Switches, func(s plan.Switch) bool { return s.Name == h.Switch })
		port := p.Switches[at].Ports[h.SwitchPort].Name
		up, down := of[h.Name+":"+h.Iface+"->"+h.Switch+":"+port], of[h.Switch+":"+port+"->"+h.Name+":"+h.Iface]
		n.Switches[at].Level = 0
		n.Hosts = append(n.Hosts, Host{h.Name, at, linkOf(up, down)})
	}
	slices.SortStableFunc(n.Hosts, func(a, b Host) int { return cmp.Compare(a.Switch, b.Switch) })
	n.addTrunks(p, of)
	n.level()
	return n
}

// linkOf joins two directions; nil: it was not measured.
func linkOf(up, down *result.Link) (l Link) {
	if up != nil {
		l.Up, l.Drops, l.Rate, l.Known = up.Use, up.Dropped(), up.Rate.String(), true
	}
	if down != nil {
		l.Down, l.Rate, l.Known = down.Use, down.Rate.String(), true
		l.Drops += down.Dropped()
	}
	return l
}

// addTrunks adds the links between switches, each once.
func (n *Network) addTrunks(p *plan.Plan, of map[string]*result.Link) {
	for a := range p.Switches {
		for _, port := range p.Switches[a].Ports {
			b := port.PeerSwitch
			if !port.Wired || b <= a { // None is below all
				continue
			}
			here, there := p.Switches[a].Name+":"+port.Name, p.Switches[b].Name+":"+p.Switches[b].Ports[port.PeerPort].Name
			n.Trunks = append(n.Trunks, Trunk{a, b, linkOf(of[here+"->"+there], of[there+"->"+here])})
		}
	}
}

// level gives a level to the switches that hosts are not attached to: one above the lowest that they are linked to.
func (n *Network) level() {
	for range n.Switches { // as many rounds as the longest way
		for _, t := range n.Trunks {
			for _, way := range [2][2]int{{t.A, t.B}, {t.B, t.A}} {
				from, to := &n.Switches[way[0]], &n.Switches[way[1]]
				if from.Level >= 0 && (to.Level < 0 || to.Level > from.Level+1) {
					to.Level = from.Level + 1
				}
			}
		}
	}
	for i := range n.Switches {
		n.Switches[i].Level = max(0, n.Switches[i].Level)
	}
}

// cards returns the line cards of a chassis.
func cards(s *plan.Switch, of map[string]*result.Link) (out []Card) {
	if s.Chassis == nil {
		return nil
	}
	slot := -1
	for i, p := range s.Chassis.PFEs {
		if p.FPC != slot {
			slot = p.FPC
			out = append(out, Card{})
		}
		c := &out[len(out)-1]
		c.PFEs = append(c.PFEs, PFE{p.Name, i == s.Chassis.Top, fabricUse(s.Name, p.Name, of)})
	}
	return out
}

// fabricUse returns the use of the busiest path of the fabric to or from a PFE.
func fabricUse(chassis, pfe string, of map[string]*result.Link) (most float64) {
	for name, l := range of {
		ends, inside := strings.CutPrefix(name, chassis+"/")
		if !inside {
			continue
		}
		if from, to, _ := strings.Cut(ends, "->"); from == pfe || to == pfe {
			most = max(most, l.Use)
		}
	}
	return most
}
