package live

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/topo"
)

// atpWindows is whether workers that see the same marks have the same windows (ATP §3.7).
func atpWindows() experiment.Experiment {
	const id = "atp.s3.7.synchronised-windows"
	return experiment.Experiment{
		ID: id, Title: "windows of four ATP workers, parameter packet by parameter packet, with marks on their way up",
		Switch: []claims.Switch{claims.SwitchReference},
		Claims: []claims.ID{id},
		Live:   true, Quick: "2 of 8 all-reduces",
		Run: countingOnLab(runATPWindows),
	}
}

// markFrom is the depth of a queue of a worker from which its packets are marked (assumed: half of what
// the largest windows of the run put there).
const markFrom = 30 * units.KiB

// windowsRun marks what workers send, and nothing that comes back: without loss, workers hear the same.
func windowsRun(e *experiment.Env) liveRun {
	r := atpRun("marks on the way up", atpsystem.System{Unscaled: true, Window: 20, Span: 200, Timeout: atpPatience}, "rack", 4, experiment.Cut(e, 8, 2))
	r.traced = true
	r.links = func(l *topo.Link) {
		up := &l.AtoB
		if strings.HasPrefix(l.B.Node, "h") {
			up = &l.BtoA
		}
		up.Marking = topo.Marking{Min: markFrom, Max: markFrom}
	}
	return r
}

// heard is a parameter packet, by its number and how often the numbers were gone through.
type heard struct{ gen, block uint32 }

// divergence is the largest difference between windows of two workers when they had the parameters of
// one packet, and how many packets there are of which all workers tell.
func divergence(logs []*trace.Log, workers int) (most, packets int, err error) {
	type spread struct{ least, most, n int }
	at := map[heard]*spread{}
	for e := range trace.Merged(logs) {
		if e.Kind != trace.ResultIn {
			continue
		}
		var size int
		if _, err := fmt.Sscanf(e.Note, "window %d", &size); err != nil {
			return 0, 0, fmt.Errorf("worker %s does not tell its window: %q", e.Node, e.Note)
		}
		s := at[heard{e.Gen, e.Block}]
		if s == nil {
			s = &spread{least: size, most: size}
			at[heard{e.Gen, e.Block}] = s
		}
		s.least, s.most, s.n = min(s.least, size), max(s.most, size), s.n+1
	}
	for _, s := range at {
		most = max(most, s.most-s.least)
		if s.n == workers {
			packets++
		}
	}
	return most, packets, nil
}

func runATPWindows(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	r := windowsRun(l.env)
	got, err := l.right(ctx, r)
	if err != nil {
		return f, err
	}
	c := &got[0].Cell
	if err := undisturbed(r.name, c); err != nil {
		return f, err
	}
	most, packets, err := divergence(got[0].logs, r.hosts)
	halved := named(c, host.CountHalved)
	switch {
	case err != nil:
		return f, err
	case halved == 0:
		return f, errors.New("no window was halved: there were no marks to tell")
	case packets != int(atpFragments(&r)):
		return f, fmt.Errorf("all workers tell of %d packets, want %d", packets, atpFragments(&r))
	}
	t := claims.Table{
		ID: "atp.s3.7.synchronised-windows", Title: fmt.Sprintf("Windows of %d workers at %d parameter packets", r.hosts, packets),
		Columns: []claims.Column{{Name: "worker"}, {Name: "marks heard"}, {Name: "halved"}, {Name: "mean window"}, {Name: "sent again"}},
		Notes:   []string{fmt.Sprintf("Marks above %v in a worker's queue; links to workers mark nothing and lose nothing.", markFrom)},
	}
	for w := range r.hosts {
		node := at(fmt.Sprintf("h%d", w))
		t.Add(render.Text(fmt.Sprintf("h%d", w)), render.Int(counted(c, host.CountMarks, node)), render.Int(counted(c, host.CountHalved, node)),
			render.Number(float64(counted(c, host.CountWindowSum, node))/float64(counted(c, host.CountWindowAcks, node)), 1), render.Int(counted(c, "resent-packets", node)))
	}
	f.Tables = []claims.Table{t}
	f.Set("atp.s3.7.synchronised-windows", l.say(claims.Number(float64(most)).Noting("the largest difference at one parameter packet; windows were halved %d times in all", halved), countScale, "events of workers, no loss, marks on the way up alone"))
	return f, nil
}
