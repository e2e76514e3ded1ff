//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"errors"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/pktio/netnstest"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// Times of measurements: at first, and where nothing came in that.
const (
	short   = 20 * time.Millisecond
	longest = 500 * time.Millisecond
)

// Each aggregator sends on what it gets, with the right values.
func TestEachAggregatorSendsOn(t *testing.T) {
	netnstest.RequireRoot(t)
	for _, k := range Kinds() {
		for _, c := range []Config{{Values: 32}, {Values: 320, Rate: 5000, Burst: 4, RoundTrips: true}} {
			c.Aggregator, c.For = k, short
			r := measured(t, c)
			if r.Wrong != 0 || r.Checked == 0 {
				t.Errorf("%+v: %d of %d values are wrong", c, r.Wrong, r.Checked)
			}
		}
	}
}

// measured carries a measurement out, again where a busy machine had no time for it.
func measured(t *testing.T, c Config) (r Result) {
	t.Helper()
	for range 12 {
		var err error
		if r, err = Measure(t.Context(), c); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if r.Received > 0 && (len(r.Trips) > 0 || !c.RoundTrips) {
			return r
		}
		c.For = min(2*c.For, longest)
	}
	t.Fatalf("%+v: nothing has come: %+v", c, r)
	return r
}

// Without senders nothing comes.
func TestIdle(t *testing.T) {
	netnstest.RequireRoot(t)
	r, err := Measure(t.Context(), Config{Aggregator: XDP, Values: 256, For: short, Idle: true})
	if err != nil || r.Sent != 0 || r.Received != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The worker's own wire to the parameter server leaves the aggregator out.
func TestDirect(t *testing.T) {
	netnstest.RequireRoot(t)
	for _, k := range []Kind{XDP, TCPPlain} {
		if r := measured(t, Config{Aggregator: k, Values: 256, For: short, Rate: 5000, RoundTrips: true, Direct: true}); r.Checked != 0 {
			t.Errorf("%s: the aggregator has %d values", k, r.Checked)
		}
	}
}

// Senders of several queues keep to one iteration: what they send is taken.
func TestQueues(t *testing.T) {
	netnstest.RequireRoot(t)
	c := Config{Aggregator: XDP, Values: 32, Queues: 2, Shared: true, For: 10 * short}
	if p, err := places(&Config{Queues: 1}); err != nil || p.aggregator == p.senders[0] {
		t.Skipf("two CPUs are needed (%v)", err)
	}
	for range 20 { // a busy machine loses packets now and then, one whose queues go apart all
		r := measured(t, c)
		if r.Wrong != 0 {
			t.Fatalf("%d of %d values are wrong", r.Wrong, r.Checked)
		}
		if r.Loss() < 0.3 {
			return
		}
	}
	t.Error("half of the packets are lost each time")
}

// Packets of later iterations are taken as well. With a CPU for all, only the window refuses any.
func TestIterations(t *testing.T) {
	netnstest.RequireRoot(t)
	c := Config{Aggregator: XDP, Values: 32, Shared: true, For: longest}
	for range 6 {
		r := measured(t, c)
		switch {
		case r.Sent < 4*Fragments: // a busy machine
			c.For += longest
		case r.Loss() < 0.3:
			return
		default:
			t.Logf("loss %v of %d packets", r.Loss(), r.Sent)
		}
		if c.For > 4*longest {
			t.Skip("this machine is too busy for four iterations in 2 s")
		}
	}
	t.Error("packets of later iterations are lost")
}

// The kernel takes the time of the XDP program where it is asked to.
func TestCost(t *testing.T) {
	netnstest.RequireRoot(t)
	for range 20 { // the counts of a busy machine may come between packets and the end
		if r := measured(t, Config{Aggregator: XDP, Values: 256, For: short, Cost: true}); r.Cost > 0 {
			return
		}
	}
	t.Error("the program takes no time")
}

// Nothing is left when measurements have ended: neither descriptors nor threads of the kernel.
func TestNothingIsLeft(t *testing.T) {
	netnstest.RequireRoot(t)
	measured(t, Config{Aggregator: XDP, Values: 32, For: short}) // opens what Go keeps open
	before := descriptors(t)
	for _, k := range Kinds() {
		measured(t, Config{Aggregator: k, Values: 32, For: short})
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestDeploy(t *testing.T) {
	netnstest.RequireRoot(t)
	if took, err := Deploy(1000); err != nil || took <= 0 {
		t.Errorf("%v, %v", took, err)
	}
}

func TestCompile(t *testing.T) {
	took, err := Compile(t.Context())
	if errors.Is(err, ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil || took <= 0 {
		t.Errorf("%v, %v", took, err)
	}
}

// The window moves in the second half of an iteration of the slowest queue, by one sender for all.
func TestWindowMoves(t *testing.T) {
	h := &hosts{cfg: &Config{Queues: 2}}
	for _, c := range []struct {
		q     int
		at    [2]uint64
		moved []uint16
	}{
		{0, [2]uint64{Fragments / 2, Fragments/2 - 1}, nil},
		{0, [2]uint64{Fragments / 2, Fragments / 2}, []uint16{0}},
		{1, [2]uint64{Fragments / 2, Fragments / 2}, nil},
		{0, [2]uint64{4*Fragments + 1, 4*Fragments - 1}, []uint16{3}},
		{0, [2]uint64{70000*Fragments - 1, 70000 * Fragments}, []uint16{69999 & 0xffff}},
	} {
		h.at[0].Store(c.at[0])
		h.at[1].Store(c.at[1])
		var moved []uint16
		if err := h.moveOn(c.q, func(i uint16) error { moved = append(moved, i); return nil }); err != nil || !slices.Equal(moved, c.moved) {
			t.Errorf("queue %d of %v: moved to %v, %v, want %v", c.q, c.at, moved, err, c.moved)
		}
	}
}

func TestWindowOfRelayMoves(t *testing.T) {
	c := &chain{cfg: &Config{Values: 32, Queues: 1}}
	cfg := relayConfig(c.cfg)
	var err error
	if c.a, err = xagg.New(cfg); err != nil {
		t.Fatal(err)
	}
	for _, h := range []wire.Header{{Gradient: Fragments/2 - 1, Iteration: 3}, {Gradient: Fragments / 2, Iteration: 4}, {Gradient: Fragments/2 + 1, Iteration: 5}} {
		if err := c.moveOn(&cfg, wire.Frame(wire.Path{Src: workerAddr, Dst: serverAddr}, h, make([]int32, 32))); err != nil {
			t.Fatal(err)
		}
	}
	if cfg.Window.Current != 4 {
		t.Errorf("the window begins with %d, want 4", cfg.Window.Current)
	}
}

// A thread by itself is kept from its CPU by others; several also by each other.
func TestUsage(t *testing.T) {
	to := usage{ran: 4e8, waited: 2e8, busy: 7e8}
	for threads, want := range map[int][2]float64{1: {0.5, 0.2}, 3: {4. / 7, 0.3}} {
		r := Result{Elapsed: time.Second}
		r.setUsage(usage{}, to, threads, 1)
		if math.Abs(r.CPU-want[0]) > 1e-9 || math.Abs(r.Foreign-want[1]) > 1e-9 || r.Used != 400*time.Millisecond {
			t.Errorf("%d threads: %v of the CPU, others %v, %v used; want %v", threads, r.CPU, r.Foreign, r.Used, want)
		}
	}
	r := Result{Elapsed: time.Second}
	if r.setUsage(usage{}, usage{busy: 1e9}, 3, 1); r.CPU != 0 {
		t.Errorf("%v of the CPU without work", r.CPU)
	}
}
