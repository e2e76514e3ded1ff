package conductor

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/xaggctl"
)

const (
	g   = units.GbitPerSecond
	gib = units.Bytes(1 << 30)
	ms  = units.Millisecond
)

// testConfig has the PS with bit 0, workers w1 to wN and servers s1 to sM, with the bits that follow.
func testConfig(mode Mode, workers, servers int) Config {
	bit := 0
	host := func(name string) Host {
		h := Host{Name: name, ID: 1 << bit, Addr: netip.AddrFrom4([4]byte{10, 0, 0, byte(bit + 1)}), MAC: inet.MAC{2, 0, 0, 0, 0, byte(bit + 1)}}
		bit++
		return h
	}
	c := Config{Job: 7, Mode: mode, Model: gib, PS: host("ps")}
	for i := range workers {
		c.Workers = append(c.Workers, host(fmt.Sprintf("w%d", i+1)))
	}
	for i := range servers {
		c.Servers = append(c.Servers, Server{Host: host(fmt.Sprintf("s%d", i+1)), Bandwidth: 100 * g, Cores: 40 - i, Memory: 128 * gib})
	}
	return c
}

// bench is a conductor whose nodes are played by a test.
type bench struct {
	*testing.T
	c       *Conductor
	now     units.Time
	reports map[string]uint32
	orders  []Order // all so far
	notes   []string
}

func newBench(t *testing.T, cfg Config) *bench {
	t.Helper()
	c, err := New(0, cfg)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, c: c, reports: map[string]uint32{}}
	return b
}

// take returns the orders that came since.
func (b *bench) take() []Order {
	o := b.c.Orders()
	b.orders = append(b.orders, o...)
	return o
}

// answer acknowledges orders, and those that come of that, but not for the hosts that are named. It
// returns who got an order.
func (b *bench) answer(but ...string) (names []string) {
	for {
		list := b.take()
		if len(list) == 0 {
			return names
		}
		for _, o := range list {
			names = append(names, o.To.Name)
			if !slices.Contains(but, o.To.Name) {
				b.c.Acknowledge(b.now, o.To.ID, o.Message.Number)
			}
		}
	}
}

func (b *bench) id(name string) uint32 { return b.c.named(name).ID }

// report lets servers report what the configuration says, changed by a test.
func (b *bench) report(change func(l *xaggctl.Load), names ...string) {
	for _, name := range names {
		b.reports[name]++
		m := xaggctl.Message{Kind: xaggctl.Report, Host: b.id(name), Number: b.reports[name], Tree: b.c.named(name).version}
		s := b.c.cfg.Servers[slices.IndexFunc(b.c.cfg.Servers, func(s Server) bool { return s.Name == name })]
		m.Load = xaggctl.Load{Used: s.Used, Total: s.Memory, Bandwidth: s.Bandwidth, Cores: uint32(s.Cores)}
		if change != nil {
			change(&m.Load)
		}
		b.c.Report(b.now, &m)
	}
}

// wait lets time pass, with reports of some servers in each period.
func (b *bench) wait(d units.Duration, names ...string) {
	for end := b.now.Add(d); b.now < end; {
		b.now = min(end, b.now.Add(DefaultPeriod/2))
		b.report(nil, names...)
		if b.c.NextDeadline() <= b.now {
			b.c.Expire(b.now)
		}
	}
}

// rounds has all workers say how long they took, each less than the one before.
func (b *bench) rounds(transfer units.Duration, but ...string) {
	for i, w := range b.c.cfg.Workers {
		if slices.Contains(but, w.Name) {
			continue
		}
		m := xaggctl.Message{Kind: xaggctl.Round, Host: w.ID, Iteration: b.c.first, Times: xaggctl.Times{Training: units.Second - units.Duration(i)*ms, Transfer: transfer}}
		b.c.Round(b.now, &m)
	}
}

// open has everybody agree, and opens an iteration.
func (b *bench) open(iteration uint16) {
	b.Helper()
	b.answer()
	if !b.c.Open(b.now, iteration) {
		b.Fatalf("iteration %d does not open: %s", iteration, b.c.Stall(b.now))
	}
}

// running returns a conductor of a planned tree in iteration 0, with a report of each server.
func running(t *testing.T, workers, servers, k int) *bench {
	t.Helper()
	cfg := testConfig(KAry, workers, servers)
	cfg.K = k
	b := newBench(t, cfg)
	for _, s := range cfg.Servers {
		b.report(nil, s.Name)
	}
	b.open(0)
	return b
}

// order returns the latest order to a host.
func (b *bench) order(name string) *xaggctl.Message {
	b.Helper()
	for i := len(b.orders) - 1; i >= 0; i-- {
		if b.orders[i].To.Name == name {
			return &b.orders[i].Message
		}
	}
	b.Fatalf("no order to %s", name)
	return nil
}

// tree holds the conductor to a tree.
func (b *bench) tree(want string) {
	b.Helper()
	if got := b.c.Tree(); got != want {
		b.Errorf("the tree is %s, want %s", got, want)
	}
}

// noted demands a note with some words.
func (b *bench) noted(words string) {
	b.Helper()
	for _, n := range b.c.Notes() {
		b.notes = append(b.notes, n.Text)
	}
	if all := strings.Join(b.notes, "\n"); !strings.Contains(all, words) {
		b.Errorf("no note says %q:\n%s", words, all)
	}
}
