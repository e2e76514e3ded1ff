package hostmodel

import (
	"fmt"
	"slices"
)

// Constant is a number that a model rests on.
type Constant struct {
	Name    string
	Value   float64
	Unit    string
	Assumed bool // no paper states it
	Source  string
	Range   Range // of what is assumed; zero: a fifth either way
}

// Range is between what values an assumed constant may be. A claim whose verdict
// changes within it is undetermined.
type Range struct{ Low, High float64 }

// Within returns the range of a constant: the one that it states, or a fifth of its
// value either way.
func (k Constant) Within() Range {
	if k.Range != (Range{}) {
		return k.Range
	}
	return Range{0.8 * k.Value, 1.2 * k.Value}
}

// defaults holds every constant of hosts, links and switches under the virtual
// clock.
var defaults = []Constant{
	{Name: "dpdk.packet", Value: 880, Unit: "ns", Assumed: true, Range: Range{440, 880},
		Source: "for sending and receiving a packet of 256 values on one core: SwitchML App B, one core reduces at the line rate of 10 Gbit/s, " +
			"at which a packet of 1100 bytes (SwitchML §4.4) takes so long; a bound that is taken as the value, half of it as the lower end"},
	{Name: "dpdk.fixed", Value: 60, Unit: "ns", Assumed: true, Range: Range{30, 100},
		Source: "part of dpdk.packet that does not depend on the packet's size: 30 ns a direction, as a core forwards some " +
			"10 to 30 million packets a second with DPDK; the rest, copying and conversion, grows with the values"},
	{Name: "dpdk.cores", Value: 8, Unit: "cores", Source: "at 100 Gbit/s: SwitchML §5, up to 8 cores per worker"},
	{Name: "dpdk.cores-10g", Value: 1, Unit: "cores", Assumed: true, Range: Range{1, 4},
		Source: "at 10 Gbit/s: SwitchML App B, one core is sufficient; the public client (p4app-switchML, general.cfg) starts 4 threads at any rate"},
	{Name: "dpdk.latency", Value: 5, Unit: "us", Assumed: true, Range: Range{1, 30},
		Source: "each way, between wire and protocol, where cores are not modelled one by one: network card and bus take about 1 us, batches of 32 packets (SwitchML App B) the rest"},
	{Name: "dpdk.batch", Value: 32, Unit: "packets", Assumed: true, Range: Range{16, 64},
		Source: "that a core takes from its queue at a time, at most: SwitchML App B; 64 in the public client (p4app-switchML, dpdk.cfg)"},
	{Name: "dpdk.tx-buffer", Value: 32, Unit: "packets", Assumed: true, Range: Range{16, 64},
		Source: "that a core gathers before it sends them: SwitchML App B, groups of 32; 64 in the public client (p4app-switchML, dpdk.cfg)"},
	{Name: "dpdk.drain", Value: 10, Unit: "us", Assumed: true, Range: Range{0, 100},
		Source: "since the last call that sent, after which a core whose queue is empty sends what it has gathered: the public client (p4app-switchML, dpdk.cfg); 100 where that file does not say"},
	{Name: "dpdk.per-batch", Value: 320, Unit: "ns", Assumed: true,
		Source: "that a core takes for a batch, each way: polling, descriptors and a doorbell; a third of dpdk.fixed where the batch is full, which is then contained in it"},
	{Name: "nic.latency", Value: 0.7, Unit: "us", Assumed: true, Range: Range{0.5, 1.5},
		Source: "each way, network card and bus: half of what ib_send_lat shows between two hosts, 1.52 to 1.61 us for 1 KB (D. Potter, master's thesis, table of MTU and latency), " +
			"less a short cable; that other cards take as long is assumed"},
	{Name: "rdma.message", Value: 250, Unit: "ns", Assumed: true, Range: Range{100, 500},
		Source: "of the one core (SwitchML §5) for a message, each way: at best 80 to 100 ns to post or to poll (RAMCloud wiki, measurements of Infiniband), the rest timers and bookkeeping; " +
			"the network card makes and takes the packets (SwitchML App B)"},
	{Name: "tcp.rate", Value: 29.8, Unit: "Gbit/s",
		Source: "that a host receives, adds and sends over kernel TCP with ten cores: XAgg §VI-B, Fig 8; taken for NCCL and Gloo over TCP, too"},
	{Name: "tcp.latency", Value: 10, Unit: "us", Assumed: true, Source: "each way: a quarter of the 40 us of a TCP round trip in data centres that XAgg §I cites"},

	{Name: "link.delay", Value: 0.5, Unit: "us", Assumed: true, Source: "of a cable of 100 m, at two thirds of the speed of light"},
	{Name: "tofino.latency", Value: 0.6, Unit: "us", Assumed: true, Source: "of one pass without a queue; vendors say below a microsecond"},
	{Name: "tofino.pass", Value: 0.52, Unit: "us", Source: "of each further pass through the pipelines: SwitchML §5"},
	{Name: "pfe.adds", Value: 6e9, Unit: "adds/s", Source: "of a PFE: 12 read-modify-write engines, two cycles an addition, 1 GHz; Trio §6.3"},
	{Name: "tensor.start", Value: 20, Unit: "us", Assumed: true, Source: "of one call that aggregates a tensor, before its first packet: the framework's hand-over"},
}

// Constants is a set of constants with their values.
type Constants struct {
	list []Constant
	used map[string]bool
}

// Defaults returns the constants of this package.
func Defaults() *Constants { return &Constants{list: slices.Clone(defaults), used: map[string]bool{}} }

// Add adds constants of other models. It panics on a name that is there.
func (c *Constants) Add(more ...Constant) {
	for _, m := range more {
		if c.index(m.Name) >= 0 {
			panic(fmt.Sprintf("hostmodel: constant %s is there already", m.Name))
		}
		c.list = append(c.list, m)
	}
}

// Get returns a value in the constant's unit and notes that it was used. It
// panics on a name that is not there.
func (c *Constants) Get(name string) float64 {
	i := c.index(name)
	if i < 0 {
		panic("hostmodel: no constant " + name)
	}
	c.used[name] = true
	return c.list[i].Value
}

// Used returns the constants that were asked for, in the order of the list.
func (c *Constants) Used() (out []Constant) {
	for _, k := range c.list {
		if c.used[k.Name] {
			out = append(out, k)
		}
	}
	return out
}

// All returns all constants.
func (c *Constants) All() []Constant { return slices.Clone(c.list) }

// Fresh returns the same constants, none of them used.
func (c *Constants) Fresh() *Constants {
	return &Constants{list: slices.Clone(c.list), used: map[string]bool{}}
}

// With returns the same constants, none of them used, one of them with another value.
func (c *Constants) With(name string, value float64) *Constants {
	out := c.Fresh()
	i := out.index(name)
	if i < 0 {
		panic("hostmodel: no constant " + name)
	}
	out.list[i].Value = value
	return out
}

// Scaled is [Constants.With] by a factor.
func (c *Constants) Scaled(name string, factor float64) *Constants {
	return c.With(name, factor*c.Fresh().Get(name))
}

func (c *Constants) index(name string) int {
	return slices.IndexFunc(c.list, func(k Constant) bool { return k.Name == name })
}
