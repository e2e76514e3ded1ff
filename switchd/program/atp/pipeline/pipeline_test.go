package pipeline

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/tofino"
)

// Appendix C: "only the last packet is recirculated", by one port: of a block of n packets n-1 are
// resubmitted and one comes back with sums. A parameter packet takes two passes; one that collides comes back behind sums.
func TestPassesOfABlock(t *testing.T) {
	for n := 1; n <= 15; n++ {
		cfg := configOf(8, []int{0}, []int{n})
		cfg.Jobs[0].Servers[0].Ports = []sansio.Port{0}
		for i := range cfg.Jobs[0].Servers[0].Levels[0].Sources {
			cfg.Jobs[0].Servers[0].Levels[0].Sources[i].Ports = []sansio.Port{sansio.Port(i)}
		}
		c := newChip(t, cfg, Options{})
		s := &cfg.Jobs[0].Servers[0]
		expect := func(passes, resubmitted, recirculated uint64) {
			t.Helper()
			got := [3]uint64{c.count(tofino.CountPasses), c.count(tofino.CountAgain), c.count(CountRecirculate)}
			if want := [3]uint64{passes, resubmitted, recirculated}; got != want {
				t.Errorf("%d sources: passes, resubmissions and recirculations %d, want %d", n, got, want)
			}
		}
		for w := range n {
			c.send(gradient(s, 1, 0, w, 1, 3))
		}
		expect(2*uint64(n), uint64(n)-1, 1)
		c.send(gradient(s, 1, 0, 0, 2, 3)) // collides
		expect(2*uint64(n)+2, uint64(n)-1, 2)
		c.send(parameter(s, 1, 1, 3))
		expect(2*uint64(n)+4, uint64(n), 2)
	}
}

// A packet is inside for as long as its passes take: the sum of a block comes one pass later than
// a packet that is not for the switch.
func TestLatencyOfASum(t *testing.T) {
	timing := Timing()
	cfg := configOf(1, []int{0}, []int{1})
	s := &cfg.Jobs[0].Servers[0]
	leaves := func(p *packet) units.Time {
		c := newChip(t, cfg, Options{Timing: &timing})
		out := append(c.handle(0, arrival(p)), c.until(units.Never-1)...)
		if len(out) != 1 {
			t.Fatalf("%d frames", len(out))
		}
		return out[0].at
	}
	foreign := gradient(s, 1, 0, 0, 1, 0)
	foreign.Header.Job = 9
	base := units.Time(0).Add(tofino.IngressTime + tofino.EgressTime)
	if got := leaves(foreign); got != base {
		t.Errorf("a packet of another job leaves at %v, want %v", got, base)
	}
	if got, want := leaves(gradient(s, 1, 0, 0, 1, 0)), base.Add(tofino.PassTime); got != want {
		t.Errorf("a sum leaves at %v, want %v", got, want)
	}
}

// §3.7: an aggregator that is older than the age is freed by a parameter packet with its index, of any
// job. The chip counts in ticks, and never frees one that is younger.
func TestAge(t *testing.T) {
	for name, tc := range map[string]struct {
		at, after units.Duration
		freed     bool
		shorter   units.Duration // than [age] is that of the switch
	}{
		"of that age":                 {0, age, false, 0},
		"older by a tick":             {0, age + tick, true, 0},
		"younger, across a tick":      {tick - 1, age - 1, false, 0},
		"that age, across a tick":     {tick - 1, age, false, 0},
		"older by less than a tick":   {tick / 2, age + tick/4, false, 0},
		"older by two ticks, between": {tick / 3, age + 2*tick, true, 0},
		"after a day":                 {0, 86400 * units.Second, true, 0},
		"younger, rounded down":       {tick - 1, age - tick + 2, false, tick / 2},
	} {
		cfg := configOf(1, []int{0, 0}, []int{2, 2})
		cfg.Age -= tc.shorter
		c := newChip(t, cfg, Options{})
		c.handle(units.Time(0).Add(tc.at), arrival(gradient(&cfg.Jobs[0].Servers[0], 1, 0, 0, 1, 0)))
		c.handle(units.Time(0).Add(tc.at+tc.after), arrival(parameter(&cfg.Jobs[1].Servers[0], 2, 7, 0)))
		if got := !c.e.Remembers(); got != tc.freed {
			t.Errorf("an aggregator %s: freed %v, want %v", name, got, tc.freed)
		}
	}
}

// §3.3: a queue above the threshold marks packets in their header, those that the program does
// not touch as well.
func TestQueueMarksPackets(t *testing.T) {
	timing := Timing()
	timing.Mark = 12 // three packets of four cells
	cfg := configOf(1, []int{0}, []int{1})
	s := &cfg.Jobs[0].Servers[0]
	c := newChip(t, cfg, Options{Timing: &timing})
	var in []sansio.Arrival
	for i := range 8 {
		in = append(in, arrival(parameter(s, 1, uint32(1+i), 9))) // beyond the table: one pass
	}
	out := append(c.handle(0, in...), c.until(units.Never-1)...)
	var marked []bool
	for i := range out {
		h := out[i].header()
		ip := inet.IPv4(out[i].frame[inet.EtherLen:])
		if h.Flags.Has(wire.ECN) != (ip.ECN() == inet.CE) {
			t.Errorf("frame %d: %+v, and codepoint %d", i, h, ip.ECN())
		}
		marked = append(marked, h.Flags.Has(wire.ECN))
	}
	if want := []bool{false, false, false, true, true, true, true, true}; !slices.Equal(marked, want) {
		t.Errorf("marked %v, want %v", marked, want)
	}
}

// Where queues of front ports are outside, what waits for the port inside is marked in its IP header, as links do it; and
// the program does nothing in the egress.
func TestPortInsideMarksSums(t *testing.T) {
	timing := Timing()
	timing.Front, timing.Mark = 0, 12 // three packets of four cells
	cfg := configOf(6, []int{0}, []int{1})
	s := &cfg.Jobs[0].Servers[0]
	c := newChip(t, cfg, Options{Timing: &timing})
	var in []sansio.Arrival
	for i := range 6 {
		in = append(in, arrival(gradient(s, 1, 0, 0, uint32(1+i), uint16(i))))
	}
	var marked []bool
	for _, f := range append(c.handle(0, in...), c.until(units.Never-1)...) {
		if f.header().Flags.Has(wire.ECN) {
			t.Errorf("%+v: the next switch or the server moves marks", f.header())
		}
		ip := inet.IPv4(f.frame[inet.EtherLen:])
		marked = append(marked, ip.ECN() == inet.CE)
	}
	if want := []bool{false, false, false, true, true, true}; !slices.Equal(marked, want) {
		t.Errorf("marked %v, want %v", marked, want)
	}
	if n := c.e.Chip().Snapshot().Egress; n > 0 {
		t.Errorf("%d packets passed the egress", n)
	}
}

// Who reserves the first half of an aggregator does not find the second one taken by the number before,
// however long the parameter packet waits between its passes: it frees the second half first.
func TestFreshPacketFindsBothHalves(t *testing.T) {
	timing := tofino.DefaultTiming()
	cfg := configOf(1, []int{0}, []int{2})
	s := &cfg.Jobs[0].Servers[0]
	c := newChip(t, cfg, Options{Timing: &timing})
	send := func(at units.Duration, p *packet) {
		c.until(units.Time(0).Add(at))
		c.handle(units.Time(0).Add(at), arrival(p))
	}
	send(0, gradient(s, 1, 0, 0, 1, 0))
	send(2*units.Microsecond, parameter(s, 1, 1, 0))
	send(2300*units.Nanosecond, gradient(s, 1, 0, 0, 2, 0))
	for range 40 { // the second pass of the parameter packet waits behind these
		foreign := parameter(s, 9, 1, 0)
		send(2510*units.Nanosecond, foreign)
	}
	c.until(units.Never - 1)
	if n, late := c.count(atp.Collisions.String()), c.count(CountSecondPass); n != 1 || late != 0 {
		t.Errorf("%d packets have collided, %d of them in the second pass: want 1 and 0", n, late)
	}
	if c.e.Remembers() {
		t.Error("the chip still holds a half")
	}
}

// Packets that are added take their way into the ingress twice. At the rate of the port, some of those that
// come at line rate are lost on the second; at twice that rate none is (assumed: see [Timing]).
func TestInputAtLineRate(t *testing.T) {
	for name, tc := range map[string]struct {
		timing tofino.Timing
		lost   bool
	}{"rate of the port": {tofino.DefaultTiming(), true}, "twice": {Timing(), false}} {
		cfg := configOf(1000, []int{0}, []int{2})
		s := &cfg.Jobs[0].Servers[0]
		c := newChip(t, cfg, Options{Timing: &tc.timing})
		for i := range 1000 {
			at := units.Time(0).Add(tofino.PortRate.TimeToSend(units.Bytes(i) * (inet.UDPHeaders + wire.PayloadLen + units.EthernetFraming)))
			c.handle(at, arrival(gradient(s, 1, 0, 0, uint32(1+i), uint16(i))))
		}
		c.until(units.Never - 1)
		if got := c.count(tofino.DropInput); got > 0 != tc.lost || c.count(CountAbsorbed)+got != 1000 {
			t.Errorf("%s: %d packets are lost, %d absorbed", name, got, c.count(CountAbsorbed))
		}
	}
}

// The program itself keeps the sum of the IP header right where it moves a mark from it, for any sum; and
// leaves packets alone that it does not know: those with IP options, too.
func TestHeaderSums(t *testing.T) {
	cfg := configOf(1, []int{0}, []int{2})
	s := &cfg.Jobs[0].Servers[0]
	o := &behind{}
	c := newChip(t, cfg, Options{Observer: o})
	for id := range 1 << 16 {
		p := parameter(s, 1, 1, 0)
		p.ce = true
		a := arrival(p)
		ip := inet.IPv4(a.Train.Header[inet.EtherLen:])
		ip.SetID(uint16(id))
		ip.UpdateChecksum()
		c.handle(0, a)
		got := inet.IPv4(o.front[inet.EtherLen:])
		sum := got.Checksum()
		if got.UpdateChecksum(); got.Checksum() != sum || got.ECN() != inet.ECT0 {
			t.Fatalf("identification %d: the sum of the header is %#x, want %#x; codepoint %d", id, sum, got.Checksum(), got.ECN())
		}
	}
	plain := arrival(gradient(s, 1, 0, 0, 1, 0))
	h := plain.Train.Header
	with := slices.Concat(h[:inet.EtherLen+inet.IPv4Len], []byte{1, 1, 1, 1}, h[inet.EtherLen+inet.IPv4Len:])
	with[inet.EtherLen] = 0x46
	ip := inet.IPv4(with[inet.EtherLen:])
	ip.SetTotalLen(ip.TotalLen() + 4)
	ip.UpdateChecksum()
	plain.Train.Header = with
	c.handle(0, plain)
	if !slices.Equal(o.front[:len(with)], with) || c.count(atp.CountOptions) != 1 {
		t.Errorf("a packet with IP options is changed, from %x to %x", with, o.front[:len(with)])
	}
}

// behind keeps the beginning of the last packet behind the deparser of the ingress.
type behind struct{ front []byte }

func (b *behind) Passed(o *tofino.Observation) { b.front = append(b.front[:0], o.Packet.Front()...) }

// What comes by a port that does not serve jobs is forwarded without the program.
func TestOtherPorts(t *testing.T) {
	cfg := configOf(1, []int{0}, []int{2})
	c := newChip(t, cfg, Options{})
	a := arrival(gradient(&cfg.Jobs[0].Servers[0], 1, 0, 0, 1, 0))
	l, _ := a.Train.Layout()
	for port, want := range map[sansio.Port]dataplane.Claim{0: dataplane.InTransit, MaxPorts - 1: dataplane.InTransit, MaxPorts: dataplane.NotMine} {
		if got := c.e.Claims(dataplane.Frame{Port: port, Header: a.Train.Header, Layout: l}); got != want {
			t.Errorf("by port %d: claim %d, want %d", port, got, want)
		}
	}
}
