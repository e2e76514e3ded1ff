package live

import (
	"context"
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	switchmlsystem "github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/switchml"
)

// overRacks is aggregation over racks (SwitchML §7).
func overRacks() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s7.racks", Title: "SwitchML over two racks and a spine: packets on the links between them, and what they lose",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{"switchml.s7.hier-optimal", "switchml.s4.5.hier-loss"},
		Live:   true, Quick: "2 of 8 all-reduces of the runs with loss",
		Run: onLab(runRacks),
	}
}

const (
	// rackElements make a last packet that is not full.
	rackElements = 50_000
	// rackLoss is that of the links between switches, the most of Fig 6.
	rackLoss = 0.01
	leaves   = 2
	// rackTimeout is several round trips of the pool over both levels, so that
	// little is sent again that is not lost.
	rackTimeout = 100 * units.Millisecond
)

// racks are the runs: two of which packets are counted, with different numbers of
// workers below each leaf, and two with loss. The uplinks are no faster than the
// link of one host.
func racks(e *experiment.Env) []liveRun {
	n := experiment.Cut(e, 8, 2)
	run := func(name string, hosts, iterations int, again bool) liveRun {
		return liveRun{
			name: "SwitchML-256 over two racks, " + name, topology: "leaf-spine", hosts: hosts, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: countScale,
			sys:      switchmlsystem.System{Elements: 256, Slots: slowPool, Unscaled: true, Pipe: testbed.OnPipe, Retransmit: again, Timeout: rackTimeout},
			elements: rackElements, iterations: iterations,
		}
	}
	out := []liveRun{
		run("2 workers each", 2*leaves, 1, false), run("4 workers each", 4*leaves, 1, false),
		run("loss between switches", 3*leaves, n, true), run("loss on every link", 3*leaves, n, true),
	}
	out[2].uplinkLoss, out[3].uplinkLoss, out[3].loss = rackLoss, rackLoss, rackLoss
	return out
}

// rackCounts is what of a run goes over the links between leaf and spine. The root
// counts what comes up, leaves what comes down.
type rackCounts struct {
	packets    uint64 // of one worker without loss
	up, down   uint64
	lost       uint64 // between switches
	lostAtAll  uint64
	again      uint64 // by workers
	climbed    uint64
	incomplete uint64 // results that workers lack
}

// rackCounted adds up a run.
func rackCounted(r *liveRun, m *ran) rackCounts {
	c := &m.Cell
	spine := func(node string) bool { return strings.HasPrefix(node, "spine") }
	per := uint64((rackElements + 255) / 256 * r.iterations)
	k := rackCounts{
		packets: per, up: counted(c, program.CountPackets, spine), down: counted(c, program.CountPassedOn, nil),
		lostAtAll: lost(c), again: counted(c, switchml.CountRetransmits, nil), climbed: counted(c, program.CountSentUp, nil),
	}
	for _, l := range c.Counters {
		if strings.HasPrefix(l.Name, "link/") && strings.HasSuffix(l.Name, "/"+impair.DropBernoulli) && strings.Contains(l.Name, "leaf") && strings.Contains(l.Name, "spine") {
			k.lost += l.N
		}
	}
	results := counted(c, switchml.CountResults, func(node string) bool { return strings.HasPrefix(node, "h") })
	k.incomplete = per*uint64(r.hosts) - min(results, per*uint64(r.hosts))
	return k
}

func runRacks(ctx context.Context, l *lab) (experiment.Findings, error) {
	runs := racks(l.env)
	t := claims.Table{
		ID: "switchml.s7.racks", Title: fmt.Sprintf("An int32 tensor of %d elements over %d leaves and a spine; packets of a worker and of an uplink", rackElements, leaves),
		Columns: []claims.Column{
			{Name: "run"}, {Name: "switch"}, {Name: "workers"}, {Name: "all-reduces"}, {Name: "packets of a worker"}, {Name: "up, an uplink"}, {Name: "down, an uplink"},
			{Name: "lost between switches"}, {Name: "lost at all"}, {Name: "sent again by workers"}, {Name: "of these sent on up"}, {Name: "results missing"}, {Name: "checked"}, {Name: "wrong"},
		},
		Notes: []string{"An uplink is as fast as the link of one worker. Counted at the root and at leaves; a leaf sends a retransmission on where its own part is complete."},
	}
	var all []rackCounts
	var wrong uint64
	for i := range runs {
		m, err := l.checked(ctx, runs[i])
		if err != nil {
			return experiment.Findings{}, err
		}
		c := &m.Cell
		k := rackCounted(&runs[i], &m)
		wrong += c.Wrong
		all = append(all, k)
		t.Add(render.Text(strings.TrimPrefix(runs[i].name, "SwitchML-256 over two racks, ")), render.Text(m.on), render.Int(runs[i].hosts), render.Int(runs[i].iterations), render.Int(k.packets),
			render.Number(float64(k.up)/leaves, 1), render.Number(float64(k.down)/leaves, 1), render.Int(k.lost), render.Int(k.lostAtAll), render.Int(k.again), render.Int(k.climbed),
			render.Int(k.incomplete), render.Int(c.Checked), render.Int(c.Wrong))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("switchml.s7.hier-optimal", l.say(optimal(all[:2]), countScale, fmt.Sprintf("2 and 4 workers below each of %d leaves", leaves)))
	f.Set("switchml.s4.5.hier-loss", l.say(acrossLoss(all[2:], wrong), countScale, fmt.Sprintf("loss of %g%% between the switches, and on every link; 3 workers below each of %d leaves", 100*rackLoss, leaves)))
	return f, nil
}

// optimal is what an uplink carries for each packet of a worker, either way, where
// it is furthest from 1.
func optimal(runs []rackCounts) claims.Measured {
	worst := 1.0
	for _, k := range runs {
		for _, n := range []uint64{k.up, k.down} {
			if x := float64(n) / leaves / float64(k.packets); max(x-1, 1-x) > max(worst-1, 1-worst) {
				worst = x
			}
		}
	}
	return claims.Number(worst).Noting("packets of an uplink, up and down, to those of one worker; the furthest from 1")
}

// acrossLoss is what loss between switches did. What was lost counts only where
// retransmissions climbed past a leaf for it.
func acrossLoss(runs []rackCounts, wrong uint64) claims.Measured {
	var missing, lost, climbed uint64
	for _, k := range runs {
		missing += k.incomplete
		if k.climbed > 0 {
			lost += k.lost
		}
		climbed += k.climbed
	}
	return claims.NumberParts(map[string]float64{"incomplete_slots": float64(missing), "wrong": float64(wrong), "packets_lost": float64(lost)}).
		Noting("%d packets lost between switches; %d retransmissions sent on by a leaf", lost, climbed)
}
