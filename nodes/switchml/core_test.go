package switchml_test

import (
	"math"
	"net/netip"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchml"
)

func testConfig() switchml.Config {
	return switchml.Config{Node: "w0", Workers: 2, Tensor: 4 * elements, Elements: elements, Slots: 2, Job: 9, Flow: flowOf(0)}
}

func newCore(t *testing.T, cfg switchml.Config) *switchml.Core {
	t.Helper()
	c, err := switchml.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// headers returns the headers of what was sent, and resets the effects.
func headers(t *testing.T, eff *sansio.Effects) (out []wire.Header) {
	t.Helper()
	for _, s := range eff.Sends {
		for f := range s.Train.Frames() {
			h, problem := wire.Parse(s.Train.Payload(f))
			if problem != wire.OK {
				t.Fatal(problem)
			}
			out = append(out, h)
		}
	}
	eff.Reset()
	return out
}

// answer makes a result packet.
func answer(flow inet.Flow, h wire.Header, value int32) sansio.Arrival {
	body := make([]byte, wire.HeaderLen+4*h.Size.Elements())
	h.Put(body)
	for i := wire.HeaderLen; i < len(body); i += 4 {
		body[i], body[i+1], body[i+2], body[i+3] = byte(value>>24), byte(value>>16), byte(value>>8), byte(value)
	}
	header := inet.UDPHeader(flow)
	inet.SetUDPBody(header, len(body))
	return sansio.Arrival{Train: sansio.Train{Header: header, Body: body}}
}

// §4.6: "when workers send the j-th block to slot i, they include their local
// block j+1's maximum"; the first packet carries only that, over zeros.
func TestExponentsTravelOnePacketAhead(t *testing.T) {
	c := newCore(t, testConfig())
	grad := make([]float32, 4*elements)
	for block, v := range []float32{1, 0.25, 100, 0} { // 2^e above: 1, -1, 7, none
		grad[block*elements+5] = -v
	}
	eff := dirty()
	c.Begin(0, 0, grad, &eff)
	for _, s := range eff.Sends {
		for i, b := range s.Train.Payload(0)[wire.HeaderLen:] {
			if b != 0 {
				t.Fatalf("byte %d of the first packet is %d", i, b)
			}
		}
	}
	first := headers(t, &eff)
	want := []wire.Header{
		{Type: 1, Size: 1, Job: 9, PacketID: 1, Set: 0, Slot: 0, E0: 1},
		{Type: 1, Size: 1, Job: 9, PacketID: 1, Set: 0, Slot: 1, E0: -1},
	}
	if len(first) != 2 || first[0] != want[0] || first[1] != want[1] {
		t.Fatalf("first packets %+v, want %+v", first, want)
	}
	down := flowOf(0).Reverse()
	for _, step := range []struct{ slot, next int }{{0, 7}, {1, int(gradient.ExponentNone)}, {0, int(gradient.ExponentNone)}, {1, int(gradient.ExponentNone)}} {
		h := first[step.slot]
		c.Handle(0, []sansio.Arrival{answer(down, h, 0)}, &eff)
		got := headers(t, &eff)
		if len(got) != 1 || int(got[0].E0) != step.next || got[0].Set != h.Set^1 || got[0].PacketID != h.PacketID+1 {
			t.Fatalf("slot %d: %+v, want exponent %d in the other set", step.slot, got, step.next)
		}
		first[step.slot] = got[0]
	}
	if c.Complete(0) {
		t.Error("complete with two blocks in flight")
	}
}

// dirty returns a batch whose memory was used before.
func dirty() (eff sansio.Effects) {
	for b := eff.Body(1 << 15); len(b) > 0; b = b[1:] {
		b[0] = 0xdb
	}
	eff.Reset()
	return eff
}

// The last packet has the full length too, as in the public client: what is behind the tensor is zero.
func TestLastPacketIsPadded(t *testing.T) {
	cfg := testConfig()
	cfg.Tensor, cfg.Integers = elements+3, true
	c := newCore(t, cfg)
	q := make([]int32, cfg.Tensor)
	for i := range q {
		q[i] = -1
	}
	eff := dirty()
	c.BeginInts(0, 0, q, &eff)
	train := eff.Sends[len(eff.Sends)-1].Train
	last := train.Payload(train.Frames() - 1)[wire.HeaderLen:]
	for i, b := range last {
		if want := []byte{0xff, 0}[min(1, i/12)]; len(last) != 4*elements || b != want {
			t.Fatalf("byte %d of %d is %#x, want %#x", i, len(last), b, want)
		}
	}
}

// Results that are not for the packet in flight change nothing.
func TestStaleAndForeignResults(t *testing.T) {
	c := newCore(t, testConfig())
	var eff sansio.Effects
	down := flowOf(0).Reverse()
	inFlight := wire.Header{Type: 1, Size: 1, PacketID: 1}
	c.Handle(0, []sansio.Arrival{answer(down, inFlight, 1)}, &eff) // before Begin
	c.Begin(0, 0, make([]float32, 4*elements), &eff)
	eff.Reset()
	with := func(change func(*wire.Header)) wire.Header { h := inFlight; change(&h); return h }
	flow := func(change func(*inet.Flow)) inet.Flow { f := down; change(&f); return f }
	for name, x := range map[string]struct {
		reason string
		a      sansio.Arrival
	}{
		"other set":    {switchml.DropStale, answer(down, with(func(h *wire.Header) { h.Set = 1 }), 1)},
		"next packet":  {switchml.DropStale, answer(down, with(func(h *wire.Header) { h.PacketID = 2 }), 1)},
		"last packet":  {switchml.DropStale, answer(down, with(func(h *wire.Header) { h.PacketID = 0 }), 1)},
		"unknown slot": {switchml.DropForeign, answer(down, with(func(h *wire.Header) { h.Slot = 2 }), 1)},
		"other size":   {switchml.DropForeign, answer(down, with(func(h *wire.Header) { h.Size = 0 }), 1)},
		"type":         {string(wire.BadType), answer(down, with(func(h *wire.Header) { h.Type = 2 }), 1)},
		"other host":   {switchml.DropForeign, answer(flow(func(f *inet.Flow) { f.Src = netip.MustParseAddr("10.0.0.77") }), inFlight, 1)},
		"other source": {switchml.DropForeign, answer(flow(func(f *inet.Flow) { f.SrcPort++ }), inFlight, 1)},
		"other port":   {switchml.DropForeign, answer(flow(func(f *inet.Flow) { f.DstPort++ }), inFlight, 1)},
		"no frame":     {switchml.DropForeign, sansio.Arrival{}},
	} {
		before := count(c, x.reason)
		c.Handle(0, []sansio.Arrival{x.a}, &eff)
		if got := count(c, x.reason); got != before+1 || len(eff.Sends) != 0 {
			t.Errorf("%s: %d counted as %s, %d sends", name, got-before, x.reason, len(eff.Sends))
		}
	}
	c.Handle(0, []sansio.Arrival{answer(down, inFlight, 0), answer(down, inFlight, 0)}, &eff)
	if got := headers(t, &eff); len(got) != 1 {
		t.Errorf("%d packets follow a result and its copy, want 1", len(got))
	}
}

func TestDeadlines(t *testing.T) {
	cfg := testConfig()
	cfg.Timeout = 3 * units.Millisecond
	c := newCore(t, cfg)
	var eff sansio.Effects
	if c.NextDeadline() != units.Never {
		t.Error("a deadline before the first packet")
	}
	c.Begin(ms, 0, make([]float32, 4*elements), &eff)
	eff.Reset()
	if d := c.NextDeadline(); d != 4*ms {
		t.Errorf("deadline %v", d)
	}
	c.Expire(4*ms-1, &eff)
	if len(eff.Sends) != 0 {
		t.Error("sent again too early")
	}
	down := flowOf(0).Reverse()
	c.Handle(2*ms, []sansio.Arrival{answer(down, wire.Header{Type: 1, Size: 1, PacketID: 1, Slot: 0}, 0)}, &eff)
	eff.Reset()
	c.Expire(4*ms, &eff)
	if got := headers(t, &eff); len(got) != 1 || got[0].Slot != 1 || got[0].PacketID != 1 {
		t.Errorf("sent again: %+v, want the packet of slot 1", got)
	}
	if d := c.NextDeadline(); d != 5*ms {
		t.Errorf("deadline %v, want that of slot 0's second packet", d)
	}
}

// Values that fit no scale are counted, and do not spoil their neighbours.
func TestSaturation(t *testing.T) {
	r := newRig(t, params{n: 2, tensor: 3, slots: 1, gens: 1})
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	r.hosts[0].Tensors[0] = []float32{inf, nan, 1}
	r.hosts[1].Tensors[0] = []float32{inf, 2, 1}
	mustBeDone(t, r)
	for w, want := range []int{2, 1} {
		if got := r.hosts[w].Outcomes[0].Saturated; got != want {
			t.Errorf("worker %d: %d values saturated, want %d", w, got, want)
		}
		if mean := r.hosts[w].Means[0][0]; mean < 0x1p127 {
			t.Errorf("the mean of two infinities came out as %v", mean)
		}
	}
}

func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*switchml.Config)
		says   string
	}{
		"elements":       {func(c *switchml.Config) { c.Elements = 100 }, "32, 64, 128, 256"},
		"no slots":       {func(c *switchml.Config) { c.Slots = 0 }, "slots"},
		"too many slots": {func(c *switchml.Config) { c.Slots = wire.MaxSlots + 1 }, "slots"},
		"no workers":     {func(c *switchml.Config) { c.Workers = 0 }, "workers"},
		"no tensor":      {func(c *switchml.Config) { c.Tensor = 0 }, "tensor"},
		"timeout":        {func(c *switchml.Config) { c.Timeout = -1 }, "timeout"},
		"no address":     {func(c *switchml.Config) { c.Flow.Dst = netip.Addr{} }, "IPv4"},
	} {
		cfg := testConfig()
		c.change(&cfg)
		if _, err := switchml.New(cfg); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one about %q", name, err, c.says)
		}
	}
}
