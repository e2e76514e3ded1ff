package plan

import (
	"testing"

	"pgregory.net/rapid"
)

// By hops of Towards a frame comes to its host from any switch, over as many links as there are
// switches at most.
func TestTowards(t *testing.T) {
	p := leafSpine(t)
	rapid.Check(t, func(t *rapid.T) {
		h := &p.Hosts[rapid.IntRange(0, len(p.Hosts)-1).Draw(t, "host")]
		at := rapid.IntRange(0, len(p.Switches)-1).Draw(t, "switch")
		for range p.Switches {
			sw := &p.Switches[at]
			hop := sw.Towards(h)
			port := sw.Ports[hop.Port]
			if hop.MAC != port.PeerMAC {
				t.Fatalf("%s sends what is for %s to MAC %v by a port that leads to %v", sw.Name, h.Name, hop.MAC, port.PeerMAC)
			}
			if port.PeerHost == h.Index {
				return
			}
			if at = port.PeerSwitch; at == None {
				t.Fatalf("%s sends what is for %s to another host", sw.Name, h.Name)
			}
		}
		t.Fatalf("what is for %s goes around", h.Name)
	})
	if h, ok := p.Host("h3"); !ok || h.Name != "h3" || h.Index != 3 {
		t.Errorf("h3 is %+v", h)
	}
	if _, ok := p.Host("h9"); ok {
		t.Error("there is a host h9")
	}
}
