package hostmodel

import (
	"math"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Model is what a host costs. The zero value costs nothing.
type Model struct {
	Kind    string         // dpdk, dpdk-cores, rdma or tcp
	Frame   units.Duration // that the host's cores together take for a frame, each way
	Rate    units.Rate     // at which they take a frame's payload, each way; zero takes no time
	Latency units.Duration // between wire and protocol, each way

	// Queues is not zero on a host with a queue of the network card for each of so
	// many cores ([MultiQueue]). Frame and Rate are then of one core, which takes at
	// most Batch packets at a time, and PerBatch for them beside.
	Queues   int
	Batch    int // zero means 1
	PerBatch units.Duration
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

// DPDKCores is [Constants.DPDK] core by core: each has a queue of its own, and
// takes packets in batches. Full batches cost what DPDK says.
func (c *Constants) DPDKCores() Model {
	fixed, batch, perBatch := c.Get("dpdk.fixed"), c.Get("dpdk.batch"), c.Get("dpdk.per-batch")
	perByte := max(0, c.Get("dpdk.packet")-fixed) / valuesOf256 // ns, both ways
	return Model{
		Kind: "dpdk-cores", Queues: int(math.Round(c.Get("dpdk.cores"))), Batch: int(math.Round(batch)),
		Frame: picoseconds(max(0, fixed/2-perBatch/batch) * 1e3), PerBatch: picoseconds(perBatch * 1e3),
		Rate: rate(2 * 8 / perByte), Latency: picoseconds(c.Get("dpdk.bus") * 1e6),
	}
}

// RDMA is a host whose network card makes and takes the packets.
func (c *Constants) RDMA() Model {
	return Model{Kind: "rdma", Frame: picoseconds(c.Get("rdma.packet") * 1e3), Latency: picoseconds(c.Get("rdma.latency") * 1e6)}
}

// TCP is a host that uses the kernel's TCP.
func (c *Constants) TCP() Model {
	return Model{Kind: "tcp", Rate: rate(2 * c.Get("tcp.rate")), Latency: picoseconds(c.Get("tcp.latency") * 1e6)}
}

func picoseconds(x float64) units.Duration { return units.Duration(math.Round(x)) }

// rate converts Gbit/s, which are bits a nanosecond; none is not limited.
func rate(gbit float64) units.Rate {
	if math.IsInf(gbit, 0) {
		return 0
	}
	return units.Rate(math.Round(gbit * 1e9))
}
