package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/atp"
)

// atpZero is ATP on switches with no aggregators, or few (ATP §3.1).
func atpZero() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.s3.1.zero", Title: "ATP with no aggregator, one, and 8",
		Switch: []claims.Switch{claims.SwitchReference},
		Claims: []claims.ID{"atp.s3.1.best-effort", "atp.s3.5.no-extra-overhead"},
		Live:   true, Quick: "1 of 4 all-reduces",
		Run: countingOnLab(runATPZero),
	}
}

// atpZeroTables are the aggregators of the runs; the first is none.
var atpZeroTables = []int{atpsystem.None, 1, 8}

func atpZeroRuns(e *experiment.Env) (out []liveRun) {
	for _, n := range atpZeroTables {
		sys := atpsystem.System{Aggregators: n, Unscaled: true, Window: atpWindow, Span: atpWindow, Timeout: atpTimeout}
		if n == atpsystem.None {
			sys.Timeout = atpPatience
		}
		out = append(out, atpRun(fmt.Sprintf("%d aggregators", max(0, n)), sys, "rack", 4, experiment.Cut(e, 4, 1)))
	}
	return out
}

func runATPZero(ctx context.Context, l *lab) (experiment.Findings, error) {
	runs := atpZeroRuns(l.env)
	t := claims.Table{
		ID: "atp.s3.1.zero", Title: fmt.Sprintf("An int32 tensor of %d elements, %d workers in a rack with the server", atpElements, runs[0].hosts),
		Columns: []claims.Column{{Name: "aggregators"}, {Name: "contributions"}, {Name: "packets at the server"}, {Name: "a contribution"}, {Name: "collisions"}, {Name: "sent again"}, {Name: "checked"}, {Name: "wrong"}},
		Notes:   []string{"A contribution is a fragment of one worker. Without aggregators nothing is sent again; with few, a fragment whose packets are partly at the server stalls until it is."},
	}
	var wrong uint64
	complete := true
	var overhead float64
	for i := range runs {
		m, err := l.checked(ctx, runs[i])
		if err != nil {
			return experiment.Findings{}, err
		}
		c := &m.Cell
		contributions, packets := atpFragments(&runs[i])*uint64(runs[i].hosts), named(c, server.CountPackets)
		each := float64(packets) / float64(contributions)
		wrong += c.Wrong
		complete = complete && len(c.Samples) == runs[i].iterations*runs[i].hosts
		if i == 0 {
			if err := undisturbed(runs[i].name, c); err != nil {
				return experiment.Findings{}, err
			}
			overhead = each
		}
		t.Add(render.Int(max(0, atpZeroTables[i])), render.Int(contributions), render.Int(packets), render.Number(each, 3), render.Int(named(c, program.Collisions.String())),
			render.Int(resent(c)), render.Int(c.Checked), render.Int(c.Wrong))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	best := claims.Group(map[string]claims.Measured{"completes": claims.Bool(complete), "wrong": claims.Number(float64(wrong))})
	f.Set("atp.s3.1.best-effort", l.say(best, countScale, "no aggregator, 1 and 8; 4 workers"))
	f.Set("atp.s3.5.no-extra-overhead", l.say(claims.Number(overhead), countScale, "counted at the server, no aggregator; 4 workers"))
	return f, nil
}
