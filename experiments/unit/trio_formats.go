package unit

import (
	"context"
	"fmt"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// trioFormats checks the memory that Trio-ML's open blocks take, and shows the inputs of the Trio
// paper's Table 1.
func trioFormats() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.formats", Title: "memory of open blocks of Trio-ML, and workloads",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{
			"trio.s5.memory-65535", "trio.tab1.resnet50", "trio.tab1.vgg11", "trio.tab1.densenet161",
		},
		Run: func(context.Context, *experiment.Env) (f experiment.Findings, err error) {
			p := experiment.NewPrinted()
			if err := headerSurvives(p); err != nil {
				return f, err
			}
			if err := trioMemory(&f, p); err != nil {
				return f, err
			}
			trioWorkloads(&f)
			return f, p.Err()
		},
	}
}

// headerSurvives holds the header of the figure against the codec: a header must survive
// it, with every field at its largest.
func headerSurvives(p *experiment.Printed) error {
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
