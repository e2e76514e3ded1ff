package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	switchmlsystem "github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/switchml"
)

// exactSums is what loss does to sums and phases (SwitchML §4.5).
func exactSums() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s4.5.live", Title: "sums and phases of SwitchML under loss and duplicates on real packets",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{"switchml.s4.5.correct-under-loss", "switchml.s4.5.one-phase-lag"},
		Live:   true, Quick: "10 of 40 iterations",
		Run: onLab(runExact),
	}
}

// exactTimeout is about a round trip of this machine: what was not lost is sent
// again as well, and the switch meets duplicates.
const exactTimeout = 2 * units.Millisecond

// exactRuns train under loss, so that the sums of every iteration are checked.
func exactRuns(e *experiment.Env) (out []liveRun) {
	for _, p := range testbed.LossRates[1:] {
		out = append(out, liveRun{
			name: fmt.Sprintf("SwitchML-256 in training, loss %g%%", 100*p), topology: "rack", hosts: 6, mtu: testbed.MTU,
			sys:  switchmlsystem.System{Elements: 256, Slots: slowPool, Unscaled: true, Pipe: testbed.OnPipe, Retransmit: true, Timeout: exactTimeout},
			rate: testbed.Gigabit100, scale: slowScale, loss: p, model: untimed(), batch: 4, iterations: experiment.Cut(e, 40, 10), traced: true,
		})
	}
	return out
}

func runExact(ctx context.Context, l *lab) (experiment.Findings, error) {
	runs := exactRuns(l.env)
	t := claims.Table{
		ID: "switchml.s4.5.live", Title: fmt.Sprintf("Training with SwitchML-256 under loss, %d workers, timeout of %v", runs[0].hosts, exactTimeout),
		Columns: []claims.Column{
			{Name: "loss", Unit: "%"}, {Name: "switch"}, {Name: "iterations"}, {Name: "packets lost"}, {Name: "sent again"}, {Name: "duplicates at the switch"}, {Name: "results sent again"},
			{Name: "elements checked"}, {Name: "wrong"}, {Name: "largest lag", Unit: "phases"},
		},
		Notes: []string{"A lag is between two workers on one slot, by the times at which they sent their packets for the first time."},
	}
	var wrong, gone uint64
	lag := 0
	for i := range runs {
		m, err := l.checked(ctx, runs[i])
		if err != nil {
			return experiment.Findings{}, err
		}
		c := &m.Cell
		far := lagOf(m.logs, runs[i].hosts)
		wrong, gone, lag = wrong+c.Wrong, gone+lost(c), max(lag, far)
		t.Add(render.Text(fmt.Sprintf("%g", 100*runs[i].loss)), render.Text(m.on), render.Int(runs[i].iterations), render.Int(lost(c)), render.Int(counted(c, switchml.CountRetransmits, nil)),
			render.Int(counted(c, program.DropDuplicate, nil)), render.Int(counted(c, program.CountAnswered, nil)), render.Int(c.Checked), render.Int(c.Wrong), render.Int(far))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	const what = "training; duplicates are what the timer sends needlessly"
	f.Set("switchml.s4.5.correct-under-loss", l.say(claims.NumberParts(map[string]float64{"wrong": float64(wrong), "packets_lost": float64(gone)}), slowScale, what))
	f.Set("switchml.s4.5.one-phase-lag", l.say(claims.Number(float64(lag)), slowScale, what))
	return f, nil
}

// checked is run, where it means nothing unless sums were checked.
func (l *lab) checked(ctx context.Context, r liveRun) (ran, error) {
	m, err := l.run(ctx, r)
	if err == nil && m.Cell.Checked == 0 {
		err = fmt.Errorf("%s: no sum was checked", r.name)
	}
	return m, err
}

// lagOf returns the largest difference between the phases of two workers on one
// slot. All nodes read one clock. A packet is sent right after its event, and the
// result that lets another worker go on comes after that, so that the order of
// events is that of the protocol.
func lagOf(logs []*trace.Log, workers int) (lag int) {
	phases := map[uint32]map[string]uint32{} // by slot and worker
	for e := range trace.Merged(logs) {
		if e.Kind != trace.Sent {
			continue
		}
		slot := phases[e.Block]
		if slot == nil {
			slot = map[string]uint32{}
			phases[e.Block] = slot
		}
		slot[e.Node] = e.Gen
		least := uint32(0) // of a worker that has sent nothing
		if len(slot) == workers {
			least = e.Gen
			for _, phase := range slot {
				least = min(least, phase)
			}
		}
		lag = max(lag, int(e.Gen-least))
	}
	return lag
}
