package unit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
)

// switchmlTables checks sentences about Tables 1, 2 and 4 of the SwitchML
// paper against the tables.
func switchmlTables() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.tables", Title: "what the text says of Tables 1, 2 and 4",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{
			"switchml.s2.2.over-half", "switchml.s2.2.half-above-17", "switchml.s2.2.alpha-below-4", "switchml.s3.qsgd-below-ina",
			"switchml.s3.topk10-below-ina", "switchml.s3.topk1-wins-speed", "switchml.tab4.consistency", "switchml.appB.tensors-resnet50",
		},
		Run: func(context.Context, *experiment.Env) (f experiment.Findings, err error) {
			p := experiment.NewPrinted()
			countTable1(&f)
			compareTable2(&f, p)
			compareTable4(&f, p)
			if err := countTensors(&f); err != nil {
				return f, err
			}
			return f, p.Err()
		},
	}
}

// countTable1 counts rows of Table 1.
func countTable1(f *experiment.Findings) {
	overHalf, above17, alpha := 0, 0, 0
	for _, p := range profiles.All() {
		slow, ok := p.Row(profiles.SwitchML, 10*units.GbitPerSecond)
		if !ok {
			continue
		}
		fast, _ := p.Row(profiles.SwitchML, 100*units.GbitPerSecond)
		if slow.Comm > 50 {
			overHalf++
		}
		if fast.Comm >= 17 {
			above17++
		}
		if fast.Alpha < 4 {
			alpha++
		}
	}
	f.Set("switchml.s2.2.over-half", claims.Number(float64(overHalf)))
	f.Set("switchml.s2.2.half-above-17", claims.Number(float64(above17)))
	f.Set("switchml.s2.2.alpha-below-4", claims.Number(float64(alpha)))
}

// table2Row is a row of Table 2: speed-ups over a ring.
type table2Row struct {
	name                              string // model.rate
	ina, qsgd64, qsgd256, top1, top10 float64
}

// readTable2 returns the rows of Table 2, in the order of the ledger.
func readTable2(p *experiment.Printed) (rows []table2Row) {
	for _, c := range p.Ledger.Claims {
		name, ok := strings.CutPrefix(string(c.ID), "switchml.tab2.")
		name, compressed := strings.CutSuffix(name, ".compress")
		if !ok || !compressed {
			continue
		}
		r := table2Row{
			name: name, qsgd64: p.Claimed(c.ID, "qsgd64"), qsgd256: p.Claimed(c.ID, "qsgd256"),
			top1: p.Claimed(c.ID, "topk1"), top10: p.Claimed(c.ID, "topk10"),
		}
		r.ina = p.Claimed(claims.ID("switchml.tab2." + name + ".ina"))
		rows = append(rows, r)
	}
	return rows
}

// compareTable2 compares columns of Table 2.
func compareTable2(f *experiment.Findings, p *experiment.Printed) {
	var qsgd, ties []string
	notBelowINA, notBelowRing, top1Below := 0, 0, 0
	for _, r := range readTable2(p) {
		if strings.HasSuffix(r.name, ".100g") && r.top10 >= 1 {
			notBelowRing++
		}
		if max(r.qsgd64, r.qsgd256) >= r.ina {
			qsgd = append(qsgd, r.name)
		}
		if r.top10 >= r.ina {
			notBelowINA++
		}
		switch {
		case r.top1 < r.ina:
			top1Below++
		case r.top1 == r.ina:
			ties = append(ties, r.name)
		}
	}
	slices.Sort(ties)
	slices.Sort(qsgd)
	f.Set("switchml.s3.qsgd-below-ina", claims.Texts(qsgd...))
	f.Set("switchml.s3.topk10-below-ina", claims.NumberParts(map[string]float64{"not_below_ina": float64(notBelowINA), "not_below_ring_100g": float64(notBelowRing)}))
	f.Set("switchml.s3.topk1-wins-speed", claims.Group(map[string]claims.Measured{
		"below_ina": claims.Number(float64(top1Below)), "ties": claims.Texts(ties...),
	}))
}

// compareTable4 subtracts the metrics of Table 4 and holds them against the
// changes of Table 2, in points.
func compareTable4(f *experiment.Findings, p *experiment.Printed) {
	worst, pairs := 0.0, 0
	for _, c := range p.Ledger.Claims {
		name, ok := strings.CutPrefix(string(c.ID), "switchml.tab4.")
		if !ok || c.Method != claims.NoWay { // the rows of the table; what they add up to is no row
			continue
		}
		row, err := p.Ledger.Lookup(claims.ID("switchml.tab2." + name + ".10g.compress"))
		if err != nil {
			continue
		}
		points := 1.0
		if none, ok := p.Value(c.ID, "none").Number(); ok && none <= 1 {
			points = 100 // printed as a fraction
		}
		for _, scheme := range []string{"topk10", "topk1"} {
			change, ok := p.Value(row.ID, "acc_"+scheme).Number()
			with, both := p.Value(c.ID, scheme).Number()
			none, all := p.Value(c.ID, "none").Number()
			if ok && both && all {
				worst = max(worst, math.Abs(points*(with-none)-change))
				pairs++
			}
		}
	}
	f.Set("switchml.tab4.consistency", claims.Number(worst).Noting("the largest difference of %d pairs that both tables print", pairs))
}

// countTensors counts the tensors of ResNet-50's public layer list.
func countTensors(f *experiment.Findings) error {
	p, err := profiles.Lookup("resnet50")
	if err != nil {
		return err
	}
	list, public := p.Tensors()
	if !public {
		return fmt.Errorf("profile resnet50 has no public layer list")
	}
	m := claims.Number(float64(len(list)))
	m.Reading = "switchml.tensor-count: the public list"
	f.Set("switchml.appB.tensors-resnet50", m)
	return nil
}
