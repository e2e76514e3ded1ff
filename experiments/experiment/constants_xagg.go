package experiment

import (
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// xaggConstants are what runs of XAgg's testbed rest on: the rates of cores and the delays that its paper
// prints, and what it says nothing of.
func xaggConstants() []hostmodel.Constant {
	out := []hostmodel.Constant{
		{Name: "xagg.core", Value: 13.03, Unit: "Gbit/s", Source: "of gradients that a core aggregates and forwards in XDP: XAgg §VI-B, Fig 7"},
		{Name: "xagg.ten-cores", Value: 99.5, Unit: "Gbit/s", Source: "of ten cores: XAgg §VI-B, Fig 8"},
		{Name: "xagg.tcp-core", Value: 4.12, Unit: "Gbit/s", Source: "of gradients that a core aggregates and forwards over kernel TCP: XAgg §VI-B, Fig 7; ten cores are tcp.rate"},
		{Name: "xagg.cores", Value: 10, Unit: "cores", Assumed: true, Range: hostmodel.Range{Low: 10, High: 44},
			Source: "of each host that aggregate: those of XAgg §VI-B, Fig 8, and the least that §V lets a server with 100 Gbit/s have; hosts have 44 (§VI-C)"},
		{Name: "xagg.latency", Value: 75, Unit: "us", Assumed: true, Range: hostmodel.Range{Low: 10, High: 75},
			Source: "each way, of a host with XDP: half of the one-hop latency of 149.5 us at 10 Gbit/s, which has the switch in it (XAgg §VI-B, Fig 10)"},
		{Name: "xagg.raw-send", Value: 1.5, Unit: "us", Assumed: true, Range: hostmodel.Range{Low: 0.5, High: 3},
			Source: "of a core, to send a packet of 256 values by a raw socket, as SwitchML's workers do there (XAgg §VI-A): a system call and the kernel's stack"},
		{Name: "xagg.raw-cores", Value: 4, Unit: "cores", Assumed: true, Range: hostmodel.Range{Low: 1, High: 10},
			Source: "that send and receive for SwitchML on such a host: XAgg has multiple processes (§IV-A), and no number"},
		{Name: "xagg.raw-slots", Value: 512, Unit: "slots", Assumed: true, Range: hostmodel.Range{Low: 128, High: 4096},
			Source: "of SwitchML's pool on XAgg's testbed: SwitchML App C at 100 Gbit/s, for hosts of a shorter round trip"},
		{Name: "xagg.gpu", Value: 29.8 / 35.6, Unit: "-", Assumed: true, Range: hostmodel.Range{Low: 0.7, High: 1},
			Source: "compute time of an RTX 3090 over that of an RTX 3080: the inverse of their peak rates of float32, 35.6 and 29.8 TFLOP/s"},
	}
	for _, p := range profiles.All() {
		for _, row := range p.Measured {
			if compute, from := row.Compute(); row.Paper == profiles.XAgg {
				out = append(out, hostmodel.Constant{Name: "compute.xagg." + p.Name, Value: compute.Milliseconds(), Unit: "ms", Assumed: from == profiles.Assumed,
					Range:  hostmodel.Range{Low: compute.Milliseconds() / 4, High: compute.Milliseconds() * 4},
					Source: row.Source})
			}
		}
	}
	return out
}
