package unit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// trioFormats checks sizes of Trio-ML's headers, records and buffers, and
// what else is arithmetic in the Trio paper.
func trioFormats() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.formats", Title: "header, record and buffer sizes of Trio-ML; adds a second; workloads",
		Claims: []claims.ID{
			"trio.s4.header-12B", "trio.a1.jobrec-58B", "trio.a1.blockrec-58B", "trio.s5.memory-65535", "trio.s6.3.rmw-rate",
			"trio.tab1.resnet50", "trio.tab1.vgg11", "trio.tab1.densenet161",
		},
		Run: func(_ context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			p := experiment.NewPrinted()
			if err := recordSizes(&f, p); err != nil {
				return f, err
			}
			if err := trioMemory(&f, p); err != nil {
				return f, err
			}
			if err := trioAdds(&f, p, e); err != nil {
				return f, err
			}
			trioWorkloads(&f)
			return f, p.Err()
		},
	}
}

// recordSizes sums the widths of the fields as the figures give them, and holds
// the header against the codec: a header must survive it, with every field at
// its largest.
func recordSizes(f *experiment.Findings, p *experiment.Printed) error {
	full := wire.Header{
		Job: math.MaxUint8, Block: math.MaxUint32, AgeOp: 15, Final: true, Degraded: true,
		Source: math.MaxUint8, SrcCnt: math.MaxUint8, Gen: math.MaxUint16, Grads: wire.MaxGrads,
	}
	frame := make([]byte, wire.HeaderLen+4*wire.MaxGrads)
	full.Put(frame)
	if got, problem := wire.Parse(frame); problem != wire.OK || got != full {
		return fmt.Errorf("the Trio-ML header %+v comes back as %+v: %q", full, got, problem)
	}
	drawn := bytesOf(p, "trio.hdr.layout")
	if drawn != wire.HeaderLen {
		return fmt.Errorf("the fields of the Trio-ML header make %g bytes, the codec's header has %d", drawn, wire.HeaderLen)
	}
	f.Set("trio.s4.header-12B", claims.Number(wire.HeaderLen))
	f.Set("trio.a1.jobrec-58B", claims.Number(bytesOf(p, "trio.jobrec.layout")))
	f.Set("trio.a1.blockrec-58B", claims.Number(bytesOf(p, "trio.blockrec.layout")))
	return nil
}

// bytesOf sums the widths of a layout: a list of names and bits.
func bytesOf(p *experiment.Printed, id claims.ID) float64 {
	bits := 0.0
	for _, field := range p.Fact(id).List() {
		if pair := field.List(); len(pair) == 2 {
			bits += p.Number(pair[1], fmt.Sprintf("the width of %s in %s", pair[0], id))
		}
	}
	return bits / 8
}

// trioMemory opens as many blocks as servers may send ahead and computes what
// they occupy: a record and a buffer each. The packets carry unstored values, since
// the number of blocks is what counts here.
func trioMemory(f *experiment.Findings, p *experiment.Printed) error {
	window := int(p.Known("trio.window.max"))
	grads := int(p.Known("trio.grads.default"))
	r, err := rig.NewTrio(program.Config{}, 2, window)
	if err != nil {
		return err
	}
	for b := range window + 1 { // one more than may be
		r.Send(rig.TrioLengths(wire.Header{Block: uint32(b), Grads: uint16(grads)}))
	}
	open, refused := r.Prog.OpenBlocks(), sansio.CountOf(r.Prog.Counters(), program.DropBlockCap)
	if refused != 1 {
		return fmt.Errorf("%d packets over the limit of %d blocks were refused, want 1", refused, window)
	}
	buffers, records := open*4*grads, float64(open)*bytesOf(p, "trio.blockrec.layout")
	const dram = 4 << 30 // "several GB" (§2.3); 4 GiB assumed
	m := claims.Group(map[string]claims.Measured{
		"open_blocks":  claims.Number(float64(open)),
		"buffer_bytes": claims.Number(float64(buffers)),
		"fits_4_gib":   claims.Bool(float64(buffers)+records <= dram),
	})
	f.Set("trio.s5.memory-65535", m.Noting("with records %.1f MB", (float64(buffers)+records)/1e6))
	return nil
}

// trioAdds is the rate at which the engines add: by arithmetic, and as frames of
// gradients come through the server that stands in for them, which never rests.
func trioAdds(f *experiment.Findings, p *experiment.Printed, e *experiment.Env) error {
	engines, cycles := p.Known("trio.rmw.count", "engines"), p.Known("trio.rmw.count", "cycles_per_add")
	simulated, err := addsThrough(units.Rate(32 * e.Constants.Get("pfe.adds")))
	if err != nil {
		return err
	}
	m := claims.NumberParts(map[string]float64{"arithmetic": engines * p.Known("trio.rmw.count", "clock_GHz") * 1e9 / cycles, "simulated": simulated})
	f.Set("trio.s6.3.rmw-rate", m.On("one server that adds at pfe.adds, in place of banks and engines"))
	return nil
}

// addsThrough returns the additions a second of a server that is kept busy with
// frames of 1024 gradients.
func addsThrough(rate units.Rate) (float64, error) {
	const frames, grads = 1000, 1024
	const headers = inet.UDPHeaders + wire.HeaderLen // nothing is added for these
	server, err := impair.New(impair.Config{Params: impair.Params{Rate: rate, Overhead: -headers, Queue: frames * 8192}})
	if err != nil {
		return 0, err
	}
	served := 0
	d := sansiotest.Feed{Machine: server, Sent: func(_ units.Time, s *sansio.Send) { served += s.Train.Frames() }}
	d.Arrive(0, slices.Repeat([]sansio.Arrival{{Train: rig.TrioLengths(wire.Header{Grads: grads})}}, frames)...)
	d.Drain()
	if served != frames {
		return 0, fmt.Errorf("the server let %d of %d frames through", served, frames)
	}
	return frames * grads / d.Now.Sub(0).Seconds(), nil
}

// trioWorkloads shows the inputs of Table 1: sizes from published parameters.
func trioWorkloads(f *experiment.Findings) {
	for _, p := range profiles.All() {
		row, ok := p.Row(profiles.Trio, 0)
		if !ok {
			continue
		}
		m := claims.Number(float64(4*p.Params) / float64(units.MiB))
		m.Reading = "trio.size-unit: MiB"
		f.Set(claims.ID("trio.tab1."+p.Name), m.Noting("of %d published parameters; %d MiB and batches of %d (%s) are fed into runs", p.Params, row.Size.Used, row.Batch, row.Dataset))
	}
}
