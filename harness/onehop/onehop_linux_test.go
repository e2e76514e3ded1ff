package onehop

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/pktio/netnstest"
)

const short = 20 * time.Millisecond

// Each aggregator sends on what it gets, with the right values, and no thread of a wire is left.
func TestEachAggregatorSendsOn(t *testing.T) {
	netnstest.RequireRoot(t)
	for _, k := range Kinds() {
		for _, c := range []Config{{Values: 32}, {Values: 320, Rate: 5000, RoundTrips: true}} {
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
	for range 20 {
		var err error
		if r, err = Measure(t.Context(), c); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if r.Received > 0 && (len(r.Trips) > 0 || !c.RoundTrips) {
			return r
		}
		c.For *= 2
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
