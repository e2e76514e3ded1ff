package full

import (
	"slices"

	"github.com/inalab/inalab/examples/toy"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// Protocol is what jobs of the toy speak.
const Protocol = "toy"

// Config is the configuration of the switch's end.
type Config struct {
	Node string
	Jobs []Job // that are there from the start
}

// Job is the record of a job on the switch. It meets dataplane.Document.
type Job struct {
	ID uint8
	toy.End
}

// Protocol names what the job speaks.
func (*Job) Protocol() string { return Protocol }

// newJob returns the record of a job whose workers are behind ports of a switch.
func newJob(sw *plan.Switch, id uint8, values int, to []sansio.Port) Job {
	port := toy.Port + uint16(id) - job.DefaultID
	return Job{ID: id, End: toy.End{Port: port, Workers: len(to), Values: values, Header: inet.UDPHeader(job.ToGroup(sw, id, port)), To: to}}
}

// engine runs a program of the toy for each job. A packet belongs to the job of its UDP
// port. It meets dataplane.Managed.
type engine struct {
	dataplane.OwnFrames
	dataplane.Memoryless
	sansio.Untimed
	node string
	jobs []running
	gone sansio.Tally // counters of jobs that were removed
}

type running struct {
	id uint8
	*toy.Program
}

func newEngine(cfg Config) (*engine, error) {
	e := &engine{node: cfg.Node}
	for i := range cfg.Jobs {
		if _, err := e.AddJob(0, &cfg.Jobs[i]); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (e *engine) Claims(f dataplane.Frame) dataplane.Claim {
	return dataplane.MineIf(slices.ContainsFunc(e.jobs, func(r running) bool { return r.Claims(f) == dataplane.Mine }))
}

// Handle hands each arrival to its job.
func (e *engine) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		l, problem := t.Layout()
		f := dataplane.Frame{Header: t.Header, Layout: l, Problem: problem}
		for _, r := range e.jobs {
			if r.Claims(f) == dataplane.Mine {
				r.Handle(now, in[i:i+1], eff)
			}
		}
	}
}

func (e *engine) Ports() (out []sansio.Port) {
	for _, r := range e.jobs {
		out = append(out, r.To...)
	}
	return out
}

func (e *engine) Counters() []sansio.Count {
	var sum sansio.Tally
	sum.Merge(e.gone.List())
	for _, r := range e.jobs {
		sum.Merge(r.Counters())
	}
	return sum.List()
}

// Views lists the views there are.
func (e *engine) Views() []dataplane.View { return []dataplane.View{dataplane.ViewJobs} }

// View shows the jobs.
func (e *engine) View(_ units.Time, _ dataplane.View, limit int) dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"}, {Key: "workers", Name: "workers"}, {Key: "values", Name: "values a packet"}, {Key: "results", Name: "results"},
	}}
	for _, r := range e.jobs {
		var count sansio.Tally
		count.Merge(r.Counters())
		t.Add(dataplane.Int(r.id), dataplane.Int(r.Workers), dataplane.Int(r.Values), dataplane.Int(count.Get("toy-sums")))
	}
	t.Cut(limit)
	return t
}

// AddJob gives the switch a job.
func (e *engine) AddJob(_ units.Time, d dataplane.Document) (uint8, error) {
	j, ok := d.(*Job)
	if !ok {
		return 0, dataplane.RefuseOther(d, Protocol, "give --values")
	}
	if e.find(j.ID) >= 0 {
		return 0, dataplane.RefuseTaken(int(j.ID), e.node)
	}
	e.jobs = append(e.jobs, running{id: j.ID, Program: toy.NewProgram(j.End)})
	return j.ID, nil
}

// RemoveJob takes a job out.
func (e *engine) RemoveJob(_ units.Time, id uint8) (out dataplane.Removed, err error) {
	i := e.find(id)
	if i < 0 {
		return out, dataplane.RefuseUnknown(int(id), e.node)
	}
	out.Counters = e.jobs[i].Counters()
	if e.jobs[i].Seen.Len() > 0 {
		out.OpenBlocks = 1
	}
	e.gone.Merge(out.Counters)
	e.jobs = slices.Delete(e.jobs, i, i+1)
	return out, nil
}

func (e *engine) find(id uint8) int {
	return slices.IndexFunc(e.jobs, func(r running) bool { return r.id == id })
}
