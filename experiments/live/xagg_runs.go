package live

import (
	"fmt"
	"iter"
	"slices"

	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/pktio/tcp"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/topo"
)

// xaggFrame is what a gradient packet takes of a line.
const xaggFrame = units.Bytes(wire.ValuesOffset+4*wire.Values) + units.EthernetFraming

// sized is a gradient of so many MiB at full scale. Its compute time is longer than this machine takes for it.
func sized(mib int) profiles.Profile {
	p := untimed()
	p.SizeMiB, p.Compute = mib, 100*units.Millisecond
	return p
}

// onTestbed is the all-reduce of a gradient on XAgg's testbed of seven workers, three of which have slower links
// (XAgg §VI-C).
func onTestbed(name string, sys job.System, mib, iterations int) liveRun {
	return liveRun{
		name: name, sys: sys, topology: "rack", hosts: testbed.XAggWorkers, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: slowScale,
		elements: mib * int(units.MiB) / 4 / slowScale, iterations: iterations, warmup: 1, links: slowerLinks,
	}
}

// slowerLinks gives workers the links of XAgg's testbed.
func slowerLinks(l *topo.Link) {
	for host, name := range []string{"h0", "h1", "h2", "h3"} {
		if l.A.Node == name || l.B.Node == name {
			l.AtoB.Rate, l.BtoA.Rate = testbed.XAggLink(host)/slowScale, testbed.XAggLink(host)/slowScale
		}
	}
}

// sentBy are the times at which hosts sent gradient packets of an iteration, first or again, by host.
func sentBy(logs []*trace.Log, iteration int) map[string][]units.Time {
	out := map[string][]units.Time{}
	for e := range packetsOf(logs) {
		if int(e.Gen) == iteration {
			out[e.Node] = append(out[e.Node], e.At)
		}
	}
	return out
}

// packetsOf are the events of packets that workers sent.
func packetsOf(logs []*trace.Log) iter.Seq[trace.Event] {
	return func(yield func(trace.Event) bool) {
		for e := range trace.Merged(logs) {
			if (e.Kind == trace.Sent || e.Kind == trace.Retransmit) && !yield(e) {
				return
			}
		}
	}
}

// span returns how long a host sent.
func span(at []units.Time) units.Duration {
	if len(at) == 0 {
		return 0
	}
	return slices.Max(at).Sub(slices.Min(at))
}

// kernelTCP says which congestion control the connections of TCP-Agg have.
func kernelTCP() string {
	name, err := tcp.Congestion()
	if err != nil {
		return "TCP-Agg over this kernel's TCP"
	}
	return fmt.Sprintf("TCP-Agg over this kernel's TCP (%s)", name)
}
