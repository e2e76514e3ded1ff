package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	switchmlsystem "github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/switchml"
)

// spuriousRetransmits is a retransmission timer that meets stragglers (Trio §6.1).
func spuriousRetransmits() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.s6.1.sml-spurious-retx", Title: "SwitchML-256 with stragglers, with and without a retransmission timer of 1 ms; nothing is lost",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{"trio.s6.1.sml-spurious-retx"},
		Live:   true, Quick: "15 of 40 iterations",
		Run: onLab(runRetransmit),
	}
}

// retransmitPool is small, so that what is sent again each millisecond while a
// worker sleeps fits its links: 8 packets of 1.1 KB are 71 of 500 Mbit/s.
const retransmitPool = 8

func retransmitRuns(e *experiment.Env) []liveRun {
	profile := testbed.Model(e, "resnet50")
	n := experiment.Cut(e, 40, 15)
	run := func(name string, timer bool, p float64) liveRun {
		return liveRun{
			name:     name,
			sys:      switchmlsystem.System{Elements: 256, Slots: retransmitPool, Unscaled: true, Pipe: testbed.OnPipe, Retransmit: timer, Timeout: units.Millisecond},
			topology: "rack", hosts: 6, mtu: jumbo, rate: testbed.Gigabit100, scale: 200, model: profile, iterations: n, p: p,
			change: func(s *job.Spec) { s.Semantics = fault.Semantics(e.Reading("trio.straggle-semantics")) },
		}
	}
	return []liveRun{run("timer, p=16%", true, testbed.LastP), run("timer, p=0", true, 0), run("no timer, p=16%", false, testbed.LastP)}
}

func runRetransmit(ctx context.Context, l *lab) (experiment.Findings, error) {
	runs := retransmitRuns(l.env)
	var got []ran
	var wrong uint64
	t := claims.Table{
		ID: "trio.s6.1.sml-spurious-retx", Title: "Packets sent again, all workers",
		Columns: []claims.Column{{Name: "run"}, {Name: "iterations"}, {Name: "sent again"}, {Name: "duplicates at the switch"}, {Name: "iteration", Unit: "ms"}, {Name: "elements checked"}, {Name: "wrong"}},
		Notes: []string{
			fmt.Sprintf("Pool of %d slots. Without stragglers the timer shows what the round trip of this machine, which is near 1 ms, adds by itself.", retransmitPool),
		},
	}
	for i := range runs {
		m, err := l.checked(ctx, runs[i])
		if err != nil {
			return experiment.Findings{}, err
		}
		c := &m.Cell
		wrong += c.Wrong
		got = append(got, m)
		t.Add(render.Text(runs[i].name), render.Int(runs[i].iterations), render.Int(counted(c, switchml.CountRetransmits, nil)),
			render.Int(counted(c, program.DropDuplicate, nil)+counted(c, program.CountAnswered, nil)),
			render.Number(testbed.MeanIteration(c).Milliseconds(), 1), render.Int(c.Checked), render.Int(c.Wrong))
	}
	again := func(i int) claims.Measured {
		return claims.Number(float64(counted(&got[i].Cell, switchml.CountRetransmits, nil)))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("trio.s6.1.sml-spurious-retx", l.say(claims.Group(map[string]claims.Measured{
		"duplicates_with_timer": again(0), "duplicates_without_timer": again(2), "wrong": claims.Number(float64(wrong)),
	}), runs[0].scale, fmt.Sprintf("pool of %d", retransmitPool)))
	return f, nil
}
