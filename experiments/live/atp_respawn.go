package live

import (
	"cmp"
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/atp"
)

// atpRespawn is a training one of whose workers is killed and started again (ATP A.3).
func atpRespawn() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.a3", Title: "a worker of ATP that is killed and started again, on its host and behind another switch",
		Switch: []claims.Switch{claims.SwitchReference},
		Claims: []claims.ID{"atp.a3.worker-respawn"},
		Live:   true, Quick: "30 of 200 iterations",
		Run: countingOnLab(runATPRespawn),
	}
}

// When the worker ends and is there again. Iterations take [untimed]'s compute time at least, so the job
// is under way then, however fast this machine is; a slow one may be in its first iteration.
const (
	respawnKill  = 300 * units.Millisecond
	respawnStart = 500 * units.Millisecond
)

// respawnHosts are where the worker of h1 comes up: on its own host, behind the switch of other workers, and
// behind that of the server, which had no worker.
var respawnHosts = []string{"", "h5", "h7"}

// atpRespawnRun is four workers in two of three racks, and a server in the third.
func atpRespawnRun(e *experiment.Env, on string) liveRun {
	r := liveRun{
		name: "ATP, a worker that comes up on " + cmp.Or(on, "its host"), topology: "multi-rack", hosts: 4, racks: 3, idle: 4, mtu: 1500,
		sys:  atpsystem.System{Aggregators: atpWindow, Window: atpWindow, Span: atpWindow, Timeout: atpTimeout, Unscaled: true},
		rate: 100 * units.GbitPerSecond, scale: racksScale, model: untimed(), batch: 1, iterations: experiment.Cut(e, 200, 30),
	}
	r.change = func(s *job.Spec) {
		s.On, s.ServersOn, s.Servers = []int{0, 1, 3, 4}, []int{6}, 1
		s.Actions = []job.Action{{At: respawnKill, Verb: job.Kill, Node: "h1"}, {At: respawnStart, Verb: job.Start, Node: "h1", On: on}}
	}
	return r
}

func runATPRespawn(ctx context.Context, l *lab) (experiment.Findings, error) {
	t := claims.Table{
		ID: "atp.a3", Title: fmt.Sprintf("A training of four workers behind two switches, with a server behind a third; h1 is killed after %v and started again after %v", respawnKill, respawnStart),
		Columns: []claims.Column{{Name: "comes up on"}, {Name: "iterations"}, {Name: "set-ups"}, {Name: "begun anew"}, {Name: "taken over"}, {Name: "of an earlier set-up"}, {Name: "freed by age"}, {Name: "sent again"}, {Name: "checked"}, {Name: "not checked"}, {Name: "wrong"}},
		Notes:   []string{"Begun anew are fragments that were not complete when the job was set up again, taken over those of that iteration that were. Not checked are sums of which the worker that was killed left no record."},
	}
	completes, wrong := true, uint64(0)
	for _, on := range respawnHosts {
		r := atpRespawnRun(l.env, on)
		m, err := l.checked(ctx, r)
		if err != nil {
			return experiment.Findings{}, err
		}
		c, done := &m.Cell, 0
		for _, s := range c.Samples {
			if s.Iteration == r.iterations-1 {
				done++
			}
		}
		completes = completes && c.Ended == nil && done == r.hosts && named(c, server.CountSetups) == 1
		wrong += c.Wrong
		t.Add(render.Text(cmp.Or(on, "h1")), render.Int(r.iterations), render.Int(named(c, server.CountSetups)), render.Int(named(c, server.CountDropped)), render.Int(named(c, host.CountTaken)),
			render.Int(named(c, server.DropEarlier)), render.Int(named(c, program.FreedByAge.String())), render.Int(resent(c)), render.Int(c.Checked), render.Int(c.Unchecked), render.Int(c.Wrong))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	measured := claims.Group(map[string]claims.Measured{"completes": claims.Bool(completes), "wrong": claims.Number(float64(wrong))})
	f.Set("atp.a3.worker-respawn", l.say(measured, racksScale, "three runs of a worker that is killed: on its host, behind another switch with workers, behind one without"))
	return f, nil
}
