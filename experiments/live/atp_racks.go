package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// atpRacks is what a parameter server gets of three racks (ATP §5.2.2, Fig 9).
func atpRacks() experiment.Experiment {
	const id = "atp.s5.2.2.ps-traffic"
	return experiment.Experiment{
		ID: id, Title: "packets at a parameter server behind the switch of the third of three racks: two levels, and the racks alone",
		Switch: []claims.Switch{claims.SwitchReference},
		Claims: []claims.ID{id},
		Live:   true, Quick: "1 of 4 all-reduces",
		Run: countingOnLab(runATPRacks),
	}
}

// figureNine is two workers in each of three racks, and the server behind the last switch.
func figureNine(e *experiment.Env, name string, levels atpsystem.Levels) liveRun {
	r := atpRun(name, atpsystem.System{Levels: levels, Timeout: atpPatience}, "multi-rack", 6, experiment.Cut(e, 4, 1))
	r.racks, r.idle = 3, 2
	r.change = func(s *job.Spec) { s.On, s.ServersOn = []int{0, 1, 3, 4, 6, 7}, []int{8} }
	return r
}

// atpRackRuns are the runs: with both levels, and with that of the racks alone.
func atpRackRuns(e *experiment.Env) []liveRun {
	return []liveRun{figureNine(e, "two levels", atpsystem.TwoLevels), figureNine(e, "racks alone", atpsystem.RackLevel)}
}

// atServer is what the server got in a run.
type atServer struct {
	fragments, packets   uint64
	whole, partial, each uint64 // of all workers, of some, of one
}

func gotAtServer(r *liveRun, m *ran) atServer {
	c := &m.Cell
	return atServer{
		fragments: atpFragments(r), packets: named(c, server.CountPackets),
		whole: named(c, server.CountWhole), partial: named(c, server.CountPartial), each: named(c, server.CountSingle),
	}
}

// psTraffic compares the server's packets. A fragment of six workers has one packet of all, or three of
// a rack each: packets of any other kind are of other fragments.
func psTraffic(two, racks atServer) claims.Measured {
	other := two.packets - two.whole + racks.packets - racks.partial
	other += max(two.whole, two.fragments) - min(two.whole, two.fragments)
	other += max(racks.partial, 3*racks.fragments) - min(racks.partial, 3*racks.fragments)
	return claims.NumberParts(map[string]float64{"ratio": float64(racks.packets) / float64(two.packets), "other_fragments": float64(other)}).
		Noting("%d packets of %d fragments from racks alone, %d from two levels", racks.packets, racks.fragments, two.packets)
}

func runATPRacks(ctx context.Context, l *lab) (experiment.Findings, error) {
	runs := atpRackRuns(l.env)
	got, err := l.right(ctx, runs...)
	if err != nil {
		return experiment.Findings{}, err
	}
	t := claims.Table{
		ID: "atp.s5.2.2.ps-traffic", Title: fmt.Sprintf("An int32 tensor of %d elements from 2 workers in each of 3 racks, the server in the last", atpElements),
		Columns: []claims.Column{{Name: "switches that aggregate"}, {Name: "fragments"}, {Name: "packets at the server"}, {Name: "of all workers"}, {Name: "of a rack"}, {Name: "of a worker"}, {Name: "checked"}, {Name: "wrong"}},
	}
	var all []atServer
	for i := range runs {
		c := &got[i].Cell
		if err := undisturbed(runs[i].name, c); err != nil {
			return experiment.Findings{}, err
		}
		s := gotAtServer(&runs[i], &got[i])
		all = append(all, s)
		t.Add(render.Text(runs[i].name), render.Int(s.fragments), render.Int(s.packets), render.Int(s.whole), render.Int(s.partial), render.Int(s.each), render.Int(c.Checked), render.Int(c.Wrong))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("atp.s5.2.2.ps-traffic", l.say(psTraffic(all[0], all[1]), countScale, "counted at the server"))
	return f, nil
}
