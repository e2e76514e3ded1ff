package live

import (
	"context"
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo"
)

// atpExact is what jobs come to that lose packets and share few aggregators (ATP §3.1, §3.6).
func atpExact() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.s3.1.live", Title: "two ATP jobs on few aggregators: sums over racks with loss, late packets and forgetful switches, and stalled fragments",
		Switch: []claims.Switch{claims.SwitchReference},
		Claims: []claims.ID{"atp.s3.1.exactly-once", "atp.s3.5.stalled-rescue"},
		Live:   true, Quick: "2 of 8 iterations with loss, 1 of 4 all-reduces without",
		Run: countingOnLab(runATPExact),
	}
}

const (
	atpFew = 8 // aggregators of each switch
	// racksScale makes tensors short: what is lost at their ends takes a timeout.
	racksScale = 4 * slowScale
	atpLoss    = 0.01
	atpDelay   = 200 * units.Microsecond // of links; frames come up to that much late, and overtake each other
	// crowdAge is several round trips of a full window on slow links (assumed).
	crowdAge = 200 * units.Millisecond
)

// atpCrowd is a system with few aggregators.
func atpCrowd() atpsystem.System {
	return atpsystem.System{Aggregators: atpFew, Unscaled: true, Window: 16, Span: atpWindow, Timeout: atpTimeout, Age: crowdAge}
}

// lossyRacks are two trainings over three racks, on links that lose frames and have them overtake each
// other, while switches forget what they have.
func lossyRacks(e *experiment.Env) (*job.Set, error) {
	run := liveRun{
		topology: "multi-rack", hosts: 9, racks: 3, idle: 2, mtu: 1500, rate: 100 * units.GbitPerSecond, scale: racksScale,
		sys: atpCrowd(), loss: atpLoss, uplinkLoss: atpLoss, delay: atpDelay, model: untimed(), batch: 1,
		links: func(l *topo.Link) { l.AtoB.Jitter, l.BtoA.Jitter = l.AtoB.Delay, l.BtoA.Delay },
	}
	lay := func(id int, on []int, server int) func(*job.Spec) {
		return func(s *job.Spec) {
			s.System, s.Iterations, s.Seed = atpCrowd(), experiment.Cut(e, 8, 2), e.Seed+rng.Root(id)
			s.On, s.ServersOn, s.Servers = on, []int{server}, 1
			if id > 1 {
				return
			}
			for k, sw := range []string{"tor0", "tor1", "tor2"} {
				s.Actions = append(s.Actions, job.Action{At: units.Duration(100+50*k) * units.Millisecond, Verb: job.Forget, Node: sw})
			}
		}
	}
	return run.layTogether(e, lay(1, []int{0, 1, 4, 5, 8}, 10), lay(2, []int{2, 6, 7, 9}, 3))
}

// crowdedRack is two jobs in one rack, whose links lose nothing.
func crowdedRack(e *experiment.Env) (*job.Set, error) {
	r := atpRun("", atpCrowd(), "rack", 7, experiment.Cut(e, 4, 1))
	lay := func(id int, on []int, server int) func(*job.Spec) {
		return func(s *job.Spec) {
			s.Seed, s.On, s.ServersOn, s.Servers = e.Seed+rng.Root(id), on, []int{server}, 1
		}
	}
	return r.layTogether(e, lay(1, []int{0, 2, 4}, 6), lay(2, []int{1, 3, 5}, 7))
}

// fragment is one of a job.
type fragment struct {
	job   uint8
	block uint32
}

// stalled tells from events which fragments were split: first packets met another's aggregator and went
// to the server, later ones found it free and wait there for the rest. They are rescued if a worker sent
// them again, and has the sum. Numbers are not used twice in a run.
type stalled struct {
	collided, split, again, rescued map[fragment]bool
	results                         int
}

func newStalled() *stalled {
	return &stalled{map[fragment]bool{}, map[fragment]bool{}, map[fragment]bool{}, map[fragment]bool{}, 0}
}

// Event takes an event; those of all nodes come in order of time.
func (s *stalled) Event(e *trace.Event) {
	switch f := (fragment{e.Job, e.Block}); e.Kind {
	case trace.Collided:
		s.collided[f] = true
	case trace.BlockOpened:
		s.split[f] = s.collided[f]
	case trace.Retransmit:
		s.again[f] = s.split[f]
	case trace.ResultIn:
		s.results++
		if s.again[f] {
			s.rescued[f] = true
		}
	}
}

func runATPExact(ctx context.Context, l *lab) (experiment.Findings, error) {
	t := claims.Table{
		ID: "atp.s3.1.live", Title: fmt.Sprintf("Two ATP jobs on switches with %d aggregators", atpFew),
		Columns: []claims.Column{
			{Name: "run"}, {Name: "job"}, {Name: "elements checked"}, {Name: "wrong"}, {Name: "frames lost"}, {Name: "sent again"}, {Name: "collisions"}, {Name: "partial sums"}, {Name: "forgotten"}, {Name: "sums at workers"},
		},
		Notes: []string{"Frames lost, collisions, partial sums and aggregators forgotten are of both jobs together. Jobs without loss run until a fragment stalls; theirs is the last run."},
	}
	lossy, err := lossyRacks(l.env)
	if err != nil {
		return experiment.Findings{}, err
	}
	sums, _, err := l.set(ctx, "two ATP jobs over racks, with loss", lossy, 0, nil)
	if err != nil {
		return experiment.Findings{}, err
	}
	crowd, err := crowdedRack(l.env)
	if err != nil {
		return experiment.Findings{}, err
	}
	seen, rescue, err := l.rescue(ctx, crowd)
	if err != nil {
		return experiment.Findings{}, err
	}
	atpRows(&t, "loss, three racks", sums)
	atpRows(&t, "no loss, one rack", seen)
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("atp.s3.1.exactly-once", l.say(exactlyOnce(sums), racksScale, fmt.Sprintf("two trainings over three racks, loss of %g%% and late frames on every link, switches that forget", 100*atpLoss)))
	f.Set("atp.s3.5.stalled-rescue", l.say(rescue, countScale, "two jobs of 3 workers in one rack, no loss"))
	return f, nil
}

// rescueTries is how often jobs are run until a fragment stalls: whether first packets collide and later ones do
// not is a matter of their timing, which is this machine's.
const rescueTries = 6

// rescue runs jobs of which nothing is lost until a fragment stalls, and counts what stalled.
func (l *lab) rescue(ctx context.Context, set *job.Set) (cells []result.Cell, m claims.Measured, err error) {
	var n rescues
	for n.goOn() {
		var logs []*trace.Log
		if cells, logs, err = l.set(ctx, "two ATP jobs in a rack", set, tracedOf(set), nil); err != nil {
			return nil, m, err
		}
		s := newStalled()
		for e := range trace.Merged(logs) {
			s.Event(&e)
		}
		if err := n.add(set, cells, s); err != nil {
			return nil, m, err
		}
	}
	return cells, n.measured(), nil
}

// rescues are the sums that were to come to workers in runs, those that came, and the fragments that were rescued.
type rescues struct{ runs, want, results, rescued int }

// goOn reports whether another run is needed: nothing stalled, and every sum came. A sum that did not come
// decides.
func (n *rescues) goOn() bool {
	return n.runs < rescueTries && n.rescued == 0 && n.want == n.results
}

// add adds a run.
func (n *rescues) add(set *job.Set, cells []result.Cell, s *stalled) error {
	var wrong uint64
	for i, j := range set.Jobs {
		wrong += cells[i].Wrong
		n.want += len(j.Hosts()) * int(atpFragments(&liveRun{elements: j.Elements, iterations: j.Iterations}))
	}
	if wrong > 0 {
		return fmt.Errorf("%d sums are wrong", wrong)
	}
	n.runs, n.results, n.rescued = n.runs+1, n.results+s.results, n.rescued+len(s.rescued)
	return nil
}

// measured is undecided where there was nothing to rescue.
func (n *rescues) measured() claims.Measured {
	m := claims.NumberParts(map[string]float64{"deadlocks": float64(n.want - n.results), "rescued": float64(n.rescued)}).
		Noting("%d of %d sums came to workers, in %d runs; rescued are fragments whose first packets collided and whose later ones had an aggregator, until they were sent again", n.results, n.want, n.runs)
	if n.rescued == 0 && n.want == n.results {
		return m.Undecided("no fragment stalled in %d runs, so that there was nothing to rescue", n.runs)
	}
	return m
}

// exactlyOnce is what came of runs with loss. Each of them must have sums that were checked.
func exactlyOnce(cells []result.Cell) claims.Measured {
	var wrong uint64
	for i := range cells {
		wrong += cells[i].Wrong
		if cells[i].Checked == 0 {
			wrong++
		}
	}
	c := &cells[0]
	return claims.NumberParts(map[string]float64{"wrong": float64(wrong), "packets_lost": float64(lost(c)), "collisions": float64(named(c, program.Collisions.String()))}).
		Noting("%d partial sums left switches, %d aggregators were forgotten", named(c, program.Partials.String()), named(c, program.Forgotten.String()))
}

// atpRows adds jobs of a run to a table.
func atpRows(t *claims.Table, run string, cells []result.Cell) {
	for i := range cells {
		c := &cells[i]
		t.Add(render.Text(run), render.Int(i+1), render.Int(c.Checked), render.Int(c.Wrong), render.Int(lost(c)), render.Int(resent(c)), render.Int(named(c, program.Collisions.String())),
			render.Int(named(c, program.Partials.String())), render.Int(named(c, program.Forgotten.String())), render.Int(counted(c, host.CountParameters, func(node string) bool { return strings.HasPrefix(node, "h") })))
	}
}
