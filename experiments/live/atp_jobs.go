package live

import (
	"context"
	"errors"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/atp"
)

// atpJobs is jobs that come, go and end badly at one switch (ATP §3.2, §3.7).
func atpJobs() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.s3.2.jobs", Title: "ATP jobs that come and go at one switch, and aggregators that a killed job leaves behind",
		Switch: []claims.Switch{claims.SwitchReference},
		Claims: []claims.ID{"atp.s3.2.no-restart", "atp.s3.7.leak-timeout"},
		Live:   true, Quick: "a third of the all-reduces of jobs that come and go",
		Run: countingOnLab(runATPJobs),
	}
}

// comeAndGo is three jobs of two workers: one is there for the whole time, and the others one after the
// other.
func comeAndGo(e *experiment.Env) (*job.Set, error) {
	n := experiment.Cut(e, 3, 1)
	r := liveRun{topology: "rack", hosts: 9, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: slowScale, model: untimed(), batch: 1}
	lay := func(id, iterations int, start units.Duration) func(*job.Spec) {
		return func(s *job.Spec) {
			s.System = atpsystem.System{Timeout: atpTimeout}
			s.Seed, s.Iterations, s.Times = e.Seed+rng.Root(id), iterations, worker.Times{Start: start}
			s.On, s.ServersOn, s.Servers = []int{id, id + 3}, []int{6 + id}, 1
		}
	}
	third := 200 * units.Duration(n) * units.Millisecond
	return r.layTogether(e, lay(0, 24*n, 0), lay(1, 4*n, third/2), lay(2, 4*n, 2*third))
}

const (
	// killedAt is when the first of two jobs loses a worker. It computes for a millisecond an iteration, so
	// that it is most likely in the midst of an all-reduce.
	killedAt     = 150 * units.Millisecond
	leaveCompute = units.Millisecond
	leaveTable   = 64 // aggregators, and packets in flight
)

// leaving is two trainings. The first is killed; the second, short enough for all gradients to fit the
// quantiser, begins when what it left is old, and its window covers the table. A job that meets such an
// aggregator before that is given another index, and may not come back to it.
func leaving(e *experiment.Env) (*job.Set, error) {
	r := liveRun{topology: "rack", hosts: 6, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: racksScale, model: untimed(), batch: 4}
	r.model.Compute = leaveCompute
	leave := atpsystem.System{Aggregators: leaveTable, Unscaled: true, Window: leaveTable, Span: leaveTable, Timeout: atpTimeout, Age: crowdAge}
	lay := func(id int) func(*job.Spec) {
		return func(s *job.Spec) {
			s.System, s.Iterations, s.Seed = leave, 60-50*id, e.Seed+rng.Root(id)
			s.On, s.ServersOn, s.Servers = []int{id, id + 2}, []int{4 + id}, 1
			s.Times.Start = units.Duration(id) * (killedAt + 2*crowdAge)
			s.Actions = []job.Action{{At: killedAt, Verb: job.Kill, Node: firstHost}}
		}
	}
	return r.layTogether(e, lay(0), lay(1))
}

// leaks are the aggregators of a job that other jobs did not free, by its numbers, and those that they
// freed.
type leaks struct {
	job       uint8
	held      map[uint32]bool
	reclaimed int // by age
}

// Event takes an event of a switch.
func (k *leaks) Event(e *trace.Event) {
	switch {
	case e.Job != k.job:
	case e.Kind == trace.BlockOpened:
		k.held[e.Block] = true
	case e.Kind == trace.Freed:
		delete(k.held, e.Block)
		if e.Note == program.ByAge {
			k.reclaimed++
		}
	}
}

func runATPJobs(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	come, err := comeAndGo(l.env)
	if err != nil {
		return f, err
	}
	cells, _, err := l.set(ctx, "three ATP jobs that come and go", come, 0, nil)
	if err != nil {
		return f, err
	}
	table, restarts, err := noRestart(come, cells)
	if err != nil {
		return f, err
	}
	k, err := l.leaks(ctx)
	if err != nil {
		return f, err
	}
	f.Tables = []claims.Table{table}
	f.Set("atp.s3.2.no-restart", l.say(restarts, slowScale, "three jobs of 2 workers"))
	f.Set("atp.s3.7.leak-timeout", l.say(claims.NumberParts(map[string]float64{"leaked": float64(len(k.held)), "reclaimed": float64(k.reclaimed)}).
		Noting("%d of %d aggregators of the killed job were freed by the other's parameter packets", k.reclaimed, leaveTable), racksScale, fmt.Sprintf("age limit of %v (assumed)", crowdAge)))
	return f, nil
}

// leaveTries is how often a job is killed until it leaves something: it holds nothing in front of and behind
// an all-reduce.
const leaveTries = 4

// leaks kills a job until it has left aggregators behind, and returns what became of them.
func (l *lab) leaks(ctx context.Context) (k leaks, err error) {
	set, err := leaving(l.env)
	if err != nil {
		return k, err
	}
	for range leaveTries {
		cells, logs, err := l.set(ctx, "an ATP job that is killed, and one over its indexes", set, someNodes, nil)
		if err != nil {
			return k, err
		}
		if c := &cells[1]; c.Wrong > 0 || c.Checked == 0 {
			return k, fmt.Errorf("%d of %d sums of the job that goes on are wrong", c.Wrong, c.Checked)
		}
		k = leaks{job: 1, held: map[uint32]bool{}}
		for e := range trace.Merged(logs) {
			k.Event(&e)
		}
		if k.reclaimed+len(k.held) > 0 {
			return k, nil
		}
	}
	return k, fmt.Errorf("a job that was killed held no aggregator, %d times: there was nothing to reclaim", leaveTries)
}

// noRestart is how often a switch was set up anew, or lost what it had counted, while jobs came and went.
func noRestart(set *job.Set, cells []result.Cell) (t claims.Table, m claims.Measured, err error) {
	t = claims.Table{
		ID: "atp.s3.2.no-restart", Title: "Jobs that come and go at one switch",
		Columns: []claims.Column{{Name: "job"}, {Name: "begins", Unit: "ms"}, {Name: "ends", Unit: "ms"}, {Name: "packets of workers"}, {Name: "seen by the switch"}, {Name: "aggregated"}, {Name: "checked"}, {Name: "wrong"}},
		Notes:   []string{"Begin and end are of iterations, by the clock of the run. The switch has a table of jobs; a packet of a job that is not in it goes on, and its server adds it."},
	}
	var lost, done uint64
	for i := range cells {
		c := &cells[i]
		if len(c.Samples) == 0 {
			return t, m, errors.New("a job has no iteration")
		}
		begins, ends := c.Samples[0].Start, c.Samples[0].End
		for _, s := range c.Samples {
			begins, ends = min(begins, s.Start), max(ends, s.End)
		}
		sent := named(c, host.CountSent)
		of := func(n program.Counter) uint64 { return counted(c, program.PrefixOf(set.Jobs[i].ID)+n.String(), nil) }
		aggregated, seen := of(program.Aggregated), of(program.Packets)-of(program.Parameters)-named(c, server.CountFloats) // the last two are from servers
		if sent != seen {                                                                                                   // what a switch counted before it was set up anew is gone
			lost++
		}
		if c.Wrong == 0 && c.Checked > 0 {
			done++
		}
		t.Add(render.Int(i+1), render.Number(begins.Sub(0).Milliseconds(), 0), render.Number(ends.Sub(0).Milliseconds(), 0), render.Int(sent), render.Int(seen), render.Int(aggregated), render.Int(c.Checked), render.Int(c.Wrong))
	}
	steps, err := set.Course()
	if err != nil {
		return t, m, err
	}
	m = claims.NumberParts(map[string]float64{"reconfigurations": float64(len(steps)) + float64(lost), "jobs_completed": float64(done)})
	return t, m.Noting("one process is the switch throughout; its counters hold every packet of each job"), nil
}
