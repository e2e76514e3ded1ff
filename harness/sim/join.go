package sim

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// join is a worker that came back, and takes part from a generation on that another one
// promised, with the model that this one then has.
type join struct {
	of     *tenant
	worker int
	loop   *worker.Loop
	at     NodeID
	peer   *worker.Loop // that promised it
	from   int          // generation
	two    bool         // it is given that of the next generation, too
	last   int          // generation of the last model that it is given; zero: of the first
}

// handover is a model on its way from a worker to one that came back.
type handover struct {
	*join
	peer  *worker.Loop
	gen   int
	model []float32
}

// startWorker brings a worker up.
func (d *director) startWorker(now units.Time, s *job.Step) error {
	t := d.run.tenants[s.Job]
	w, err := d.run.newWorker(t, s.Config, d.images)
	if err != nil {
		return err
	}
	j := &join{of: t, worker: s.Worker, loop: w.Job.(*worker.Loop), at: d.processes[s.Host.Name].id}
	if why := d.ask(j); why != "" {
		t.cell.Course = append(t.cell.Course, s.Host.Name+" does not take part again: "+why)
		d.unjoined(now, t, j, why)
		return nil
	}
	j.two = j.loop.Resumes()
	if err := j.loop.Join(j.from); err != nil {
		return err
	}
	d.joins = append(d.joins, j)
	t.workers[s.Worker], t.at[s.Worker], t.gone[s.Worker] = w, s.Host.Name, false
	d.put(s.Host.Name, w)
	return nil
}

// ask has the worker promise its model that has come farthest, or says why none can.
func (d *director) ask(j *join) (why string) {
	peer := d.ahead(j.of)
	if peer == nil {
		return whyNoModel
	}
	put := func(gen int, model []float32) {
		d.models = append(d.models, handover{j, peer, gen, model})
		d.run.net.schedule(d.id)
	}
	from := 0
	if peer.Resumes() {
		from = peer.Lend(d.run.net.now, put)
		d.run.net.schedule(d.nodeOf(j.of, peer))
	} else {
		from = peer.Leave(j.from, put)
	}
	if from == worker.TooLate {
		return worker.WhyTooLate
	}
	j.peer, j.from = peer, from
	return ""
}

// nodeOf returns the node of a worker.
func (d *director) nodeOf(t *tenant, l *worker.Loop) NodeID {
	i := slices.IndexFunc(t.workers, func(w *worker.Worker) bool { return w.Job == worker.Job(l) })
	return d.processes[t.at[i]].id
}

// unjoined ends a job that waits for a worker which does not take part again, unless the others are done.
func (d *director) unjoined(now units.Time, t *tenant, j *join, why string) {
	if j.loop.Resumes() && !t.over() {
		d.endJob(now, &job.Step{Action: job.Action{At: units.Duration(now)}, Job: slices.Index(d.run.tenants, t), Reason: why})
	}
}

const whyNoModel = "no worker is left that has the model"

// ahead returns the worker that has come farthest; nil: none runs that has a model.
func (d *director) ahead(t *tenant) (peer *worker.Loop) {
	for i, w := range t.workers {
		l, ok := w.Job.(*worker.Loop)
		joins := slices.ContainsFunc(d.joins, func(j *join) bool { return j.loop == l })
		if ok && !joins && !t.gone[i] && !l.Done() && (peer == nil || l.Iteration() > peer.Iteration()) {
			peer = l
		}
	}
	return peer
}

// handOver gives workers the models that were promised to them.
func (d *director) handOver(now units.Time) {
	models := d.models
	d.models = nil
	for _, m := range models {
		k := slices.Index(d.joins, m.join)
		if k < 0 || m.join.peer != m.peer {
			continue // one of the two ended meanwhile
		}
		if m.two && m.last == 0 {
			m.last = m.gen + 1
		}
		if m.gen >= m.last {
			d.joins = slices.Delete(d.joins, k, k+1)
		}
		m.of.sums.Return(m.worker, max(m.gen, m.last))
		if err := m.loop.Restore(now, m.gen, m.model); err != nil {
			d.run.err = err
		}
		d.run.net.schedule(m.at)
	}
}

// left has others take over what a worker promised that ended. Where nobody can, who waited
// for it does not take part, and a job of which no other is left ends.
func (d *director) left(now units.Time, of *worker.Loop) {
	d.joins = slices.DeleteFunc(d.joins, func(j *join) bool { return j.loop == of })
	for _, j := range slices.Clone(d.joins) {
		if j.peer != of {
			continue
		}
		why := d.ask(j)
		if why == "" {
			continue
		}
		t := j.of
		d.joins = slices.DeleteFunc(d.joins, func(k *join) bool { return k == j })
		t.cell.Course = append(t.cell.Course, t.at[j.worker]+" does not take part again: "+why)
		t.gone[j.worker] = true
		d.put(t.at[j.worker], nil)
		d.unjoined(now, t, j, why)
		if !slices.Contains(t.gone, false) {
			d.endJob(now, &job.Step{Action: job.Action{At: units.Duration(now)}, Job: slices.Index(d.run.tenants, t), Reason: why})
		}
	}
}
