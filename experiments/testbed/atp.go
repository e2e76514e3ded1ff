package testbed

import (
	"fmt"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// Packets of ATP (§3.6).
const (
	ATPFrame  = inet.EtherLen + inet.IPv4Len + inet.UDPLen + wire.PayloadLen // bytes
	ATPValues = 4 * wire.Values                                              // bytes of gradients in it
)

// ATPModels are those of ATP Fig 8.
var ATPModels = []string{"alexnet", "vgg11", "vgg16", "vgg19", "resnet50", "resnet101", "resnet152"}

// ATP is ATP in the readings taken, with servers that copy as fast as the paper's.
func ATP(e *experiment.Env) atp.System {
	return atp.System{
		Copy:         ATPCopy(e, e.Reading("atp.copy")),
		Doubling:     e.Reading("atp.window-growth") == "doubling",
		Superset:     e.Reading("atp.ps-overlap") == "superset",
		Resend:       resends[e.Reading("atp.loss-resend")],
		ExpectedOnly: e.Reading("atp.timeout-resend") == "expected",
	}
}

// resends are the choices of the reading atp.loss-resend.
var resends = map[string]host.Resend{"expected": host.Expected, "passed": host.Passed, "gaps": host.Gaps}

// ATPCopy is the rate at which a server copies frames: what the paper prints is either of
// frames or of the gradients in them.
func ATPCopy(e *experiment.Env, of string) units.Rate {
	rate := units.Rate(math.Round(e.Constants.Get("atp.copy") * float64(units.GbitPerSecond)))
	if of == "payload" {
		rate = rate * ATPFrame / ATPValues
	}
	return rate
}

// InATP is SwitchML as ATP's authors built it: packets of 180 bytes, sent again after 1 ms, as
// many in flight as ATP's hosts may have.
func InATP() switchml.System {
	return switchml.System{Elements: 32, Slots: host.DefaultSpan, Unscaled: true, Retransmit: true}
}

// ATPHost is a host of ATP's testbed for systems whose processes make packets: ATP and its SwitchML. It
// sends and takes at one rate at the same time, so that a packet has half of its time each way.
func ATPHost(e *experiment.Env) hostmodel.Model {
	packet := units.Microsecond.Scale(1 / e.Constants.Get("atp.packets"))
	return hostmodel.Model{Kind: "atp", Frame: packet / 2, Latency: units.Microsecond.Scale(e.Constants.Get("dpdk.latency"))}
}

// ATPModel is a model as ATP's testbed trains it.
func ATPModel(e *experiment.Env, name string) (profiles.Profile, profiles.Row) {
	p := Profile(name)
	row, ok := p.Row(profiles.ATP, Gigabit100)
	if !ok {
		panic(fmt.Sprintf("testbed: %s has no row of ATP", name))
	}
	p.SizeMiB = row.Size.Used
	p.Compute = units.Millisecond.Scale(e.Constants.Get("compute.atp." + name))
	return p, row
}
