package testbed

import (
	"fmt"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// XAggModels are those of XAgg §VI-C, in its order.
var XAggModels = []string{"inception-v3", "resnet50", "alexnet", "vgg16", "bert-bilstm-crf"}

// The testbed of XAgg §VI-C, Fig 12.
const (
	XAggWorkers = 7
	xaggSlow    = 3 // workers with slower links and GPUs, the first
	xaggLink    = 40 * units.GbitPerSecond
)

// XAggLink is the rate of the link of a host: workers first, then servers and the PS.
func XAggLink(host int) units.Rate {
	if host < xaggSlow {
		return xaggLink
	}
	return Gigabit100
}

// XAggModel is a model as XAgg's testbed trains it: its compute time is that of the slower GPU.
func XAggModel(e *experiment.Env, name string) profiles.Profile {
	p := Profile(name)
	row, ok := p.Row(profiles.XAgg, 0)
	if !ok {
		panic(fmt.Sprintf("testbed: %s has no row of XAgg", name))
	}
	p.SizeMiB = row.Size.Used
	p.Compute = units.Millisecond.Scale(e.Constants.Get("compute.xagg." + name))
	return p
}

// XAggPaces are those of the workers: the ones with the faster links have the faster GPUs.
func XAggPaces(e *experiment.Env) (out []job.Pace) {
	for w := range XAggWorkers {
		p := job.Pace{Factor: 1}
		if w >= xaggSlow {
			p.Factor = e.Constants.Get("xagg.gpu")
		}
		out = append(out, p)
	}
	return out
}

// XAggHost is a host that aggregates in XDP: its cores share what packets cost between coming and going.
func XAggHost(e *experiment.Env) hostmodel.Model {
	return hostmodel.Model{Kind: "xdp", Rate: 2 * coresRate(e, "xagg.core", "xagg.ten-cores"), Latency: units.Microsecond.Scale(e.Constants.Get("xagg.latency"))}
}

// XAggTCPHost is a host that aggregates over the kernel's TCP.
func XAggTCPHost(e *experiment.Env) hostmodel.Model {
	m := e.Constants.TCP()
	m.Rate = 2 * coresRate(e, "xagg.tcp-core", "tcp.rate")
	return m
}

// coresRate is what the cores of a host aggregate: in proportion to what ten do, or to what one does.
func coresRate(e *experiment.Env, one, ten string) units.Rate {
	each := e.Constants.Get(ten) / 10
	if e.Reading("xagg.linear-scaling") == "linear" {
		each = e.Constants.Get(one)
	}
	return units.Rate(math.Round(each * math.Round(e.Constants.Get("xagg.cores")) * float64(units.GbitPerSecond)))
}

// XAggRawHost is a worker of SwitchML there, which sends by raw sockets and receives in XDP (XAgg §VI-A). A packet of 256
// values takes a core's time for either.
func XAggRawHost(e *experiment.Env) hostmodel.Model {
	receive := GbitTime(ValuesOf256, e.Constants.Get("xagg.core"))
	send := units.Microsecond.Scale(e.Constants.Get("xagg.raw-send"))
	each := (receive + send) / 2 // packets come and go in equal numbers
	return hostmodel.Model{
		Kind: "raw-xdp", Frame: each.Scale(1 / math.Round(e.Constants.Get("xagg.raw-cores"))), Latency: units.Microsecond.Scale(e.Constants.Get("xagg.latency")),
	}
}

// XAggSwitchML is SwitchML-256 as XAgg's testbed runs it, its pool divided by the scale of a job: below what scaled
// pools are held to elsewhere, because their round trip limits it here.
func XAggSwitchML(e *experiment.Env, scale int) switchml.System {
	return switchml.System{Elements: 256, Slots: max(1, int(math.Round(e.Constants.Get("xagg.raw-slots")/float64(scale)))), Unscaled: true}
}

// ValuesOf256 is the bytes of 256 values.
const ValuesOf256 units.Bytes = 1024

// GbitTime is what so many bytes take at a rate in Gbit/s.
func GbitTime(n units.Bytes, gbit float64) units.Duration {
	return units.Nanosecond.Scale(8 * float64(n) / gbit)
}
