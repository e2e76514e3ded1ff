package hostmodel

import (
	"fmt"
	"math"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Model is what a host costs. The zero value costs nothing.
type Model struct {
	Kind    string         // dpdk, dpdk-cores, rdma, tcp or flow
	Frame   units.Duration // that the host's cores together take for a frame, each way
	Rate    units.Rate     // at which they take a frame's payload, each way; zero takes no time
	Latency units.Duration // between wire and protocol, each way

	// Queues is not zero on a host with a queue of the network card for each of so
	// many cores ([MultiQueue]). Frame and Rate are then of one core.
	Queues   int
	Burst    int            // frames that a core takes from its queue at a time; zero: all that wait
	Buffer   int            // frames that it gathers before a call sends them; zero: those of a burst
	Drain    units.Duration // after which a core that finds its queue empty sends what it has gathered
	PerBatch units.Duration // of a core for each burst, and for each call that sends
	Message  units.Duration // of a core for a message of RoCE, each way: for its last packet; others are the card's
}

// validate reports what no host is like.
func (m Model) validate() error {
	if m.Queues < 1 || m.Burst < 0 || m.Buffer < 0 || m.Drain < 0 || m.PerBatch < 0 || m.Message < 0 || m.Frame < 0 {
		return fmt.Errorf("%d queues, bursts of %d, transmit buffers of %d, drained after %v, %v a batch, %v a message, %v a frame: there must be a queue, and nothing may be negative",
			m.Queues, m.Burst, m.Buffer, m.Drain, m.PerBatch, m.Message, m.Frame)
	}
	return nil
}

// queueLimit bounds what waits inside a host (assumed: far above any window here).
const queueLimit = units.GiB

// params returns the model of one direction.
func (m Model) params() impair.Params {
	return impair.Params{Rate: m.Rate, PerFrame: m.Frame, Delay: m.Latency, Overhead: -inet.UDPHeaders, Queue: queueLimit}
}

// valuesOf256 is the payload whose cost dpdk.packet is.
const valuesOf256 = 1024

// DPDK is a host that polls its network card.
func (c *Constants) DPDK() Model {
	fixed, cores := c.Get("dpdk.fixed"), c.Get("dpdk.cores")
	perByte := max(0, c.Get("dpdk.packet")-fixed) / valuesOf256 // ns, both ways
	return Model{
		Kind: "dpdk", Frame: picoseconds(fixed / 2 / cores * 1e3), Rate: rate(2 * 8 * cores / perByte), Latency: picoseconds(c.Get("dpdk.latency") * 1e6),
	}
}

// DPDKCores is a host of so many cores that poll network cards, core by core: each
// has a queue of its own, takes packets in bursts, and gathers what it sends. Full
// bursts and buffers of 32 packets cost what DPDK says.
func (c *Constants) DPDKCores(cores int) Model {
	fixed, burst, perBatch := c.Get("dpdk.fixed"), c.Get("dpdk.batch"), c.Get("dpdk.per-batch")
	perByte := max(0, c.Get("dpdk.packet")-fixed) / valuesOf256 // ns, both ways
	return Model{
		Kind: "dpdk-cores", Queues: cores,
		Burst: whole(burst), Buffer: whole(c.Get("dpdk.tx-buffer")), Drain: picoseconds(c.Get("dpdk.drain") * 1e6),
		Frame: picoseconds(max(0, fixed/2-perBatch/burst) * 1e3), PerBatch: picoseconds(perBatch * 1e3),
		Rate: rate(2 * 8 / perByte), Latency: picoseconds(c.Get("nic.latency") * 1e6),
	}
}

// RDMA is a host whose network card makes and takes the packets of byte streams. Its
// cores cost nothing: a message there has 32 KiB or more, and rdma.message is hidden
// behind less than a fifth of its time on the line.
func (c *Constants) RDMA() Model {
	return Model{Kind: "rdma", Latency: picoseconds(c.Get("nic.latency") * 1e6)}
}

// RDMAMessages is [Constants.RDMA] for SwitchML's messages of few packets, of which one
// core takes and posts each.
func (c *Constants) RDMAMessages() Model {
	return Model{Kind: "rdma-messages", Queues: 1, Message: picoseconds(c.Get("rdma.message") * 1e3), Latency: picoseconds(c.Get("nic.latency") * 1e6)}
}

// TCP is a host that uses the kernel's TCP.
func (c *Constants) TCP() Model {
	return Model{Kind: "tcp", Rate: rate(2 * c.Get("tcp.rate")), Latency: picoseconds(c.Get("tcp.latency") * 1e6)}
}

// Flow is a host for an end of a flow that has the line for itself: the latency of kernel TCP,
// and no limit of its rate, since it adds nothing.
func (c *Constants) Flow() Model {
	return Model{Kind: "flow", Latency: picoseconds(c.Get("tcp.latency") * 1e6)}
}

// whole is a number of packets, 1 at least.
func whole(x float64) int { return max(1, int(math.Round(x))) }

func picoseconds(x float64) units.Duration { return units.Duration(math.Round(x)) }

// rate converts Gbit/s, which are bits a nanosecond; none is not limited.
func rate(gbit float64) units.Rate {
	if math.IsInf(gbit, 0) {
		return 0
	}
	return units.Rate(math.Round(gbit * 1e9))
}
