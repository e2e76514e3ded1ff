package chip

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// resources checks what SwitchML takes of switches and wires.
func resources() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.resources", Title: "registers, ports and goodput of SwitchML",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{
			"switchml.s1.scale-ports", "switchml.s6.3.pipeline-workers",
			"switchml.s7.uplinks", "switchml.s8.iswitch-40x", "switchml.s4.5.memory-doubling", "switchml.appC.pool-memory",
			"switchml.appC.memory-share", "switchml.s6.3.workers-no-resource", "switchml.s5.goodput.32", "switchml.s5.goodput.64", "switchml.s5.goodput.256",
		},
		Run: func(_ context.Context, _ *experiment.Env) (f experiment.Findings, err error) {
			p := experiment.NewPrinted()
			switchPorts(&f, p)
			uplinks(&f, p)
			if err := registers(&f, p); err != nil {
				return f, err
			}
			if err := workersTakeNothing(&f); err != nil {
				return f, err
			}
			framesGoodput(&f)
			return f, p.Err()
		},
	}
}

// The switch of the paper (§5, §6): pipelines, and ports of 100 Gbit/s in each.
const (
	pipelines    = 4
	portGbps     = 100
	iSwitchGbps  = 4 * 10 // §8
	slowPortGbps = 25
	maxElements  = 256 // values of a packet, in all pipelines
)

// switchPorts is what a switch, or one pipeline, can attach.
func switchPorts(f *experiment.Findings, p *experiment.Printed) {
	pipeline := p.Known("switchml.hier.p") * portGbps
	at := func(gbps float64) claims.Measured {
		return claims.NumberParts(map[string]float64{"at_100g": gbps / portGbps, "at_25g": gbps / slowPortGbps})
	}
	f.Set("switchml.s1.scale-ports", at(1000*p.Given("switchml.s1.scale-ports", "switch_Tbps")))
	f.Set("switchml.s6.3.pipeline-workers", at(pipeline))
	f.Set("switchml.s8.iswitch-40x", claims.Number(pipeline/iSwitchGbps))
}

// uplinks counts the ports of a switch that lead up: one for each pipeline.
func uplinks(f *experiment.Findings, p *experiment.Printed) {
	ports := p.Known("switchml.hier.p")
	down := 0.0 // most ports downstream that leave enough for upstream
	up := func(d float64) float64 { return math.Ceil(d / ports) }
	for down+1+up(down+1) <= pipelines*ports {
		down++
	}
	m := claims.NumberParts(map[string]float64{"upstream_of_60": up(60), "total_of_60": 60 + up(60)})
	f.Set("switchml.s7.uplinks", m.Noting("%g is the most of %g ports that can face down", down, pipelines*ports))
}

// registers reads what the placed program has of registers, and counts the copies
// that a slot needs: Algorithm 1 has one, and no bitmap.
func registers(f *experiment.Findings, p *experiment.Printed) error {
	copies, err := copiesOfSlot()
	if err != nil {
		return err
	}
	use := map[string]MemoryUse{}
	for _, link := range []string{"10Gbps", "100Gbps"} {
		if use[link], err = MemoryShare(int(p.Known("switchml.pool", link))); err != nil {
			return err
		}
	}
	slow, fast := use["10Gbps"], use["100Gbps"]
	one := fast.slots * maxElements * 4 // bytes of one copy
	doubling := claims.NumberParts(map[string]float64{"value_registers": float64(fast.valueBytes) / float64(one), "bitmap_bytes": float64(fast.bitmapBytes)})
	if copies*one != fast.valueBytes {
		return fmt.Errorf("the program answers from %d copies of a slot, but its registers have %d bytes for %d slots", copies, fast.valueBytes, fast.slots)
	}
	f.Set("switchml.s4.5.memory-doubling", doubling.Noting("registers of the placed program, %d of its slots, %d values; the program answers from %d copies of a slot; a bitmap has a bit for each of %d workers", fast.slots, maxElements, copies, pipeline.MaxWorkers))

	f.Set("switchml.appC.pool-memory", claims.NumberParts(map[string]float64{"slots_128": float64(slow.valueBytes), "slots_512": float64(fast.valueBytes)}))
	f.Set("switchml.appC.memory-share", claims.Number(fast.Percent()).Noting("%s: %d times as many slots fit", fast, switchml.MaxSlots/fast.slots))
	return nil
}

// copiesOfSlot counts on the program how many sums of one slot can be had at one
// time: it answers for a chunk while the next is under way, and not for that any
// more once there is a third.
func copiesOfSlot() (copies int, err error) {
	r, err := rig.NewSwitchML(2, 1)
	if err != nil {
		return 0, err
	}
	chunk := func(w, c int) []rig.SwitchMLResult { return r.Send(w, 0, c, rig.Part(w, c)) }
	sum := func(c int) int32 { return rig.Part(0, c) + rig.Part(1, c) }
	chunk(0, 0)
	chunk(1, 0)
	chunk(0, 1) // under way: worker 1 has no result of chunk 0 yet
	if out := chunk(1, 0); len(out) == 1 && out[0].Value == sum(0) {
		copies++ // the shadow copy
	}
	if out := chunk(1, 1); len(out) == 2 && out[0].Value == sum(1) {
		copies++ // the one under way was not touched by that
	}
	chunk(0, 2)
	if out := chunk(1, 0); len(out) > 0 && out[0].Value == sum(0) {
		copies++ // there is no third
	}
	return copies, r.Err
}

// workersTakeNothing lets as many workers use the same slots of an emulated chip as
// a bitmap has bits, and compares what fit says that its program takes.
func workersTakeNothing(f *experiment.Findings) error {
	const slots = 4
	var first fit.Resources
	differing := 0
	for n := 2; n <= pipeline.MaxWorkers; n++ {
		placed, err := placedProgram(n)
		if err != nil {
			return err
		}
		if n == 2 {
			first = placed.Resources()
		}
		if !reflect.DeepEqual(first, placed.Resources()) {
			differing++
		}
		if err := slotsServe(n, slots); err != nil {
			return err
		}
	}
	if err := slotsServe(pipeline.MaxWorkers+1, slots); err == nil {
		return fmt.Errorf("%d workers share a bitmap of %d bits", pipeline.MaxWorkers+1, pipeline.MaxWorkers)
	}
	m := claims.Number(float64(differing))
	f.Set("switchml.s6.3.workers-no-resource", m.Noting("numbers of workers for which fit reports other resources than for 2; %d slots of the emulated chip serve 2 to %d, whose bits a bitmap has; more are refused", slots, pipeline.MaxWorkers))
	return nil
}

// slotsServe sums ones on the slots of an emulated chip.
func slotsServe(workers, slots int) error {
	e, err := pipeline.New(rig.SwitchMLConfig(job(1, 0, workers, slots)), pipeline.Options{})
	if err != nil {
		return err
	}
	r := rig.NewSwitchMLOn(e, workers, pipeline.MaxPorts, rig.Elements)
	for slot := range slots {
		var out []rig.SwitchMLResult
		for w := range workers {
			out = r.Send(w, slot, 0, 1)
		}
		if len(out) != workers || out[0].Value != int32(workers) {
			return fmt.Errorf("%d workers: slot %d gives %v", workers, slot, out)
		}
	}
	return r.Err
}

// framesGoodput is the payload of frames as a share of what they occupy on the wire.
func framesGoodput(f *experiment.Findings) {
	share := func(elements int) float64 {
		payload := 4 * elements
		t := sansio.Train{Header: inet.UDPHeader(rig.SwitchMLUp(0)), Body: make([]byte, wire.HeaderLen), Unstored: payload}
		return 100 * float64(payload) / float64(t.WireBytes())
	}
	f.Set("switchml.s5.goodput.32", claims.Number(share(32)).RanOn(claims.SwitchNone))
	f.Set("switchml.s5.goodput.64", claims.Number(share(64)).RanOn(claims.SwitchNone))
	f.Set("switchml.s5.goodput.256", claims.Number(share(256)).RanOn(claims.SwitchNone))
}
