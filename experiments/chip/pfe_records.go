package chip

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/microcode/isa"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// pfeRecords is Trio §4 and App A.1: what the compiled program's records take, and the header
// of the packets that it sends. The program keeps more in a record than the figures draw, before
// what they draw.
func pfeRecords(f *experiment.Findings, p *isa.Program) error {
	paper := experiment.NewPrinted()
	header, err := headerBytes()
	if err != nil {
		return err
	}
	f.Set("trio.s4.header-12B", claims.Number(float64(header)).On("Microcode on an emulated PFE").RanOn(claims.SwitchMicrocode).Noting("of a result's payload, beside its gradients"))
	for _, r := range []struct {
		id      claims.ID
		name    string // of the struct
		figure  claims.ID
		between string // the first field of the figure
	}{
		{"trio.a1.jobrec-58B", "trio_ml_job_ctx_t", "trio.jobrec.layout", "block_curr_cnt"},
		{"trio.a1.blockrec-58B", "trio_ml_block_ctx_t", "trio.blockrec.layout", "block_exp"},
	} {
		i := slices.IndexFunc(p.Types, func(t isa.Type) bool { return t.Name == r.name })
		if i < 0 {
			return fmt.Errorf("%s has no struct %s", p.Name, r.name)
		}
		bits, err := drawn(p, p.Types[i], r.between, paper.Fact(r.figure))
		if err != nil {
			return err
		}
		f.Set(r.id, claims.Number(float64(bits)/8).On("compiled Microcode").RanOn(claims.SwitchMicrocode).
			Noting("struct %s of %s, from %s on; all of it takes %d bytes", r.name, p.Name, r.between, p.Types[i].Bits/8))
	}
	return paper.Err()
}

// headerBytes is what the payload of a result has beside its gradients, in two results of
// different lengths.
func headerBytes() (int, error) {
	const short, long = 10, 20 // gradients
	on, err := rig.NewTrioPFE(0)
	if err != nil {
		return 0, err
	}
	pfe, err := on.Engine(program.Config{Node: "pfe", Jobs: []program.Job{rig.TrioJob(1, 0)}})
	if err != nil {
		return 0, err
	}
	var bytes []int
	d := sansiotest.Feed{Machine: pfe, Sent: func(_ units.Time, s *sansio.Send) { bytes = append(bytes, len(s.Train.Payload(0))) }}
	for block, n := range []int{short, long} {
		d.Arrive(0, sansio.Arrival{Train: rig.TrioPacket(wire.Header{Block: uint32(block)}, make([]int32, n)...)})
	}
	if len(bytes) != 2 {
		return 0, fmt.Errorf("the PFE sent %d results of 2 blocks", len(bytes))
	}
	return bytes[0] - short*(bytes[1]-bytes[0])/(long-short), nil
}

// drawn returns the bits of a struct from the first field of a figure on. Fields that both
// have must be in the same place and as wide.
func drawn(p *isa.Program, t isa.Type, first string, figure claims.Value) (bits uint64, err error) {
	at := func(name string) (isa.Member, bool) {
		i := slices.IndexFunc(t.Fields, func(m isa.Member) bool { return m.Name == name })
		if i < 0 {
			return isa.Member{}, false
		}
		return t.Fields[i], true
	}
	from, ok := at(first)
	if !ok {
		return 0, fmt.Errorf("struct %s has no field %s", t.Name, first)
	}
	place, shared := from.Bit, 0
	for _, field := range figure.List() {
		pair := field.List()
		if len(pair) != 2 {
			return 0, fmt.Errorf("a field of the figure of %s is %v", t.Name, field)
		}
		width, _ := pair[1].Number()
		if m, ok := at(pair[0].String()); ok {
			shared++
			if w := p.Types[m.Type-1].Bits; m.Bit != place || w != uint64(width) {
				return 0, fmt.Errorf("%s.%s is %d bits from bit %d on, and the figure has %g from bit %d on", t.Name, m.Name, w, m.Bit, width, place)
			}
		}
		place += uint64(width)
	}
	if shared < 5 {
		return 0, fmt.Errorf("struct %s has %d of the fields of its figure", t.Name, shared)
	}
	return t.Bits - from.Bit, nil
}
