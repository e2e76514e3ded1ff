package netfigure

import (
	"encoding/json"
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// Net is a network, as topology.json has it.
type Net struct {
	Name     string
	Hosts    []Host
	Switches []Switch
}

// Host is one host.
type Host struct{ Name string }

// Switch is one switch.
type Switch struct {
	Name    string
	Tier    int // 0 where hosts attach
	Ports   []Port
	Chassis *Chassis // nil: one forwarding engine
}

// Port is one port of a switch.
type Port struct {
	Name  string
	PFE   int // index into those of the chassis
	Wired bool
	Peer  End

	In  Spec // what frames towards the switch meet
	Out Spec
}

// Spec is one direction of a link.
type Spec struct {
	Rate      units.Rate
	Delay     units.Duration
	Jitter    units.Duration
	Loss      float64
	LossEvery int
	Bursts    *struct{ Bad float64 }

	Distribution string
	Reorder      float64
	Duplicate    float64
	Corrupt      float64
	Script       string
}

// End is a port of a node.
type End struct{ Node, Port string }

// Chassis is the packet forwarding engines of a switch.
type Chassis struct {
	PFEs []PFE
	Top  int // index of the one that aggregates at top level

	Fabric Spec // between any two of them
}

// PFE is a packet forwarding engine.
type PFE struct {
	Name string
	FPC  int // line card
}

// Decode reads topology.json.
func Decode(text []byte) (map[string]Net, error) {
	var nets map[string]Net
	if err := json.Unmarshal(text, &nets); err != nil {
		return nil, err
	}
	for name, n := range nets {
		if err := n.check(); err != nil {
			return nil, fmt.Errorf("topology of %s: %w", name, err)
		}
	}
	return nets, nil
}

// check refuses indexes that lead nowhere.
func (n *Net) check() error {
	for _, s := range n.Switches {
		if s.Chassis == nil {
			continue
		}
		if top := s.Chassis.Top; top < 0 || top >= len(s.Chassis.PFEs) {
			return fmt.Errorf("switch %s: its top PFE is number %d of %d", s.Name, top, len(s.Chassis.PFEs))
		}
		for _, p := range s.Ports {
			if p.Wired && (p.PFE < 0 || p.PFE >= len(s.Chassis.PFEs)) {
				return fmt.Errorf("switch %s: port %s is on PFE number %d of %d", s.Name, p.Name, p.PFE, len(s.Chassis.PFEs))
			}
		}
	}
	return nil
}

// Use is the share of its rate that each direction of a link was used, by the name of links.csv; looked up.
type Use map[string]float64

// pair is both directions between two ends.
type pair struct {
	up, down float64 // away from the hosts, and towards them
	known    bool

	kind int // number of the kind of link, from 1 on, where kinds are drawn; 0: use is
}

func (u Use) between(low, high string) pair {
	up, a := u[low+"->"+high]
	down, b := u[high+"->"+low]
	return pair{up: up, down: down, known: a || b}
}

// fabric is the use between two PFEs of a chassis.
func (u Use) fabric(sw, low, high string) pair {
	up, a := u[sw+"/"+low+"->"+high]
	down, b := u[sw+"/"+high+"->"+low]
	return pair{up: up, down: down, known: a || b}
}

func (e End) String() string { return e.Node + ":" + e.Port }

// Most returns the largest use.
func (u Use) Most() (most float64) {
	for _, v := range u {
		most = max(most, v)
	}
	return most
}

// Full returns the round share at which the heat of a drawing ends, given the largest use that is drawn.
func Full(most float64) float64 {
	for _, f := range []float64{0.05, 0.1, 0.2, 0.5} {
		if most <= f {
			return f
		}
	}
	return 1
}
