package unit

import (
	"context"
	"runtime"
	"time"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/nodes/xagg/manager"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// xaggPlanning measures how long this machine takes to lay out a tree. Its value depends on the machine.
func xaggPlanning() experiment.Experiment {
	const id = "xagg.s5.low-complexity"
	return experiment.Experiment{
		ID: "xagg.planning", Title: "time to lay out an aggregation tree on one core of this machine",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{id},
		Run: func(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			t := claims.Table{
				ID: "xagg.planning", Title: "Time to sort workers and servers and lay out a tree, k = 2, the best of 5 rounds",
				Columns: []claims.Column{{Name: "workers"}, {Name: "aggregators"}, {Name: "time", Unit: "ms"}},
				Notes:   []string{"More than 32 hosts have no host ids, and no job can use such a tree (XAgg §IV-A)."},
			}
			best := 0.0
			for _, w := range []int{7, 31, 125, 250, 500, planningWorkers} {
				var servers int
				if best, servers, err = planningTime(ctx, e, w); err != nil {
					return f, err
				}
				t.Add(render.Int(w), render.Int(servers), render.Number(best, 3))
			}
			f.Tables = append(f.Tables, t)
			m := claims.Number(best).On("this machine, wall clock: " + runtime.GOARCH)
			f.Set(id, m.Noting("%d workers, as many servers to choose from, k = 2; beyond 32 hosts a tree can be laid out and not run (XAgg §IV-A)", planningWorkers))
			return f, nil
		},
	}
}

const (
	planningWorkers = 1000 // the claim's
	planningRounds  = 5    // the best counts: others may run on the machine
)

// planningTime returns milliseconds, and how many servers the tree takes.
func planningTime(ctx context.Context, e *experiment.Env, w int) (best float64, servers int, err error) {
	r := manager.Request{PS: "ps", Workers: treeWorkers(w, e.Seed.Stream("xagg.planning")), Servers: equalServers(w), Model: treeModel, K: 2}
	for round := range planningRounds {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		began := time.Now()
		tree, err := manager.Sketch(r)
		took := 1e3 * time.Since(began).Seconds()
		if err != nil {
			return 0, 0, err
		}
		if round == 0 || took < best {
			best = took
		}
		servers = len(tree.Servers())
	}
	return best, servers, nil
}
