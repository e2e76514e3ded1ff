package experiments

import (
	"context"
	"fmt"
	"math"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/reports/claims"
)

// unitSwitchmlResources checks what SwitchML takes of switches and wires.
func unitSwitchmlResources() []Experiment {
	return []Experiment{{
		ID: "switchml.resources", Title: "registers, ports and goodput of SwitchML",
		Claims: []claims.ID{
			"switchml.s1.scale-ports", "switchml.s6.3.pipeline-workers", "switchml.s7.hier-240", "switchml.s7.hier-3600",
			"switchml.s7.uplinks", "switchml.s8.iswitch-40x", "switchml.s4.5.memory-doubling", "switchml.appC.pool-memory",
			"switchml.appC.memory-share", "switchml.s6.3.workers-no-resource", "switchml.s5.goodput.64", "switchml.s5.goodput.256",
		},
		Predicts: []claims.ID{"switchml.s5.goodput.32"},
		Run: func(_ context.Context, _ *Env) (f Findings, err error) {
			p, err := newPrinted()
			if err != nil {
				return f, err
			}
			switchPorts(&f, p)
			hierarchy(&f, p)
			if err := registers(&f, p); err != nil {
				return f, err
			}
			if err := workersTakeNothing(&f); err != nil {
				return f, err
			}
			framesGoodput(&f, p)
			return f, p.err()
		},
	}}
}

// The switch of the paper (§5, §6): pipelines, and ports of 100 Gbit/s in each.
const (
	pipelines    = 4
	portGbps     = 100
	iSwitchGbps  = 4 * 10 // §8
	wedgeSRAM    = 22e6   // bytes, of a Wedge100BF-32X: XAgg §I
	slowPortGbps = 25
)

// switchPorts is what a switch, or one pipeline, can attach.
func switchPorts(f *Findings, p *printed) {
	pipeline := p.known("switchml.hier.p") * portGbps
	at := func(gbps float64) claims.Measured {
		return claims.Group(map[string]claims.Measured{
			"at_100g": claims.Number(gbps / portGbps), "at_25g": claims.Number(gbps / slowPortGbps),
		})
	}
	f.Set("switchml.s1.scale-ports", at(1000*p.given("switchml.s1.scale-ports", "switch_Tbps")))
	f.Set("switchml.s6.3.pipeline-workers", at(pipeline))
	f.Set("switchml.s8.iswitch-40x", claims.Number(pipeline/iSwitchGbps))
}

// hierarchy counts the workers below switches in layers: each pipeline is a
// switch of its own, that gives one of its ports to the layer above; the root
// gives none.
func hierarchy(f *Findings, p *printed) {
	ports := p.known("switchml.hier.p")
	workers := func(layers int) claims.Measured {
		n := ports
		for range layers - 1 {
			n *= ports - 1
		}
		return claims.Number(n)
	}
	f.Set("switchml.s7.hier-240", workers(2))
	f.Set("switchml.s7.hier-3600", workers(3))

	down := 0.0 // most ports downstream that leave enough for upstream
	up := func(d float64) float64 { return math.Ceil(d / ports) }
	for down+1+up(down+1) <= pipelines*ports {
		down++
	}
	m := claims.Group(map[string]claims.Measured{
		"upstream_of_60": claims.Number(up(60)), "total_of_60": claims.Number(60 + up(60)),
	})
	m.Note = fmt.Sprintf("%g is the most of %g ports that can face down", down, pipelines*ports)
	f.Set("switchml.s7.uplinks", m)
}

// valueBytes returns the bytes of the registers that hold values, and bitmapBytes
// those of seen, in Algorithm 3, where there are two copies; in Algorithm 1 there
// is one, and no bitmap.
func valueBytes(copies, slots, elements int) int { return copies * slots * elements * 4 }

func bitmapBytes(copies, slots, workers int) int { return (copies*slots*workers + 7) / 8 }

// registers counts the copies that a slot needs, and their bytes.
func registers(f *Findings, p *printed) error {
	copies, err := copiesOfSlot()
	if err != nil {
		return err
	}
	const workers, elements = 8, 256 // of the paper's testbed
	pool := func(link string) int { return int(p.known("switchml.pool", link)) }
	with, without := valueBytes(copies, pool("100Gbps"), elements), valueBytes(1, pool("100Gbps"), elements)
	doubling := claims.Group(map[string]claims.Measured{
		"value_registers": claims.Number(float64(with) / float64(without)),
		"bitmap_bytes":    claims.Number(float64(bitmapBytes(copies, pool("100Gbps"), workers))),
	})
	doubling.Note = fmt.Sprintf("%d slots of %d values, %d workers; copies counted on the program", pool("100Gbps"), elements, workers)
	f.Set("switchml.s4.5.memory-doubling", doubling)

	f.Set("switchml.appC.pool-memory", claims.Group(map[string]claims.Measured{
		"slots_128": claims.Number(float64(valueBytes(copies, pool("10Gbps"), elements))),
		"slots_512": claims.Number(float64(with)),
	}))
	share := claims.Number(100 * float64(with) / wedgeSRAM)
	share.Note = fmt.Sprintf("of 22 MB, that XAgg says a Wedge100BF-32X has; ten times the slots take %.0f%%", 1000*float64(with)/wedgeSRAM)
	f.Set("switchml.appC.memory-share", share)
	return nil
}

// copiesOfSlot counts on the program how many sums of one slot can be had at one
// time: it answers for a chunk while the next is under way, and not for that any
// more once there is a third.
func copiesOfSlot() (copies int, err error) {
	r, err := newSwitchmlRig(2, 1)
	if err != nil {
		return 0, err
	}
	chunk := func(w, c int) []switchmlResult {
		out, problem := r.send(w, uint8(c&1), 0, part(w, int8(c)))
		err = firstOf(err, problem)
		return out
	}
	sum := func(c int8) int32 { return part(0, c) + part(1, c) }
	chunk(0, 0)
	chunk(1, 0)
	chunk(0, 1) // under way: worker 1 has no result of chunk 0 yet
	if out := chunk(1, 0); len(out) == 1 && out[0].value == sum(0) {
		copies++ // the shadow copy
	}
	if out := chunk(1, 1); len(out) == 2 && out[0].value == sum(1) {
		copies++ // the one under way was not touched by that
	}
	chunk(0, 2)
	if out := chunk(1, 0); len(out) > 0 && out[0].value == sum(0) {
		copies++ // there is no third
	}
	return copies, err
}

// workersTakeNothing lets 2 to 64 workers use the same slots, and compares the
// registers that hold values.
func workersTakeNothing(f *Findings) error {
	const slots, most = 4, 64
	least, largest := math.MaxInt, 0
	for n := 2; n <= most; n++ {
		r, err := newSwitchmlRig(n, slots)
		if err != nil {
			return err
		}
		for slot := range slots {
			var out []switchmlResult
			for w := range n {
				if out, err = r.send(w, 0, slot, 1); err != nil {
					return err
				}
			}
			if len(out) != n || out[0].value != int32(n) {
				return fmt.Errorf("%d workers: slot %d gives %v", n, slot, out)
			}
		}
		b := valueBytes(2, slots, switchmlElements)
		least, largest = min(least, b), max(largest, b)
	}
	m := claims.Number(float64(largest - least))
	m.Note = fmt.Sprintf("%d slots serve 2 to %d workers on the program; seen takes a bit a worker, slot and copy", slots, most)
	f.Set("switchml.s6.3.workers-no-resource", m)
	return nil
}

// framesGoodput is the payload of frames as a share of what they occupy on the wire.
func framesGoodput(f *Findings, p *printed) {
	share := func(elements int) float64 {
		payload := 4 * elements
		t := sansio.Train{Header: inet.UDPHeader(switchmlUp(0)), Body: make([]byte, wire.HeaderLen), Pad: payload}
		return 100 * float64(payload) / float64(t.WireBytes())
	}
	f.Set("switchml.s5.goodput.64", claims.Number(share(64)))
	f.Set("switchml.s5.goodput.256", claims.Number(share(256)))

	// The overhead that both stated goodputs allow, each known to half a per cent.
	low, high := 0.0, math.Inf(1)
	for elements, id := range map[float64]claims.ID{64: "switchml.s5.goodput.64", 256: "switchml.s5.goodput.256"} {
		stated := p.claimed(id)
		low = max(low, 4*elements*(100/(stated+0.5)-1))
		high = min(high, 4*elements*(100/(stated-0.5)-1))
	}
	const payload = 4 * 32
	f.Predict("switchml.s5.goodput.32", claims.Prediction{
		Low: 100 * payload / (payload + high), High: 100 * payload / (payload + low),
		Model:     "frames of internal/wire/switchml",
		Constants: []string{"stated goodputs are rounded to whole per cents", "the overhead does not depend on the payload"},
		Note: fmt.Sprintf("%.4g with the %g B a packet of fact switchml.overhead; %.1f to %.1f B agree with both stated goodputs",
			share(32), p.known("switchml.overhead"), low, high),
	})
}
