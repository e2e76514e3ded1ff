package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
)

// deployment is the time to deploy an aggregator (XAgg §VI-C).
func deployment() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.deploy", Title: "time to load and attach XDP's aggregator, compiled before or by clang",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{"xagg.delay.deploy"},
		Live:   true, Quick: "3 of 9 rounds",
		Run: countingOnLab(runDeployment),
	}
}

// deployedPackets are those of ResNet50's 98 MiB (the models' sizes in the ledger), 1 KiB each.
const deployedPackets = 98 << 10

func runDeployment(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	var loaded, compiled []float64 // seconds
	for range experiment.Cut(l.env, 9, 3) {
		l.env.Note("deploy an aggregator")
		took, err := onehop.Deploy(deployedPackets)
		if errors.Is(err, onehop.ErrPermission) || errors.Is(err, onehop.ErrUnsupported) {
			return f, fmt.Errorf("%w: %w", ErrLacks, err)
		}
		if err != nil {
			return f, err
		}
		clang, err := onehop.Compile(ctx)
		if errors.Is(err, onehop.ErrNoCompiler) {
			return f, fmt.Errorf("%w: %w; loading and attaching alone took %v", ErrLacks, err, took.Round(time.Millisecond))
		}
		if err != nil {
			return f, err
		}
		loaded, compiled = append(loaded, took.Seconds()), append(compiled, (took+clang).Seconds())
	}
	pre, _ := stat.Median(loaded)
	by, _ := stat.Median(compiled)
	t := claims.Table{
		ID: "xagg.deploy", Title: "Time to deploy an aggregator with elements for 98 MiB of values",
		Columns: []claims.Column{{Name: "program"}, {Name: "time", Unit: "s"}},
		Notes:   []string{"Memory for the elements is part of it. The paper deploys to other machines, with the network between."},
	}
	t.Add(render.Text("compiled before"), render.Number(pre, 3))
	t.Add(render.Text("compiled by clang"), render.Number(by, 3))
	f.Tables = []claims.Table{t}
	m := claims.NumberParts(map[string]float64{"compile_over_precompiled_x": by / pre}).Noting("%.3g s compiled before, %.3g s compiled by clang; the paper has 0.34 s and 0.68 s", pre, by)
	f.Set("xagg.delay.deploy", l.sayOneHop(m, fmt.Sprintf("one machine; median of %d rounds", len(loaded))))
	return f, nil
}
