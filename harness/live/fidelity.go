package live

import (
	"time"

	"github.com/inalab/inalab/harness/fidelity"
	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	hostlive "github.com/inalab/inalab/nodes/live"
)

// fidelity gathers the evidence of all nodes and has it judged for a job. In a benchmark
// the nominal iteration time is the measured one: no model asks for another.
func (r *run) fidelity(t *tenant) result.Fidelity {
	in := fidelity.Inputs{
		CPUBusy: r.busy, CPUStolen: r.stolen, Wall: units.Duration(r.wall/time.Nanosecond) * units.Nanosecond,
		Iteration: t.job.SlowestCompute(), Round: t.job.SlowestCompute() + t.job.Layout.Time, Iterations: t.job.Iterations, Asleep: r.asleep,
	}
	if in.Benchmark = t.job.Elements > 0; in.Iteration == 0 {
		in.Iteration = in.Wall / units.Duration(t.job.Iterations)
	}
	for _, s := range r.switchReports {
		n := evidence(s.Node, "switch", s.Device, s.Drive)
		n.UnaskedDrop += total(s.UnaskedDrops)
		in.Nodes = append(in.Nodes, n)
	}
	for _, t := range r.tenants {
		for _, w := range t.reports {
			in.Nodes = append(in.Nodes, evidence(w.Node, "worker", w.Device, w.Drive))
		}
		for _, s := range t.serverReports {
			in.Nodes = append(in.Nodes, evidence(s.Node, "server", s.Device, s.Drive))
		}
	}
	r.flowDevices(func(name string, e *hostlive.EndReport) {
		in.Nodes = append(in.Nodes, evidence(name, "traffic", e.Device, e.Drive))
	})
	return fidelity.Judge(in)
}

func evidence(name, kind string, d pktio.Stats, drive pktio.Report) fidelity.Node {
	return fidelity.Node{
		Name: name, Kind: kind, LateP95: drive.Lateness.P95, LateP99: drive.Lateness.P99, LateMax: drive.Lateness.Max, Still: drive.Still, Overruns: int(drive.Overruns.Count),
		BusyShare: drive.BusyShare, Packets: d.RxFrames + d.TxFrames, UnaskedDrop: total(d.Drops), RingDrops: d.RingDrops, Offload: d.Offload,
	}
}

func total(list []sansio.Count) (n uint64) {
	for _, c := range list {
		n += c.N
	}
	return n
}
