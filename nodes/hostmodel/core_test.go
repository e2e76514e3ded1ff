package hostmodel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/hostmodel"
)

// small is a core with a burst and a buffer of four, whose costs are easy to add up:
// 100 ns a batch and 10 ns a frame, each way.
var small = hostmodel.Model{
	Kind: "test", Queues: 1, Burst: 4, Buffer: 4, Drain: 10 * units.Microsecond, Frame: 10 * units.Nanosecond, PerBatch: 100 * units.Nanosecond,
}

// coming is frames that come to a port at a time in nanoseconds.
type coming struct {
	at     int
	port   uint16
	frames int
}

// transcript runs a host and tells what left it when, in picoseconds: "280000 port 1: 0 1 2 3".
func transcript(t *testing.T, m hostmodel.Model, inner sansio.Machine, in ...coming) string {
	t.Helper()
	h := newHost(t, m, inner)
	var eff sansio.Effects
	var left []sent
	var now units.Time
	next := map[uint16]int{}
	for _, c := range in {
		at := units.Time(c.at) * nanosecond
		for h.NextDeadline() < at {
			now = h.NextDeadline()
			h.Expire(now, &eff)
			left = append(left, collect(&eff, now)...)
		}
		now = at
		h.Handle(now, []sansio.Arrival{arrival(c.port, c.frames, 64, next[c.port])}, &eff)
		left = append(left, collect(&eff, now)...)
		next[c.port] += c.frames
	}
	return lines(append(left, drain(h, &eff, now)...))
}

// lines joins what left at one time from one port.
func lines(left []sent) string {
	var out []string
	for i, s := range left {
		if i == 0 || s.at != left[i-1].at || s.port != left[i-1].port {
			out = append(out, fmt.Sprintf("%d port %d:", int64(s.at), s.port))
		}
		out[len(out)-1] += fmt.Sprint(" ", s.id)
	}
	return strings.Join(out, "\n")
}

func TestTransmitBuffer(t *testing.T) {
	one, eager, unbuffered := small, small, small
	one.Buffer, eager.Drain, unbuffered.Buffer = 1, 0, 0
	for _, c := range []struct {
		name  string
		model hostmodel.Model
		in    []coming
		want  string
	}{
		// In by 140 ns, answered by 180, and with the call by 280.
		{"full", small, []coming{{0, 1, 4}}, "280000 port 1: 0 1 2 3"},
		// The clock starts with the packet that wakes the core; the call takes 100 ns.
		{"by time", small, []coming{{5000, 1, 1}}, "15100000 port 1: 0"},
		// The call for the full buffer counts as of the last poll that found nothing, at 0,
		// and what is left is sent 10 us later.
		{"full, then by time", small, []coming{{0, 1, 6}}, "280000 port 1: 0 1 2 3\n10100000 port 1: 4 5"},
		// One frame of the second burst fills the buffer: in by 5110, answered by 5120, sent by
		// 5220. The last poll that found nothing was at 5000.
		{"filled in the middle of a burst", small, []coming{{0, 1, 3}, {5000, 1, 3}}, "5220000 port 1: 0 1 2 3\n15100000 port 1: 4 5"},
		// Busy from 0 to beyond 10 us, so that the first empty poll is late already.
		{"late", busy(small), []coming{{0, 1, 5}}, "16200000 port 1: 0 1 2 3\n20400000 port 1: 4"},
		// The poll before the second burst found something, and the last that did not began
		// the call by time.
		{"during a call", small, []coming{{0, 1, 1}, {10050, 1, 5}}, "10100000 port 1: 0\n10380000 port 1: 1 2 3 4\n20100000 port 1: 5"},
		// A frame that comes when 10 us are over is handled first.
		{"on the dot", small, []coming{{0, 1, 1}, {10000, 1, 1}}, "10220000 port 1: 0 1"},
		{"no buffer to speak of", one, []coming{{0, 1, 2}}, "220000 port 1: 0\n340000 port 1: 1"},
		{"drained at once", eager, []coming{{0, 1, 2}, {1000, 1, 1}}, "240000 port 1: 0 1\n1220000 port 1: 2"},
		{"none", unbuffered, []coming{{0, 1, 3}}, "260000 port 1: 0 1 2"},
		// A later wake-up starts the clock anew, one within 10 us of the last call does not.
		{"clock", small, []coming{{0, 1, 1}, {12000, 1, 1}, {40000, 1, 1}}, "10100000 port 1: 0\n20100000 port 1: 1\n50100000 port 1: 2"},
	} {
		if got := transcript(t, c.model, &mirror{ids: map[uint16][]byte{}}, c.in...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// busy is a core that takes 2 us a frame, each way.
func busy(m hostmodel.Model) hostmodel.Model {
	m.Frame = 2 * units.Microsecond
	return m
}

// Cores have buffers and clocks of their own.
func TestBuffersOfCores(t *testing.T) {
	m := small
	m.Queues = 2
	got := transcript(t, m, &mirror{ids: map[uint16][]byte{}}, coming{0, 1, 1}, coming{1000, 2, 3}, coming{2000, 1, 3})
	want := "2260000 port 1: 0 1 2 3\n11100000 port 2: 0 1 2"
	if got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// starter sends two frames of its own accord at a time, from port 2, and answers like
// a mirror.
type starter struct {
	mirror
	start units.Time
}

func (s *starter) Expire(now units.Time, eff *sansio.Effects) {
	s.start = units.Never
	for i := range 2 {
		body := eff.Body(64)
		clear(body)
		body[0] = byte(100 + i)
		eff.Emit([]sansio.Port{0}, template(), body) // from port 1
	}
}
func (s *starter) NextDeadline() units.Time { return s.start }

// What the machine sends of its own accord waits for an empty poll, and then leaves in a
// call of its own, whatever is in the buffer.
func TestOwnSends(t *testing.T) {
	for start, want := range map[units.Time]string{
		// 120 ns for the call, while one answer is in the buffer.
		2000 * nanosecond: "2120000 port 1: 100 101\n10100000 port 1: 0",
		// The core is busy with the answer until 120 ns.
		50 * nanosecond: "240000 port 1: 100 101\n10100000 port 1: 0",
	} {
		inner := &starter{mirror: mirror{ids: map[uint16][]byte{}}, start: start}
		if got := transcript(t, small, inner, coming{0, 1, 1}); got != want {
			t.Errorf("at %v:\n%s\nwant\n%s", start, got, want)
		}
	}
	// The clock of a core that begins to send starts at the end of that.
	inner := &starter{mirror: mirror{ids: map[uint16][]byte{}}, start: 50000 * nanosecond}
	want := "50120000 port 1: 100 101\n60220000 port 1: 0"
	if got := transcript(t, small, inner, coming{52000, 1, 1}); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// ticker sends a frame from port 1 at the times when its timers are looked at, which are
// due three times.
type ticker struct {
	starter
	looked []units.Time
}

func (k *ticker) Expire(now units.Time, eff *sansio.Effects) {
	k.looked = append(k.looked, now)
	if k.start = now.Add(20 * units.Nanosecond); len(k.looked) == 3 {
		k.start = units.Never
	}
	body := eff.Body(64)
	clear(body)
	eff.Emit([]sansio.Port{0}, template(), body)
}

// A machine's timers are looked at when a core has nothing to do, and not again before
// what they had it send is on its way.
func TestTimersWaitForIdleCores(t *testing.T) {
	two := small
	two.Queues = 2
	for name, c := range map[string]struct {
		model hostmodel.Model
		want  []units.Time
	}{
		// Busy until 140; each frame then takes 110.
		"one core": {small, []units.Time{140, 250, 360}},
		// Core 0 is idle; core 1 comes to the first frame at 140.
		"two cores": {two, []units.Time{50, 140, 250}},
	} {
		k := &ticker{starter: starter{mirror: mirror{ids: map[uint16][]byte{}}, start: 50 * nanosecond}}
		transcript(t, c.model, k, coming{0, 1, 2})
		for i := range c.want {
			c.want[i] *= nanosecond
		}
		if !slices.Equal(k.looked, c.want) {
			t.Errorf("%s: looked at %v, want %v", name, k.looked, c.want)
		}
	}
}

// rdma answers each train of RoCE with itself.
type rdma struct{ times []units.Time }

func (r *rdma) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	r.times = append(r.times, now)
	for _, a := range in {
		t := a.Train
		t.Body = append(eff.Body(len(t.Body))[:0], t.Body...)
		t.Memory = nil
		eff.Send([]sansio.Port{0}, t)
	}
}
func (r *rdma) Expire(units.Time, *sansio.Effects) {}
func (r *rdma) NextDeadline() units.Time           { return units.Never }

// roceTrain is frames of RoCE with these opcodes.
func roceTrain(ops ...byte) sansio.Arrival {
	a := arrival(4791, len(ops), 64, 0)
	for i, op := range ops {
		a.Train.Body[64*i] = op
	}
	return a
}

// A message costs the one core its time once each way, however many packets it has;
// messages are handled one after the other, and acknowledgements cost nothing.
func TestMessages(t *testing.T) {
	inner := &rdma{}
	h := newHost(t, hostmodel.Model{Kind: "test", Queues: 1, Message: 250 * units.Nanosecond}, inner)
	var eff sansio.Effects
	const first, middle, last, acknowledge = 0x26, 0x27, 0x29, 0x11 // UC: RDMA write, with immediate
	h.Handle(0, []sansio.Arrival{roceTrain(first, middle, last, first, last), roceTrain(acknowledge), roceTrain(middle)}, &eff)
	got := lines(drain(h, &eff, 0))
	ns := nanosecond
	if want := []units.Time{250 * ns, 750 * ns, 1000 * ns}; !slices.Equal(inner.times, want) {
		t.Errorf("handled at %v, want %v", inner.times, want)
	}
	want := "500000 port 9: 38 39 41\n1000000 port 9: 38 41 17 39"
	if got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// Every opcode that ends a message does, of each transport, and no other.
func TestMessageEnds(t *testing.T) {
	ends := map[byte]bool{0x02: true, 0x03: true, 0x04: true, 0x05: true, 0x08: true, 0x09: true, 0x0a: true, 0x0b: true}
	for op := range byte(0x40) {
		inner := &rdma{}
		h := newHost(t, hostmodel.Model{Kind: "test", Queues: 1, Message: units.Nanosecond}, inner)
		var eff sansio.Effects
		h.Handle(0, []sansio.Arrival{roceTrain(op)}, &eff)
		drain(h, &eff, 0)
		if took := inner.times[0] > 0; took != ends[op&0x1f] {
			t.Errorf("opcode %#x ends a message: %v", op, took)
		}
	}
}
