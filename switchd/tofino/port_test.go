package tofino

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
)

// quads16 are all that lead back in a chip of four pipes.
var quads16 = []DevPort{Quad16(0), Quad16(1), Quad16(3)}

func withQuads16(c *Config) { c.Loopback = append(c.Loopback, quads16...) }

// Numbers are those of TNA 12.1, table 8.
func TestNumbersOfPorts(t *testing.T) {
	for p, want := range map[DevPort]uint16{
		FrontPort(0): 0, FrontPort(15): 60, FrontPort(16): 128, FrontPort(63): 444,
		Quad16(0): 64, Quad16(1): 192, Quad16(2): 320, Quad16(3): 448,
		Recirculation(0): 68, Recirculation(1): 196, Recirculation(2): 324, Recirculation(3): 452,
	} {
		if uint16(p) != want {
			t.Errorf("port %v is %d, want %d", p, p, want)
		}
	}
}

// What leaves by a quad 16 enters the ingress of its pipe, and no other port is busy with it.
func TestQuad16LeadsBack(t *testing.T) {
	for _, at := range quads16 {
		b := newBench(t, withQuads16).route(route{again: true, unicast: true, port: at}, 9, passFirst, 0).route(to(3), 9, passBack, 0)
		b.handle(0, arrival(0, packetOf(9, 1)))
		b.expect(3)
		kind := "recirculation"
		if at.Pipe() == 0 {
			kind = "loopback"
		}
		for _, p := range b.c.Snapshot().Ports {
			if back := p.Front < 0; back && (p.In != 0) != (p.Dev == at) || p.Dev == at && p.Kind != kind {
				t.Errorf("by %v: %+v", at, p)
			}
		}
	}
}

// Quads 16 and 17 of a pipe have a line each: packets that take both do not wait for each other.
func TestQuadsHaveLinesOfTheirOwn(t *testing.T) {
	leaves := func(second DevPort) units.Time {
		b := newBench(t, timed(), withQuads16).route(route{again: true, unicast: true, port: Recirculation(0)}, 9, passFirst, 0).
			route(route{again: true, unicast: true, port: second}, 8, passFirst, 0).route(to(1), 9, passBack, 0).route(to(2), 8, passBack, 0)
		b.handle(0, arrival(0, packetOf(9, 0)), arrival(1, packetOf(8, 0))).idle()
		return b.sent[1].at
	}
	if one, two := leaves(Recirculation(0)), leaves(Quad16(0)); two != units.Time(IngressTime+EgressTime+PassTime) || one <= two {
		t.Errorf("the second packet leaves at %v by the port of the first, at %v by one of its own", one, two)
	}
}

// A port that is not there is refused by its name, and so is one that has another use.
func TestPortsThatAreNotThere(t *testing.T) {
	for says, p := range map[string]DevPort{
		"port 2/64 is not there: it is the PCIe port of the CPU, which does not lead back: use 2/68": Quad16(2),
		"port 0/65 is not there: quad 16 is one port of 100 Gbit/s":                                  Quad16(0) + 1,
		"port 3/70 is not there: quad 17 is one port of 100 Gbit/s":                                  Recirculation(3) + 2,
		"port 1/3 is not there: quad 0 is one port of 100 Gbit/s":                                    FrontPort(16) + 3,
		"port 0/72 is not there: a pipe has quads 0 to 17, of 4 lanes each":                          Recirculation(0) + 4,
		"port 4/0 is not there: the chip has pipes 0 to 3":                                           MaxDevPorts,
	} {
		for name, change := range map[string]func(*Config){
			"in loopback": func(c *Config) { c.Loopback = append(c.Loopback, p) },
			"in front":    func(c *Config) { c.Ports = append(c.Ports, Port{Front: 99, Dev: p}) },
		} {
			refused(t, name+", "+says, says, change)
		}
		b := newBench(t)
		for _, err := range []error{b.c.SetMirror(1, Mirror{Port: p}), b.c.SetGroup(1, []Node{{Ports: []DevPort{p}}})} {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v, want %q", err, says)
			}
		}
	}
	for says, change := range map[string]func(*Config){
		"port 0/68: it is for recirculation whether": func(c *Config) { c.Loopback = append(c.Loopback, Recirculation(0)) },
		"port 0/64: it is inside the chip":           func(c *Config) { c.Ports[0].Dev = Quad16(0) },
		"port 1/68: it is inside the chip":           func(c *Config) { c.Ports[0].Dev = Recirculation(1) },
		"port 0/64 has two uses":                     func(c *Config) { c.Loopback = []DevPort{Quad16(0), Quad16(0)} },
		"port 1/64 is not there: it is the PCIe":     func(c *Config) { c.Pipes, c.Loopback = 2, []DevPort{Quad16(1)} },
		"port 2/64 is not there: the chip has":       func(c *Config) { c.Pipes, c.Loopback = 2, []DevPort{Quad16(2)} },
	} {
		refused(t, says, says, change)
	}
}

func refused(t *testing.T, name, says string, change func(*Config)) {
	t.Helper()
	cfg := testConfig(t)
	change(&cfg)
	if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want %q", name, err, says)
	}
}
