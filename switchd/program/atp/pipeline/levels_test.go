package pipeline

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/dataplane"
)

// racks is two racks of two workers each below the switch of a server, which has a worker of its own.
type racks struct {
	first  [2]*chip
	second *chip
}

func newRacks(t *testing.T) *racks {
	t.Helper()
	r := &racks{second: newChip(t, configOf(4, []int{1}, []int{3}), Options{})}
	for i := range r.first {
		r.first[i] = newChip(t, configOf(4, []int{0}, []int{2}), Options{})
	}
	return r
}

// worker sends a packet of a worker of a rack, in which all values are alike, and returns what leaves
// the second switch.
func (r *racks) worker(rack, w int, sequence uint32, value int32, flags wire.Flags) (out []sent) {
	s := serverOf(1, 0, 0, 2, 0)
	p := gradient(&s, 1, 0, w, sequence, 2)
	p.Bitmaps[1], p.FanIns[1], p.Flags = 1<<rack, 3, flags
	p.fill(value)
	for _, f := range r.first[rack].send(p) {
		up := &packet{Header: f.header(), port: sansio.Port(rack), src: p.src, dst: p.dst}
		for i := range up.values {
			up.values[i] = f.value(i)
		}
		out = append(out, r.second.send(up)...)
	}
	return out
}

// direct sends a packet of the worker beside the server.
func (r *racks) direct(sequence uint32, value int32) []sent {
	s := serverOf(1, 0, 1, 3, 0)
	p := gradient(&s, 1, 1, 2, sequence, 2)
	p.fill(value)
	return r.second.send(p)
}

func (p *packet) fill(value int32) {
	for i := range p.values {
		p.values[i] = value
	}
}

// Of four workers in two racks and one beside the server one packet comes to the server (§3.5, Figure 9
// in small). Its parameter packet frees the aggregators of all switches.
func TestTwoLevels(t *testing.T) {
	r := newRacks(t)
	for i, value := range []int32{1, 2, 30, 40} {
		if out := r.worker(i/2, i%2, 5, value, 0); len(out) != 0 {
			t.Fatalf("%d packets leave before the sum is complete", len(out))
		}
	}
	out := r.direct(5, 100)
	if len(out) != 1 || out[0].port != dataplane.Inbound(2) {
		t.Fatalf("what leaves: %+v", out)
	}
	if h := out[0].header(); h.Bitmaps[1] != 7 || h.Flags != wire.EdgeSwitch {
		t.Errorf("the sum has header %+v", h)
	}
	for i := range wire.Values {
		if got := out[0].value(i); got != 173 {
			t.Fatalf("value %d is %d", i, got)
		}
	}
	for level, c := range []*chip{r.first[0], r.second} {
		s := serverOf(1, 0, level, 2+level, 0)
		if held := c.e.Remembers(); !held {
			t.Errorf("level %d holds no aggregator", level)
		}
		if c.send(parameter(&s, 1, 5, 2)); c.e.Remembers() {
			t.Errorf("level %d still holds an aggregator", level)
		}
	}
}

// A worker that sends again takes along what its rack has, and the second level discards what it has
// (Figure 17): it cannot tell the workers of a rack apart.
func TestResendThroughTwoLevels(t *testing.T) {
	r := newRacks(t)
	r.direct(5, 100)
	r.worker(0, 0, 5, 1, 0)
	out := r.worker(0, 1, 5, 2, wire.Resend)
	if len(out) != 1 {
		t.Fatalf("%d packets leave", len(out))
	}
	h := out[0].header()
	if h.Bitmaps != [2]uint32{3, 1} || h.Flags != wire.EdgeSwitch|wire.Resend || out[0].value(61) != 3 {
		t.Errorf("what leaves: %+v, with value %d", h, out[0].value(61))
	}
	if r.first[0].e.Remembers() || r.second.e.Remembers() {
		t.Error("a switch still holds an aggregator")
	}
}
