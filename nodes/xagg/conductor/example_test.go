package conductor_test

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/conductor"
)

// host returns a host with a bit of its own.
func host(name string, bit int) conductor.Host {
	last := byte(bit + 1)
	return conductor.Host{Name: name, ID: 1 << bit, Addr: netip.AddrFrom4([4]byte{10, 0, 0, last}), MAC: inet.MAC{2, 0, 10, 0, 0, last}}
}

// The tree of the paper's testbed (XAgg Fig 12), from the first iteration to a failure in the second.
func Example() {
	const second = units.Time(units.Second)
	cfg := conductor.Config{Mode: conductor.Plan, Model: 97 << 20, PS: host("ps", 0)}
	for i := range 7 {
		cfg.Workers = append(cfg.Workers, host(fmt.Sprint("w", i+1), i+1))
	}
	for i := range 2 {
		cfg.Servers = append(cfg.Servers, conductor.Server{Host: host(fmt.Sprint("s", i+1), i+8)})
	}
	c, err := conductor.New(0, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	deliver(c, 0)
	c.Open(0, 0)
	load := xaggctl.Load{Total: 128 << 30, Bandwidth: 100 * units.GbitPerSecond, Cores: 44}
	for _, s := range cfg.Servers {
		c.Report(second, &xaggctl.Message{Host: s.ID, Number: 1, Load: load})
	}
	for i, w := range cfg.Workers {
		times := xaggctl.Times{Training: units.Second - units.Duration(i)*units.Millisecond, Transfer: units.Second}
		c.Round(second, &xaggctl.Message{Host: w.ID, Times: times})
	}
	c.Close(second, 0)
	fmt.Println("waits:", c.Stall(second))
	deliver(c, second)
	c.Open(second, 1)
	load.Used = load.Total
	c.Report(second+1, &xaggctl.Message{Host: cfg.Servers[0].ID, Number: 2, Tree: c.Version(), Load: load})
	for _, n := range c.Notes() {
		fmt.Println(n.Text)
	}
	// Output:
	// waits: version 2 of the tree is not acknowledged by ps, w1, w2, w3, w4, w5, w6, s1, s2
	// the first iteration goes over ps alone, to measure the workers
	// the tree is ps(s1(w1 w2 w3) s2(w4 w5 w6) w7), at most 3 children a server
	// s1 left: overloaded: server "s1" uses 128GiB of 128GiB: with a model of 97MiB that is more than 80%
	// w1, w2, w3 send all of iteration 1 again, to ps
	// the tree is ps(w1 w2 w3 s2(w4 w5 w6) w7)
}

// deliver has every host acknowledge its orders.
func deliver(c *conductor.Conductor, now units.Time) {
	for list := c.Orders(); len(list) > 0; list = c.Orders() {
		for _, o := range list {
			c.Acknowledge(now, o.To.ID, o.Message.Number)
		}
	}
}
