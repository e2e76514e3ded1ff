package virtual

import (
	"context"
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// atpFourRacks is a job on four racks of unequal size below a core, with its server in each of them in turn.
func atpFourRacks() experiment.Experiment {
	const id = "atp.unseen.four-racks"
	return experiment.Experiment{
		ID: id, Title: "frames of a fragment on each link of four racks of 5, 4, 2 and 1 workers, against arithmetic",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{id},
		Quick:  "a tensor of 1 MiB in place of 8",
		Run: func(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			runs, err := runFourRacks(ctx, e)
			if err != nil {
				return f, err
			}
			off, again := uint64(0), uint64(0)
			for i := range runs {
				off, again = off+runs[i].off(), again+runs[i].resent
			}
			f.Set(id, claims.NumberParts(map[string]float64{"frames_off": float64(off), "sent_again": float64(again)}).
				Noting("frames of %d runs by which counts and arithmetic differ, over all links between switches and to servers, both ways", len(runs)))
			f.Tables = append(f.Tables, fourRacksTable(runs))
			return f, nil
		},
	}
}

// rackWorkers are those of each rack.
var rackWorkers = [...]int{5, 4, 2, 1}

// rackHosts is the hosts of a rack: workers and a server.
const rackHosts = 6

// racksBy is who aggregates in a job on racks.
type racksBy int

const (
	byTwoLevels racksBy = iota
	byRacks
	byNobody
	racksKinds // how many there are
)

var racksByNames = [racksKinds]string{byTwoLevels: "two levels", byRacks: "racks alone", byNobody: "nobody"}

// system is ATP in which these aggregate, and no two fragments in flight have the same index.
func (b racksBy) system(e *experiment.Env) atp.System {
	s := atpTenant(e, atp.DefaultAggregators, 0)
	s.Indexing = host.Linear
	switch b {
	case byRacks:
		s.Levels = atp.RackLevel
	case byNobody:
		s.Aggregators = atp.None
	}
	return s
}

// links are frames on links between switches and to the server, by place of the rack.
type links struct {
	up, down [len(rackWorkers)]uint64 // to the core, and from it
	server   uint64
	answers  uint64 // from the server
}

// predictLinks is the frames of a fragment, the server being in a rack. A rack without it sends the core one frame where its switch
// aggregates, else one of each worker. All of these come down to the server's rack. Its switch sends the server one frame where
// it is the second level; with racks alone those of the others, and one of its own workers; else one of each worker. A parameter packet
// goes up once, and down to each other rack.
func predictLinks(by racksBy, at int) (l links) {
	for rack, workers := range rackWorkers {
		if rack == at {
			continue
		}
		frames := uint64(1)
		if by == byNobody {
			frames = uint64(workers)
		}
		l.up[rack] += frames
		l.down[at] += frames
		l.down[rack]++ // parameters
	}
	l.up[at]++ // parameters
	l.answers = 1
	switch by {
	case byTwoLevels:
		l.server = 1
	case byRacks:
		l.server = l.down[at] + 1
	case byNobody:
		l.server = l.down[at] + uint64(rackWorkers[at])
	}
	return l
}

// racksRun is a run, and what it is held to.
type racksRun struct {
	by        racksBy
	at        int // rack of the server
	fragments uint64
	predicted links // of a fragment
	measured  links // of all
	resent    uint64
	ran       string // what aggregated
}

// off is the frames by which counts differ from the arithmetic.
func (r *racksRun) off() (sum uint64) {
	differ := func(measured, predicted uint64) {
		sum += max(measured, predicted*r.fragments) - min(measured, predicted*r.fragments)
	}
	for i := range rackWorkers {
		differ(r.measured.up[i], r.predicted.up[i])
		differ(r.measured.down[i], r.predicted.down[i])
	}
	differ(r.measured.server, r.predicted.server)
	differ(r.measured.answers, r.predicted.answers)
	return sum
}

// racksLab is the job with its server in a rack.
func racksLab(e *experiment.Env, by racksBy, at int) tenantLab {
	j := tenantJob{sys: by.system(e), server: []int{at*rackHosts + rackHosts - 1}, mib: experiment.Cut(e, 8, 1), iterations: 1}
	for rack, workers := range rackWorkers {
		for k := range workers {
			j.on = append(j.on, rack*rackHosts+k)
		}
	}
	return tenantLab{topology: "multi-rack", racks: len(rackWorkers), hosts: len(rackWorkers) * rackHosts, jobs: []tenantJob{j}}
}

// runFourRacks simulates the server in each rack, and each who aggregates.
func runFourRacks(ctx context.Context, e *experiment.Env) ([]racksRun, error) {
	var runs []racksRun
	var labs []tenantLab
	for at := range rackWorkers {
		for by := range racksKinds {
			l := racksLab(e, by, at)
			size := units.Bytes(l.jobs[0].mib) * units.MiB
			runs, labs = append(runs, racksRun{by: by, at: at, fragments: uint64(fragmentsOf(size)), predicted: predictLinks(by, at)}), append(labs, l)
		}
	}
	cells, err := together(ctx, e, labs)
	for i := range cells {
		runs[i].take(&cells[i][0], fmt.Sprintf("h%d:", labs[i].jobs[0].server[0]))
		runs[i].ran = labs[i].ran
	}
	return runs, err
}

// take counts the frames of a run, whose server's links have names with a prefix.
func (r *racksRun) take(c *result.Cell, server string) {
	r.resent = summed(c, sansio.CountResentPackets)
	for i := range c.Links {
		l := &c.Links[i]
		from, to, _ := strings.Cut(l.Name, "->")
		var rack int
		switch {
		case strings.HasPrefix(to, server):
			r.measured.server += l.Frames
		case strings.HasPrefix(from, server):
			r.measured.answers += l.Frames
		case strings.HasPrefix(to, "core:"):
			_, _ = fmt.Sscanf(from, "tor%d:", &rack)
			r.measured.up[rack] += l.Frames
		case strings.HasPrefix(from, "core:"):
			_, _ = fmt.Sscanf(to, "tor%d:", &rack)
			r.measured.down[rack] += l.Frames
		}
	}
}

func fourRacksTable(runs []racksRun) claims.Table {
	t := claims.Table{
		ID: "atp.unseen.four-racks", Title: "Frames of a fragment on links of four racks of 5, 4, 2 and 1 workers",
		Columns: []claims.Column{
			{Name: "the server is in the rack of"}, {Name: "who aggregates"}, {Name: "switch"}, {Name: "at the server, predicted"}, {Name: "at the server"}, {Name: "to the core, predicted"}, {Name: "to the core"},
			{Name: "from the core, predicted"}, {Name: "from the core"}, {Name: "fragments"}, {Name: "frames off"},
		},
		Notes: []string{"To and from the core: of the racks in this order. One frame to the core from the server's rack, and one to each other rack, is the parameter packet."},
	}
	for i := range runs {
		r := &runs[i]
		list := func(frames [len(rackWorkers)]uint64, of uint64) render.Cell {
			var each []string
			for _, n := range frames {
				each = append(each, fmt.Sprintf("%.4g", float64(n)/float64(of)))
			}
			return render.Text(strings.Join(each, ", "))
		}
		t.Add(render.Int(rackWorkers[r.at]), render.Text(racksByNames[r.by]), render.Text(r.ran), render.Int(r.predicted.server), render.Number(float64(r.measured.server)/float64(r.fragments), 3),
			list(r.predicted.up, 1), list(r.measured.up, r.fragments), list(r.predicted.down, 1), list(r.measured.down, r.fragments), render.Int(r.fragments), render.Int(r.off()))
	}
	return t
}
