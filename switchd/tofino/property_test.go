package tofino

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// everything is a chip with a fate for each operation.
func everything(tb tester, change ...func(*Config)) *bench {
	b := adding(newBench(tb, change...), 0, 1, 2)
	b.route(to(4), 2, passFirst, 0).route(route{multicast: true, unicast: true, port: FrontPort(9), rid: 2}, 3, passFirst, 0)
	b.route(route{drop: 1}, 4, passFirst, 0).route(route{resubmit: true}, 5, passFirst, 0).route(to(5), 5, passFirst, 1)
	b.route(route{unicast: true, port: FrontPort(6), mirror: 3}, 6, passFirst, 0)
	b.route(route{again: true, unicast: true, port: Recirculation(3)}, 7, passFirst, 0).
		route(route{again: true, unicast: true, port: FrontPort(loopPort)}, 7, passBack, 0)
	if err := b.c.SetMirror(3, Mirror{Port: FrontPort(8)}); err != nil {
		tb.Fatal(err)
	}
	return b
}

// drawFrame draws a packet of the program, or something like it.
func drawFrame(t *rapid.T) []byte {
	op := rapid.ByteRange(0, 8).Draw(t, "op")
	f := packetOf(op, rapid.ByteRange(0, 3).Draw(t, "slot"))
	if op == opAdd {
		f = added(f[inet.UDPHeaders+1], rapid.IntRange(0, 60000).Draw(t, "value"))
	}
	switch rapid.IntRange(0, 9).Draw(t, "harm") {
	case 0:
		f = f[:rapid.IntRange(0, len(f)).Draw(t, "length")]
	case 1:
		f[rapid.IntRange(0, len(f)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	}
	return f
}

// ports joins what left, by port.
func (b *bench) ports() map[sansio.Port]string {
	out := map[sansio.Port]string{}
	for _, s := range b.sent {
		out[s.port] += fmt.Sprintf("%x\n", s.frame)
	}
	return out
}

// Frames do the same in a train and alone, in one call and in many; so do vectors and
// copies one by one.
func TestTrainsAreFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		together, alone, slow := everything(t), everything(t), everything(t, func(c *Config) { c.OneByOne = true })
		var in []sansio.Arrival
		for range rapid.IntRange(1, 5).Draw(t, "trains") {
			op, port := rapid.ByteRange(1, 7).Draw(t, "op"), rapid.IntRange(0, loopPort-1).Draw(t, "port")
			var frames [][]byte
			for slot := range rapid.ByteRange(1, 8).Draw(t, "frames") {
				if f := packetOf(op, slot); op == opAdd {
					frames = append(frames, added(slot%3, rapid.IntRange(0, 60000).Draw(t, "value")))
				} else {
					frames = append(frames, f)
				}
			}
			in = append(in, train(port, frames...))
		}
		together.handle(0, in...)
		slow.handle(0, in...)
		for _, a := range in {
			for i := range a.Train.Frames() {
				alone.handle(0, sansio.Arrival{Port: a.Port, Train: a.Train.Frame(i, nil)})
			}
		}
		want := fmt.Sprint(alone.ports(), alone.c.Counters())
		for name, b := range map[string]*bench{"in trains": together, "one by one": slow} {
			if got := fmt.Sprint(b.ports(), b.c.Counters()); got != want {
				t.Fatalf("%s:\n%s\nalone:\n%s", name, got, want)
			}
		}
	})
}

// Packets are conserved: what arrived, and what was made of it, has left, was
// dropped under a name, or is inside. Any packet is harmless, and two runs are the same.
func TestPacketsAreConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cfg []func(*Config)
		if rapid.Bool().Draw(t, "timed") {
			cfg = append(cfg, timed(func(t *Timing) { t.Queue, t.Mark = 20, 4 }))
		}
		a, b := everything(t, cfg...), everything(t, cfg...)
		now := units.Time(0)
		for range rapid.IntRange(1, 30).Draw(t, "calls") {
			var in []sansio.Arrival
			for range rapid.IntRange(0, 4).Draw(t, "frames") {
				in = append(in, arrival(rapid.IntRange(0, loopPort).Draw(t, "port"), drawFrame(t)))
			}
			a.handle(now, in...)
			for at := b.c.NextDeadline(); at < now; at = b.c.NextDeadline() { // a driver that comes for every deadline
				b.c.Expire(at, &b.eff)
				b.take(at)
			}
			b.handle(now, in...)
			now = now.Add(units.Duration(rapid.IntRange(0, 500).Draw(t, "ns")) * units.Nanosecond)
			conserved(t, a.c)
		}
		a.idle()
		b.idle()
		conserved(t, a.c)
		if s := a.c.Snapshot(); s.Inside != 0 || s.Buffer != 0 {
			t.Fatalf("%d packets and %d cells are inside an idle chip", s.Inside, s.Buffer)
		}
		if got, want := fmt.Sprint(a.ports(), a.c.Counters()), fmt.Sprint(b.ports(), b.c.Counters()); got != want {
			t.Fatalf("two runs differ:\n%s\n%s", got, want)
		}
	})
}

func conserved(t *rapid.T, c *Chip) {
	var dropped uint64
	for _, n := range c.Counters() {
		switch n.Name {
		case CountPackets, CountPasses, CountEgress, CountCopies, CountMirrors, CountSent, CountReplaced, CountBeyond, CountMarked,
			CountUnmarked, CountAgain, DropNoSession, DropMirror:
		default:
			dropped += n.N
		}
	}
	s := c.Snapshot()
	var waiting uint64 // packets that have become copies, which borrow from them
	for _, k := range c.packets {
		if k.waiting && k.copies > 0 {
			waiting++
		}
	}
	made := s.Arrived + s.Copies + s.Mirrors
	if gone := s.Sent + dropped + c.stats.replaced + uint64(s.Inside) - waiting; gone != made {
		t.Fatalf("%d packets arrived or were made, %d are accounted for; %+v", made, gone, c.Counters())
	}
}

// Nothing is allocated for a packet, with time or without.
func TestNoAllocation(t *testing.T) {
	for name, change := range map[string]func(*Config){"instant": func(*Config) {}, "timed": timed()} {
		b := everything(t, change)
		var in []sansio.Arrival
		for op := range byte(8) {
			if op == opAdd {
				in = append(in, train(int(op), added(1, 1), added(2, 1), added(3, 1)))
			} else {
				in = append(in, train(int(op), packetOf(op, 1), packetOf(op, 2)))
			}
		}
		now := units.Time(0)
		n := testing.AllocsPerRun(200, func() {
			now = now.Add(20 * units.Microsecond)
			b.c.Handle(now, in, &b.eff)
			b.eff.Reset()
			for at := b.c.NextDeadline(); at != units.Never; at = b.c.NextDeadline() {
				b.c.Expire(at, &b.eff)
				b.eff.Reset()
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// A packet that carries unstored values leaves as such.
func TestLengthsOnly(t *testing.T) {
	b := adding(newBench(t), 0, 1)
	f := added(1, 0)
	in := arrival(0, f)
	in.Train.Body, in.Train.Unstored = in.Train.Body[:4], 256
	b.c.Handle(0, []sansio.Arrival{in}, &b.eff)
	for i := range b.eff.Sends {
		if tr := &b.eff.Sends[i].Train; tr.Unstored != 256 || len(tr.Body) != 4 {
			t.Errorf("%d bytes and %d unstored leave", len(tr.Body), tr.Unstored)
		}
	}
	b.take(0)
	if got := b.expect(0, 1)[0].frame; len(got) != len(f) {
		t.Errorf("a frame of %d bytes, want %d", len(got), len(f))
	}
}

// A packet that came with zeros leaves with them, also where others came without.
func TestStoredZerosStay(t *testing.T) {
	b := adding(newBench(t), 0, 1)
	f := added(1, 0)
	none := arrival(0, slices.Clone(f))
	none.Train.Body, none.Train.Unstored = none.Train.Body[:4], 256
	zeros := arrival(0, slices.Clone(f))
	clear(zeros.Train.Body[4:])
	for i, in := range []sansio.Arrival{none, zeros, none} {
		b.eff.Reset()
		b.c.Handle(0, []sansio.Arrival{in}, &b.eff)
		if len(b.eff.Sends) == 0 {
			t.Fatalf("packet %d: nothing leaves", i)
		}
		for k := range b.eff.Sends {
			if tr := &b.eff.Sends[k].Train; tr.Unstored != in.Train.Unstored {
				t.Errorf("packet %d came with %d bytes unstored, and leaves with %d", i, in.Train.Unstored, tr.Unstored)
			}
		}
	}
}

// observer remembers passes.
type observer struct {
	c   *Chip
	log []string
}

func (o *observer) Passed(p *Observation) {
	slot, _ := o.c.Field("h.slot")
	o.log = append(o.log, fmt.Sprintf("%v of pipe %d, port %v, pass %d, slot %d, %d bytes", p.Side, p.Pipe, p.Port, p.Passes,
		p.Field(slot), p.Packet.Len()))
}

func TestObserver(t *testing.T) {
	o := &observer{}
	b := adding(newBench(t, func(c *Config) { c.Observer = o }), 1)
	o.c = b.c
	b.handle(0, arrival(2, added(6, 0)))
	n := len(added(6, 0))
	want := []string{
		fmt.Sprintf("ingress of pipe 0, port 0/8, pass 1, slot 6, %d bytes", n+1),
		fmt.Sprintf("egress of pipe 0, port 0/68, pass 1, slot 0, %d bytes", n+1),
		fmt.Sprintf("ingress of pipe 0, port 0/68, pass 2, slot 6, %d bytes", n),
		fmt.Sprintf("egress of pipe 0, port 0/4, pass 2, slot 6, %d bytes", n),
	}
	if fmt.Sprint(o.log) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", o.log, want)
	}
}

func TestViews(t *testing.T) {
	for name, change := range map[string]func(*Config){"instant": func(*Config) {}, "timed": timed()} {
		b := adding(newBench(t, change), 0, 1)
		b.handle(0, arrival(0, added(1, 0))).idle()
		for _, v := range b.c.Views() {
			table := b.c.View(0, v, 1000)
			for i, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Errorf("%s, view %s: row %d has %d values for %d columns", name, v, i, len(row), len(table.Columns))
				}
			}
			if short := b.c.View(0, v, 2); len(short.Rows) != 2 || short.Total != len(table.Rows) {
				t.Errorf("%s, view %s: %d rows of %d", name, v, len(short.Rows), short.Total)
			}
		}
		r := b.c.View(0, dataplane.ViewResources, 100)
		if len(r.Rows) != fit.Stages+1 || !strings.Contains(strings.Join(r.Notes, " "), "2.000 on average (1 with 2)") {
			t.Errorf("%s: %d rows, %q", name, len(r.Rows), r.Notes)
		}
		if none := b.c.View(0, dataplane.ViewJobs, 5); len(none.Columns) != 0 {
			t.Errorf("a view that it does not have: %+v", none)
		}
		if text, err := json.Marshal(b.c.Snapshot()); err != nil || !bytes.Contains(text, []byte(`"program":"adder"`)) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}
