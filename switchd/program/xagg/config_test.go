package xagg

import (
	"net/netip"
	"strings"
	"testing"
)

func TestBadConfigs(t *testing.T) {
	for want, change := range map[string]func(c *Config){
		"31 values a packet":            func(c *Config) { c.Values = 31 },
		"321 values a packet":           func(c *Config) { c.Values = 321 },
		"no fragments":                  func(c *Config) { c.Fragments = 0 },
		"own host id 0x3":               func(c *Config) { c.Host = 3 },
		"own address":                   func(c *Config) { c.Addr = netip.Addr{} },
		"group":                         func(c *Config) { c.Group = netip.IPv6LinkLocalAllNodes() },
		"window of 2 iterations":        func(c *Config) { c.Window.Ahead = 2 },
		"check queue of -1":             func(c *Config) { c.Checks = -1 },
		"neither children nor a parent": func(c *Config) { c.Children = nil },
		"child 1 has host id 0x6":       func(c *Config) { c.Children[1].ID = 6 },
		"child 0 has host id 0x0":       func(c *Config) { c.Children[0].ID = 0 },
		"child 1 has host 0":            func(c *Config) { c.Children[1].ID = 1 },
		"child 1 has host 31":           func(c *Config) { c.Children[1].ID = server },
		"child 2 has host 1":            func(c *Config) { c.Children[2].Below = 2 },
		"parent has host id 0x3":        func(c *Config) { c.Parent = 3 },
		"parent has host id 0x1":        func(c *Config) { c.Parent = 1 },
		"next hop up is":                func(c *Config) { c.Up.Addr = netip.IPv6Unspecified() },
		"next hop down is":              func(c *Config) { c.Down.Addr = netip.IPv6Unspecified() },
	} {
		c := testConfig(3, 1)
		change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for name, change := range map[string]func(c *Config){
		"32 hosts":   func(c *Config) { *c = testConfig(31, 1) },
		"320 values": func(c *Config) { c.Values = 320 },
	} {
		c := testConfig(3, 1)
		change(&c)
		if _, err := New(c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBadReplacements(t *testing.T) {
	for want, change := range map[string]func(c *Config){
		"keep the sizes":   func(c *Config) { c.Values++ },
		"sizes that":       func(c *Config) { c.Fragments++ },
		"the check queue":  func(c *Config) { c.Checks = 5 },
		"without a parent": func(c *Config) { c.Parent = parent },
		"neither children": func(c *Config) { c.Children = nil },
	} {
		b := newBench(t, testConfig(2, 1))
		change(&b.c)
		if err := b.a.Reconfigure(b.c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	c := testConfig(0, 1)
	c.Parent = parent
	b := newBench(t, c)
	c.Children = []Child{{ID: 1}}
	if err := b.a.Reconfigure(c); err == nil || !strings.Contains(err.Error(), "without children") {
		t.Error(err)
	}
}

func TestCounterNames(t *testing.T) {
	seen := map[string]bool{"": true}
	for c := range Counters + 1 {
		if seen[c.String()] {
			t.Errorf("counter %d is named %q", c, c)
		}
		seen[c.String()] = true
	}
}

func TestElementsOutsideAreEmpty(t *testing.T) {
	b := newBench(t, testConfig(2, 3))
	for _, g := range []uint32{0, 4, 1<<32 - 1} {
		if e := b.a.Sum(g); e.Values != nil || e.Bitmap != 0 {
			t.Errorf("element %d is %+v", g, e)
		}
	}
	if b.a.Result(1).Values != nil {
		t.Error("results without a parent")
	}
}
