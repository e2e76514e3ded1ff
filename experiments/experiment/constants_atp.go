package experiment

import (
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// atpConstants are what runs of ATP rest on: the bound that its paper prints, and what it says
// nothing of.
func atpConstants() []hostmodel.Constant {
	out := []hostmodel.Constant{
		{Name: "atp.copy", Value: 60, Unit: "Gbit/s", Source: "at which a parameter server copies packets: ATP §1, §5.5, D.1; of which bytes is ambiguity atp.copy"},
		{Name: "atp.packets", Value: 31.7, Unit: "million packets/s", Assumed: true, Range: hostmodel.Range{Low: 30.5, High: 39.2},
			Source: "that a host sends, and takes, with TSO and queue pairs: none is printed, but 60 Gbit/s of packets of 306 bytes are 1.3 times what it reaches with 182 bytes (ATP D.1); " +
				"from 1.35 times in frames to 1.25 times in gradients"},
		{Name: "atp.ecn-threshold", Value: 60, Unit: "packets", Assumed: true, Range: hostmodel.Range{Low: 20, High: 200},
			Source: "of a queue, above which a switch marks: ATP §3.3 has no number (ambiguity atp.ecn-threshold)"},
		{Name: "atp.queue", Value: 3000, Unit: "packets", Assumed: true, Range: hostmodel.Range{Low: 1000, High: 20_000},
			Source: "that a port of the switch holds: about 1 MB of the 22 MB of a Tofino, which its ports share"},
		{Name: "atp.ring", Value: 1024, Unit: "packets", Assumed: true, Range: hostmodel.Range{Low: 512, High: 8192},
			Source: "that wait in a parameter server to be copied: the usual size of a receive ring of a network card with DPDK or raw Ethernet"},
	}
	for _, p := range profiles.All() {
		for _, row := range p.Measured {
			if compute, from := row.Compute(); row.Paper == profiles.ATP {
				out = append(out, hostmodel.Constant{Name: "compute.atp." + p.Name, Value: compute.Milliseconds(), Unit: "ms", Assumed: from == profiles.Assumed, Source: row.Source})
			}
		}
	}
	return out
}
