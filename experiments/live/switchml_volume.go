package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/ring"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// volume counts what a worker sends and receives (SwitchML §3).
func volume() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s3.volume", Title: "bytes that a worker sends and receives: ring over kernel TCP and SwitchML, 2 to 16 workers",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{"switchml.s3.volume"},
		Live:   true, Quick: "a tensor of 256 KiB in place of 1 MiB",
		Run: onLab(runVolume),
	}
}

// volumeWorkers are the sizes of job; chunks of the ring are equal in each.
var volumeWorkers = []int{2, 4, 8, 16}

// volumeRuns are the runs of both systems with so many workers.
func volumeRuns(workers, elements int) []liveRun {
	run := func(name string, sys job.System) liveRun {
		return liveRun{
			name: name, sys: sys, topology: "rack", hosts: workers, mtu: testbed.MTU,
			rate: testbed.Gigabit100, scale: countScale, elements: elements, iterations: 1,
		}
	}
	return []liveRun{run("ring over TCP", testbed.RingTCP), run("SwitchML-256", testbed.Pipe256)}
}

func runVolume(ctx context.Context, l *lab) (experiment.Findings, error) {
	elements := experiment.Cut(l.env, 1<<18, 1<<16)
	t := claims.Table{
		ID: "switchml.s3.volume", Title: fmt.Sprintf("Payload of an all-reduce of %d int32 values, sent and received by each worker", elements),
		Columns: []claims.Column{
			{Name: "workers"}, {Name: "switch"}, {Name: "ring", Unit: "bytes"}, {Name: "SwitchML", Unit: "bytes"}, {Name: "ratio"}, {Name: "2(n-1)/n"},
			{Name: "ring on the busiest link, one way", Unit: "wire bytes"}, {Name: "SwitchML on the busiest link, one way", Unit: "wire bytes"},
		},
		Notes: []string{"Payload is messages that workers counted, times their size; bytes on links are those that the switch counted, with all headers and framing."},
	}
	parts := map[string]claims.Measured{}
	for _, n := range volumeWorkers {
		runs := volumeRuns(n, elements)
		got, err := l.right(ctx, runs...)
		if err != nil {
			return experiment.Findings{}, err
		}
		viaRing, viaSwitch := ringPayload(&runs[0], &got[0]), switchPayload(&got[1])
		for i, payload := range []units.Bytes{viaRing, viaSwitch} {
			if got[i].WireBytesPerLink < payload/2 {
				return experiment.Findings{}, fmt.Errorf("%s: %d bytes of payload a worker, half of it sent, but the busiest link carried %d one way", runs[i].name, payload, got[i].WireBytesPerLink)
			}
		}
		ratio := float64(viaRing) / float64(viaSwitch)
		parts[fmt.Sprintf("n%d", n)] = claims.Number(ratio)
		t.Add(render.Int(n), render.Text(got[1].on), render.Int(viaRing), render.Int(viaSwitch), render.Number(ratio, 4), render.Number(2*float64(n-1)/float64(n), 4),
			render.Int(got[0].WireBytesPerLink), render.Int(got[1].WireBytesPerLink))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("switchml.s3.volume", l.say(claims.Group(parts), countScale, "payload by the counters of worker h0"))
	return f, nil
}

// ringPayload returns what worker h0 of a ring sent and received: chunks that it
// counted, and those of its previous neighbour.
func ringPayload(r *liveRun, m *ran) units.Bytes {
	chunk := units.Bytes(4 * r.elements / r.hosts)
	before := fmt.Sprintf("h%d", r.hosts-1)
	return chunk * units.Bytes(counted(&m.Cell, ring.CountChunks, at("h0"))+counted(&m.Cell, ring.CountChunks, at(before)))
}

// switchPayload returns what worker h0 sent to the switch and took from it.
func switchPayload(m *ran) units.Bytes {
	const payload = 4 * 256
	return payload * units.Bytes(counted(&m.Cell, switchml.CountSent, at("h0"))+counted(&m.Cell, switchml.CountResults, at("h0")))
}
