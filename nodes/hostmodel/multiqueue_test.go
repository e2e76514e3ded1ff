package hostmodel_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/hostmodel"
)

const nanosecond = units.Time(units.Nanosecond)

// mirror answers each frame to where it came from, with its own ports swapped.
type mirror struct {
	times  []units.Time
	frames []int // of each call
	ids    map[uint16][]byte
}

func (m *mirror) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	n := 0
	for i := range in {
		t := &in[i].Train
		udp := inet.UDP(t.Header[inet.EtherLen+inet.IPv4Len:])
		back := inet.UDPHeader(inet.Flow{Src: addr(2), Dst: addr(1), SrcPort: udp.DstPort(), DstPort: udp.SrcPort()})
		for f := range t.Frames() {
			body := eff.Body(len(t.Payload(f)))
			copy(body, t.Payload(f))
			eff.Emit([]sansio.Port{0}, back, body)
			m.ids[udp.DstPort()] = append(m.ids[udp.DstPort()], body[0])
			n++
		}
	}
	m.times, m.frames = append(m.times, now), append(m.frames, n)
}
func (m *mirror) Expire(units.Time, *sansio.Effects) {}
func (m *mirror) NextDeadline() units.Time           { return units.Never }

// arrival is a train of n frames of size bytes to a UDP port; the first byte of
// each counts from first.
func arrival(port uint16, n, size, first int) sansio.Arrival {
	header := inet.UDPHeader(inet.Flow{Src: addr(1), Dst: addr(2), SrcPort: 9, DstPort: port})
	body := make([]byte, n*size)
	for i := range n {
		body[i*size] = byte(first + i)
	}
	inet.SetUDPBody(header, len(body))
	return sansio.Arrival{Train: sansio.Train{Header: header, Body: body, Seg: size, Checksum: sansio.ChecksumPartial}}
}

// sent is a frame that left the host.
type sent struct {
	at   units.Time
	port uint16
	id   byte
}

// drain runs a host to the end and returns what left it.
func drain(h sansio.Machine, eff *sansio.Effects, now units.Time) (out []sent) {
	for {
		out = append(out, collect(eff, now)...)
		if h.NextDeadline() == units.Never {
			return out
		}
		now = h.NextDeadline()
		h.Expire(now, eff)
	}
}

func newHost(t rapid.TB, m hostmodel.Model, inner sansio.Machine) sansio.Machine {
	t.Helper()
	h, err := hostmodel.New(m, "h0", inner)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A core that is idle takes what is there, one packet; what comes meanwhile
// waits, and is taken together, up to a batch. Answers of a batch leave together,
// before the next is taken.
func TestBatches(t *testing.T) {
	m := hostmodel.Model{Kind: "test", Queues: 1, Burst: 32, Frame: 10 * units.Nanosecond, PerBatch: 100 * units.Nanosecond}
	inner := &mirror{ids: map[uint16][]byte{}}
	h := newHost(t, m, inner)
	var eff sansio.Effects
	h.Handle(0, []sansio.Arrival{arrival(1, 1, 64, 0)}, &eff)
	eff.Reset()
	h.Handle(1, []sansio.Arrival{arrival(1, 40, 64, 1)}, &eff) // the core is busy until 110 ns
	left := drain(h, &eff, 1)
	if want := []int{1, 32, 8}; !slices.Equal(inner.frames, want) {
		t.Errorf("batches of %v frames, want %v", inner.frames, want)
	}
	// 1: in by 110, out by 220. 32: 420 each way. 8: 180 each way.
	if want := []units.Time{110 * nanosecond, 640 * nanosecond, 1240 * nanosecond}; !slices.Equal(inner.times, want) {
		t.Errorf("handled at %v, want %v", inner.times, want)
	}
	if len(left) != 41 || left[0].at != 220*nanosecond || left[1].at != 1060*nanosecond || left[40].at != 1420*nanosecond {
		t.Errorf("%d answers left, at %v ... %v", len(left), left[0].at, left[len(left)-1].at)
	}
	for i, s := range left {
		if int(s.id) != i {
			t.Fatalf("answer %d is to packet %d", i, s.id)
		}
	}
}

// A full batch of packets of 256 values costs a core what dpdk.packet says.
func TestFullBatchesCostAPacketEach(t *testing.T) {
	m := hostmodel.Defaults().DPDKCores(8)
	m.Latency = 0
	inner := &mirror{ids: map[uint16][]byte{}}
	h := newHost(t, m, inner)
	var eff sansio.Effects
	h.Handle(0, []sansio.Arrival{arrival(8, 32, 1024, 0)}, &eff)
	left := drain(h, &eff, 0)
	if d := units.Duration(left[31].at) - 32*880*units.Nanosecond; d < -1000 || d > 1000 {
		t.Errorf("a batch of 32 is through at %v, want %v", left[31].at, 32*880*units.Nanosecond)
	}
	if m.Queues != 8 || m.Burst != 32 {
		t.Errorf("%d queues, batches of %d", m.Queues, m.Burst)
	}
}

// Flows of different cores do not wait for each other, those of one core do.
func TestQueuesByPort(t *testing.T) {
	m := hostmodel.Model{Kind: "test", Queues: 4, Burst: 1, Frame: 100 * units.Nanosecond}
	for ports, want := range map[[4]uint16]units.Time{{0, 1, 2, 3}: 200, {4, 5, 6, 7}: 200, {1, 1, 1, 1}: 800, {1, 5, 2, 6}: 400} {
		inner := &mirror{ids: map[uint16][]byte{}}
		h := newHost(t, m, inner)
		var eff sansio.Effects
		for _, p := range ports {
			h.Handle(0, []sansio.Arrival{arrival(p, 1, 64, 0)}, &eff)
		}
		left := drain(h, &eff, 0)
		if len(left) != 4 || left[3].at != want*nanosecond {
			t.Errorf("ports %v: through at %v, want %v ns", ports, left[3].at, want)
		}
	}
}

// However frames come, each is answered once, and those of a flow in order.
func TestQueuesKeepFlows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := hostmodel.Model{
			Kind: "test", Queues: rapid.IntRange(1, 5).Draw(t, "queues"), Burst: rapid.IntRange(0, 40).Draw(t, "burst"),
			Buffer: rapid.IntRange(0, 40).Draw(t, "buffer"), Drain: units.Duration(rapid.IntRange(0, 2000).Draw(t, "drain")),
			Frame: units.Duration(rapid.IntRange(0, 200).Draw(t, "frame")), PerBatch: units.Duration(rapid.IntRange(0, 50).Draw(t, "per batch")),
			Rate: units.Rate(rapid.SampledFrom([]int{0, 1e9, 1e11}).Draw(t, "rate")), Latency: units.Duration(rapid.IntRange(0, 1000).Draw(t, "latency")),
		}
		inner := &mirror{ids: map[uint16][]byte{}}
		h := newHost(t, m, inner)
		eff := sansio.Effects{Keeping: rapid.Bool().Draw(t, "keeping")}
		next, now := map[uint16]int{}, units.Time(0)
		var left []sent
		for range rapid.IntRange(1, 8).Draw(t, "arrivals") {
			port, n := uint16(rapid.IntRange(0, 6).Draw(t, "port")), rapid.IntRange(1, 30).Draw(t, "frames")
			now += units.Time(rapid.IntRange(0, 500).Draw(t, "later"))
			for h.NextDeadline() <= now {
				at := h.NextDeadline()
				h.Expire(at, &eff)
				left = append(left, collect(&eff, at)...)
			}
			a := arrival(port, n, rapid.IntRange(1, 80).Draw(t, "size"), next[port])
			h.Handle(now, []sansio.Arrival{a}, &eff)
			left = append(left, collect(&eff, now)...)
			clear(a.Train.Body) // borrowed until here
			clear(a.Train.Header)
			next[port] += n
		}
		left = append(left, drain(h, &eff, now)...)
		got := map[uint16]int{}
		for _, s := range left {
			if int(s.id) != got[s.port]%256 {
				t.Fatalf("port %d: answer %d is to packet %d", s.port, got[s.port], s.id)
			}
			got[s.port]++
		}
		for port, n := range next {
			if got[port] != n {
				t.Fatalf("port %d: %d answers to %d packets", port, got[port], n)
			}
		}
	})
}

// collect takes what a call sent.
func collect(eff *sansio.Effects, now units.Time) (out []sent) {
	for _, s := range eff.Sends {
		for f := range s.Train.Frames() {
			out = append(out, sent{now, inet.UDP(s.Train.Header[inet.EtherLen+inet.IPv4Len:]).SrcPort(), s.Train.Payload(f)[0]})
		}
	}
	eff.Reset()
	return out
}

// What is no UDP, and what the machine sends on its own, have a core as well.
func TestQueuesOfOtherFrames(t *testing.T) {
	inner := &echo{start: 5}
	h := newHost(t, hostmodel.Model{Kind: "test", Queues: 3, Frame: 7}, inner)
	if h.NextDeadline() != 5 {
		t.Errorf("due at %v", h.NextDeadline())
	}
	var eff sansio.Effects
	h.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: []byte("no frame")}}}, &eff)
	eff.Reset()
	h.Expire(5, &eff)
	for h.NextDeadline() != units.Never {
		now := h.NextDeadline()
		eff.Reset()
		h.Expire(now, &eff)
	}
	if len(inner.got) != 1 || inner.got[0] != 7 {
		t.Errorf("handled at %v", inner.got)
	}
}

func TestQueuesAreChecked(t *testing.T) {
	for _, m := range []hostmodel.Model{
		{Queues: 1, Burst: -1}, {Queues: 1, Buffer: -1}, {Queues: 1, Drain: -1}, {Queues: 1, PerBatch: -1}, {Queues: 1, Message: -1}, {Queues: 1, Frame: -1},
		{Queues: 1, Latency: -1}, {Queues: -1, Burst: 1},
	} {
		if _, err := hostmodel.New(m, "h0", &echo{}); err == nil || !strings.Contains(err.Error(), "modelling") {
			t.Errorf("%+v: %v", m, err)
		}
	}
}
