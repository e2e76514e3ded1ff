package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// atpVolume counts what workers and servers send and receive (ATP App A.5).
func atpVolume() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.a5.volume", Title: "bytes that hosts send and receive: ring over kernel TCP, and workers and servers of ATP",
		Switch: []claims.Switch{claims.SwitchReference},
		Claims: []claims.ID{"atp.a5.ring-volume"},
		Live:   true, Quick: "2 and 8 workers, with 1 and 4 servers, in place of 2, 4 and 8 with 1, 2 and 4",
		Run: countingOnLab(runATPVolume),
	}
}

// atpVolumeElements are whole packets, as many to each of 4 servers, and equal chunks of a ring of 8.
const atpVolumeElements = 800 * wire.Values

// atpStaff is so many workers and servers.
type atpStaff struct{ workers, servers int }

func atpStaffs(e *experiment.Env) []atpStaff {
	return experiment.Cut(e, []atpStaff{{2, 1}, {2, 2}, {4, 1}, {4, 4}, {8, 1}, {8, 2}, {8, 4}}, []atpStaff{{2, 1}, {8, 1}, {8, 4}})
}

// atpVolumeRun is an all-reduce whose fragments all find an aggregator.
func atpVolumeRun(s atpStaff) liveRun {
	r := atpRun(fmt.Sprintf("%d workers, %d servers", s.workers, s.servers), atpsystem.System{ServerCount: s.servers, Unscaled: true, Window: atpWindow, Span: atpWindow, Timeout: atpPatience}, "rack", s.workers, 1)
	r.elements = atpVolumeElements
	return r
}

// volumes are payload bytes of an all-reduce, sent and received.
type volumes struct{ worker, server units.Bytes }

// atpVolumes returns the volume of the worker and the server that have most.
func atpVolumes(c *result.Cell, s atpStaff) (v volumes) {
	of := func(h int, sent, taken string) units.Bytes {
		here := at(fmt.Sprintf("h%d", h))
		return 4 * wire.Values * units.Bytes(counted(c, sent, here)+counted(c, taken, here))
	}
	for w := range s.workers {
		v.worker = max(v.worker, of(w, host.CountSent, host.CountParameters))
	}
	for k := range s.servers {
		v.server = max(v.server, of(s.workers+k, server.CountAnswered, server.CountPackets)+of(s.workers+k, server.CountAgain, server.CountFloats))
	}
	return v
}

// against is a volume over what a formula says, and the farthest from 1 of several.
type against struct{ worst float64 }

func (a *against) add(volume units.Bytes, formula float64) float64 {
	x := float64(volume) / formula
	off := func(x float64) float64 { return max(x-1, 1-x) }
	if a.worst == 0 || off(x) > off(a.worst) {
		a.worst = x
	}
	return x
}

func runATPVolume(ctx context.Context, l *lab) (experiment.Findings, error) {
	t := claims.Table{
		ID: "atp.a5.volume", Title: fmt.Sprintf("Payload of an all-reduce of %d int32 values, sent and received by a host", atpVolumeElements),
		Columns: []claims.Column{
			{Name: "workers"}, {Name: "servers"}, {Name: "worker of a ring", Unit: "bytes"}, {Name: "over 4(n-1)|U|/n"},
			{Name: "worker of ATP", Unit: "bytes"}, {Name: "over 2|U|"}, {Name: "server of ATP", Unit: "bytes"}, {Name: "over 2|U|/m"},
		},
		Notes: []string{"Payload is gradients in messages that hosts counted, of the worker and the server that have most; headers are not in it."},
	}
	const tensor = 4.0 * atpVolumeElements
	var ring, worker, server against
	rings := map[int]units.Bytes{} // by workers
	for _, s := range atpStaffs(l.env) {
		if rings[s.workers] == 0 {
			v, err := l.ringVolume(ctx, s.workers)
			if err != nil {
				return experiment.Findings{}, err
			}
			rings[s.workers] = v
		}
		v, err := l.atpVolume(ctx, s)
		if err != nil {
			return experiment.Findings{}, err
		}
		n, m := float64(s.workers), float64(s.servers)
		t.Add(render.Int(s.workers), render.Int(s.servers), render.Int(rings[s.workers]), render.Number(ring.add(rings[s.workers], 4*(n-1)*tensor/n), 4),
			render.Int(v.worker), render.Number(worker.add(v.worker, 2*tensor), 4), render.Int(v.server), render.Number(server.add(v.server, 2*tensor/m), 4))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("atp.a5.ring-volume", l.say(claims.NumberParts(map[string]float64{"ring": ring.worst, "atp_worker": worker.worst, "atp_ps": server.worst}), countScale, "payload by the counters of hosts"))
	return f, nil
}

// ringVolume is that of worker h0 of a ring.
func (l *lab) ringVolume(ctx context.Context, workers int) (units.Bytes, error) {
	r := liveRun{
		name: "ring over TCP", sys: job.System(testbed.RingTCP), topology: "rack", hosts: workers, mtu: testbed.MTU,
		rate: testbed.Gigabit100, scale: countScale, elements: atpVolumeElements, iterations: 1,
	}
	got, err := l.right(ctx, r)
	if err != nil {
		return 0, err
	}
	return ringPayload(&r, &got[0]), l.carried(&r, &got[0], ringPayload(&r, &got[0])/2)
}

// atpVolume is that of ATP.
func (l *lab) atpVolume(ctx context.Context, s atpStaff) (v volumes, err error) {
	r := atpVolumeRun(s)
	got, err := l.right(ctx, r)
	if err != nil {
		return v, err
	}
	v = atpVolumes(&got[0].Cell, s)
	if err := undisturbed(r.name, &got[0].Cell); err != nil {
		return v, err
	}
	return v, l.carried(&r, &got[0], max(v.worker, v.server)/2)
}

// carried is an error where the busiest link has carried less, one way, than hosts have counted.
func (l *lab) carried(r *liveRun, m *ran, payload units.Bytes) error {
	if m.WireBytesPerLink < payload {
		return fmt.Errorf("%s: %d bytes of payload one way, but the busiest link carried %d", r.name, payload, m.WireBytesPerLink)
	}
	return nil
}
