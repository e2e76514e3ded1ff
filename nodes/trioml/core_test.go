package trioml_test

import (
	"encoding/binary"
	"net/netip"
	"strings"
	"testing"

	outcome "github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/trioml"
)

// testConfig is a worker with blocks of 2, 2 and 1 gradients.
func testConfig() trioml.Config {
	return trioml.Config{
		Node: "w0", Job: jobID, Tensor: 5, Grads: 2, Window: 8, Flow: flowOf(0), Results: resultFlow(),
		Fixed: gradient.Fixed{Factor: 1},
	}
}

func newCore(t *testing.T, cfg trioml.Config) *trioml.Core {
	t.Helper()
	c, err := trioml.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// result makes a result packet; Job 0 means jobID, SrcCnt 0 means 2.
func result(flow inet.Flow, h wire.Header, sums ...int32) sansio.Arrival {
	if h.Job == 0 {
		h.Job = jobID
	}
	if h.SrcCnt == 0 {
		h.SrcCnt = 2
	}
	h.Grads = uint16(len(sums))
	body := make([]byte, wire.HeaderLen)
	h.Put(body)
	for _, s := range sums {
		body = binary.BigEndian.AppendUint32(body, uint32(s))
	}
	header := inet.UDPHeader(flow)
	inet.SetUDPBody(header, len(body))
	return sansio.Arrival{Train: sansio.Train{Header: header, Body: body}}
}

func generation(g uint16) []sansio.Arrival {
	return []sansio.Arrival{
		result(resultFlow(), wire.Header{Gen: g, Block: 0}, 2, 4),
		result(resultFlow(), wire.Header{Gen: g, Block: 1}, 6, 8),
		result(resultFlow(), wire.Header{Gen: g, Block: 2, Final: true}, 10),
	}
}

// "All servers participating in the same job_id send blocks of gradients using
// the same sequence of block_ids" (Trio §4); the last is final and may be short.
func TestPackets(t *testing.T) {
	cfg := testConfig()
	cfg.Source = 7
	c := newCore(t, cfg)
	var eff sansio.Effects
	c.Begin(0, 0, []float32{1, -2, 3, 4, 5}, &eff)
	var got []wire.Header
	var grads []int32
	for _, s := range eff.Sends {
		for i := range s.Train.Frames() {
			h, problem := wire.Parse(s.Train.Payload(i))
			if problem != wire.OK {
				t.Fatal(problem)
			}
			got = append(got, h)
			for b := s.Train.Payload(i)[wire.HeaderLen:]; len(b) > 0; b = b[4:] {
				grads = append(grads, int32(binary.BigEndian.Uint32(b)))
			}
		}
	}
	want := []wire.Header{
		{Job: 1, Block: 0, Source: 7, SrcCnt: 1, Grads: 2},
		{Job: 1, Block: 1, Source: 7, SrcCnt: 1, Grads: 2},
		{Job: 1, Block: 2, Source: 7, SrcCnt: 1, Grads: 1, Final: true},
	}
	for i, h := range want {
		if len(got) != len(want) || got[i] != h {
			t.Fatalf("packets %+v, want %+v", got, want)
		}
	}
	for i, v := range []int32{1, -2, 3, 4, 5} {
		if grads[i] != v {
			t.Errorf("gradients %v", grads)
		}
	}
	if len(eff.Sends) != 1 {
		t.Errorf("%d trains, want one", len(eff.Sends))
	}
}

// Packets that are not this job's results are counted under a reason and change
// nothing.
func TestForeignAndMalformedPackets(t *testing.T) {
	c := newCore(t, testConfig())
	var eff sansio.Effects
	c.Begin(0, 0, make([]float32, 5), &eff)
	eff.Reset()
	flow := func(change func(*inet.Flow)) inet.Flow { f := resultFlow(); change(&f); return f }
	noWorkers := result(resultFlow(), wire.Header{Block: 0}, 1, 2)
	noWorkers.Train.Body[7] = 0
	short := result(resultFlow(), wire.Header{Block: 0}, 1, 2)
	short.Train.Body = short.Train.Body[:wire.HeaderLen-1]
	inet.SetUDPBody(short.Train.Header, len(short.Train.Body))
	for name, x := range map[string]struct {
		reason string
		a      sansio.Arrival
	}{
		"other router":   {trioml.DropForeign, result(flow(func(f *inet.Flow) { f.Src = netip.MustParseAddr("10.0.0.253") }), wire.Header{}, 1, 2)},
		"other group":    {trioml.DropForeign, result(flow(func(f *inet.Flow) { f.Dst = netip.MustParseAddr("239.0.0.2") }), wire.Header{}, 1, 2)},
		"other port":     {trioml.DropForeign, result(flow(func(f *inet.Flow) { f.DstPort++ }), wire.Header{}, 1, 2)},
		"no frame":       {trioml.DropForeign, sansio.Arrival{}},
		"other job":      {trioml.DropForeign, result(resultFlow(), wire.Header{Job: 2}, 1, 2)},
		"unknown block":  {trioml.DropForeign, result(resultFlow(), wire.Header{Block: 3}, 1)},
		"huge block":     {trioml.DropForeign, result(resultFlow(), wire.Header{Block: 1<<32 - 1}, 1)},
		"too many":       {trioml.DropForeign, result(resultFlow(), wire.Header{Block: 2}, 1, 2)},
		"too few":        {trioml.DropForeign, result(resultFlow(), wire.Header{Block: 0}, 1)},
		"of no workers":  {trioml.DropForeign, noWorkers},
		"short header":   {string(wire.Short), short},
		"older":          {trioml.DropStale, result(resultFlow(), wire.Header{Gen: 65535}, 1, 2)},
		"too far ahead":  {trioml.DropAhead, result(resultFlow(), wire.Header{Gen: trioml.MaxAhead}, 1, 2)},
		"far, far ahead": {trioml.DropAhead, result(resultFlow(), wire.Header{Gen: 32767}, 1, 2)},
	} {
		before := count(c.Counters(), x.reason)
		c.Handle(0, []sansio.Arrival{x.a}, &eff)
		if got := count(c.Counters(), x.reason); got != before+1 || len(eff.Sends) != 0 {
			t.Errorf("%s: %d counted as %s, %d sends", name, got-before, x.reason, len(eff.Sends))
		}
	}
	if c.Complete(0) || count(c.Counters(), trioml.CountResults) != 0 {
		t.Error("one of them counts as a result")
	}
}

// The first result of a block counts: a second one, be it a ghost record's, is
// dropped.
func TestRepeatedResults(t *testing.T) {
	c := newCore(t, testConfig())
	var eff sansio.Effects
	c.Begin(0, 0, make([]float32, 5), &eff)
	c.Handle(0, generation(0)[:1], &eff)
	c.Handle(0, []sansio.Arrival{result(resultFlow(), wire.Header{Block: 0, SrcCnt: 1, Degraded: true}, 500, 500)}, &eff)
	c.Handle(0, generation(0), &eff)
	if got := count(c.Counters(), trioml.DropRepeated); got != 2 {
		t.Errorf("%d repeated results", got)
	}
	mean := make([]float32, 5)
	out := finish(c, 0, mean)
	for i, want := range []float32{1, 2, 3, 4, 5} {
		if mean[i] != want {
			t.Errorf("means %v", mean)
		}
	}
	if out.Degraded != 0 || !out.Contributed {
		t.Errorf("%+v", out)
	}
}

// A repeated result must not open the window for another packet.
func TestRepeatedResultsKeepTheWindow(t *testing.T) {
	cfg := testConfig()
	cfg.Window = 1
	c := newCore(t, cfg)
	var eff sansio.Effects
	c.Begin(0, 0, make([]float32, 5), &eff)
	c.Handle(0, generation(0)[:1], &eff)
	c.Handle(0, generation(0)[:1], &eff)
	if got := count(c.Counters(), trioml.CountSent); got != 2 {
		t.Errorf("%d packets sent after one result", got)
	}
}

// "Servers that receive partial aggregation results divide the returned
// aggregated gradient values by the number of aggregated sources" (Trio §5):
// block by block.
func TestMeanOfPartialResults(t *testing.T) {
	c := newCore(t, testConfig())
	var eff sansio.Effects
	c.Handle(0, []sansio.Arrival{
		result(resultFlow(), wire.Header{Block: 0, SrcCnt: 3, Degraded: true}, 3, 6),
		result(resultFlow(), wire.Header{Block: 1, SrcCnt: 4}, 4, 8),
		result(resultFlow(), wire.Header{Block: 2, SrcCnt: 1, Degraded: true}, 5),
	}, &eff)
	if !c.Complete(0) {
		t.Fatal("not complete before Begin though all results are here")
	}
	mean := make([]float32, 5)
	out := finish(c, 0, mean)
	for i, want := range []float32{1, 2, 1, 2, 5} {
		if mean[i] != want {
			t.Errorf("means %v", mean)
		}
	}
	if out.Degraded != 2 || out.Contributed {
		t.Errorf("%+v", out)
	}
}

// gen_id is the generation modulo 2^16; a run may be longer.
func TestGenerationsPast16Bits(t *testing.T) {
	c := newCore(t, testConfig())
	var eff sansio.Effects
	mean := make([]float32, 5)
	for g := range 1<<16 + 20 {
		for _, a := range generation(uint16(g)) {
			c.Handle(0, []sansio.Arrival{a}, &eff)
		}
		if !c.Complete(g) || c.Complete(g+1) || g >= 1<<16 && c.Complete(g-1<<16) {
			t.Fatalf("generation %d", g)
		}
		finish(c, g, mean)
		eff.Reset()
	}
}

func TestNoTimers(t *testing.T) {
	c := newCore(t, testConfig())
	var eff sansio.Effects
	c.Begin(0, 0, make([]float32, 5), &eff)
	eff.Reset()
	c.Expire(units.Time(units.Second), &eff)
	if c.NextDeadline() != units.Never || len(eff.Sends) != 0 {
		t.Error("hosts keep no timers: there is no loss recovery (Trio §7)")
	}
}

func TestSaturationIsReported(t *testing.T) {
	c := newCore(t, testConfig())
	var eff sansio.Effects
	c.Begin(0, 0, []float32{1e20, 0, -1e20, 0, 0}, &eff)
	c.Handle(0, generation(0), &eff)
	if out := finish(c, 0, make([]float32, 5)); out.Saturated != 2 || count(c.Counters(), trioml.CountSaturated) != 2 {
		t.Errorf("%+v", out)
	}
}

func TestConfig(t *testing.T) {
	if c := newCore(t, trioml.Config{Tensor: 1, Flow: flowOf(0), Results: resultFlow()}); c.Complete(0) {
		t.Error("complete before anything happened")
	}
	for name, c := range map[string]struct {
		change func(*trioml.Config)
		says   string
	}{
		"gradients":          {func(c *trioml.Config) { c.Grads = 4096 }, "gradients"},
		"negative gradients": {func(c *trioml.Config) { c.Grads = -1 }, "gradients"},
		"tensor":             {func(c *trioml.Config) { c.Tensor = 0 }, "tensor"},
		"window":             {func(c *trioml.Config) { c.Window = -1 }, "window"},
		"wake":               {func(c *trioml.Config) { c.Wake = "jump" }, "skip, naive"},
		"no address":         {func(c *trioml.Config) { c.Flow.Src = netip.Addr{} }, "IPv4"},
		"no group":           {func(c *trioml.Config) { c.Results.Dst = netip.Addr{} }, "IPv4"},
	} {
		cfg := testConfig()
		c.change(&cfg)
		if _, err := trioml.New(cfg); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one about %q", name, err, c.says)
		}
	}
}

func finish(c interface {
	Finish(int) (outcome.Outcome, func([]float32))
}, gen int, mean []float32) outcome.Outcome {
	out, take := c.Finish(gen)
	take(mean)
	return out
}
