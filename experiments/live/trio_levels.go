package live

import (
	"context"
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// flatAndTree is aggregation over one level, over two, and over chassis below a chassis.
func flatAndTree() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.s4.levels", Title: "Trio-ML through one PFE, through PFE1, PFE2 and PFE4 above them, and over three chassis",
		Switch: []claims.Switch{claims.SwitchMicrocode},
		Claims: []claims.ID{"trio.s4.hier-equals-flat", "trio.s4.hier-data-reduction"},
		Live:   true, Run: onLab(runLevels),
	}
}

// chassisBelowChassis is the topology of several devices.
const chassisBelowChassis = "chassis-leaf-spine"

// levelElements makes a last block that is not full.
const levelElements = 250_000

// levels are the runs. Nothing ages, so that a busy machine degrades no block.
func levels() []liveRun {
	run := func(name, topology string) liveRun {
		return liveRun{
			name: "Trio-ML " + name, sys: trioml.System{NoAging: true}, topology: topology, hosts: 6, mtu: jumbo,
			rate: testbed.Gigabit100, scale: countScale, elements: levelElements, iterations: 1,
		}
	}
	return []liveRun{run("on one level", "rack"), run("on two levels", "mx480"), run("over chassis", chassisBelowChassis)}
}

// runLevels compares: every worker holds every element that it was given against
// the int32 sum of the workers' tensors, which are the same in all runs. If none
// differs, the results of the runs are equal.
func runLevels(ctx context.Context, l *lab) (experiment.Findings, error) {
	runs := levels()
	var got []ran
	equal := true
	t := claims.Table{
		ID: "trio.s4.levels", Title: fmt.Sprintf("An int32 tensor of %d elements from 6 workers", levelElements),
		Columns: []claims.Column{{Name: "topology"}, {Name: "PFE"}, {Name: "packets in"}, {Name: "results out"}, {Name: "results checked"}, {Name: "results wrong"}},
		Notes:   []string{"Checked and wrong are elements at all workers, against the int32 sum."},
	}
	for i := range runs {
		m, err := l.run(ctx, runs[i])
		if err != nil {
			return experiment.Findings{}, err
		}
		got = append(got, m)
		c := &m.Cell
		equal = equal && c.Wrong == 0 && c.Checked == uint64(runs[i].hosts*levelElements)
		for _, pfe := range pfesOf(&runs[i]) {
			in, out := throughPFE(&m, pfe)
			if in == 0 {
				return experiment.Findings{}, fmt.Errorf("%s: no packet came to %s", runs[i].name, pfe)
			}
			t.Add(render.Text(runs[i].topology), render.Text(pfe), render.Int(in), render.Int(out), render.Int(c.Checked), render.Int(c.Wrong))
		}
	}
	in, out := throughPFE(&got[1], "mx480/pfe1")
	if out == 0 {
		return experiment.Findings{}, fmt.Errorf("%s: PFE1 sent no result to the PFE above", runs[1].name)
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("trio.s4.hier-equals-flat", l.say(claims.Bool(equal), runs[0].scale, "6 workers on a rack, 3 on each of two PFEs below a third, and 3 on each of two chassis below a third"))
	f.Set("trio.s4.hier-data-reduction", l.say(claims.Number(float64(in)/float64(out)), runs[1].scale, "counters of PFE1, 3 workers on it"))
	return f, nil
}

// pfesOf returns the PFEs that aggregate, by switch and name.
func pfesOf(r *liveRun) []string {
	switch r.topology {
	case "mx480":
		return []string{"mx480/pfe1", "mx480/pfe2", "mx480/pfe4"}
	case chassisBelowChassis:
		return []string{"mx0/pfe1", "mx0/pfe2", "mx0/pfe4", "mx1/pfe1", "mx1/pfe2", "mx1/pfe4", "spine0/pfe1"}
	}
	return []string{"tor/engine"}
}

// throughPFE returns the packets that came to a PFE and the results that it sent.
func throughPFE(m *ran, pfe string) (in, out uint64) {
	node, name, _ := strings.Cut(pfe, "/")
	return counted(&m.Cell, name+"/"+program.CountPackets, at(node)), counted(&m.Cell, name+"/"+program.CountResults, at(node))
}
