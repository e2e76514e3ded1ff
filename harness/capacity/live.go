package capacity

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/inalab/inalab/harness/fidelity"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train"
	"github.com/inalab/inalab/nodes/worker"
)

// Live makes trials on real packets. Each has a lab of its own.
type Live struct {
	Plain  bool // do without segmentation and checksum offload
	Owner  journal.Caller
	Images worker.Images
	Exe    string // program of the node processes; empty: the running one
}

// Run makes a trial of each set, which are those of [Heaviest].
func (l *Live) Run(ctx context.Context, sets []*job.Set) (out []Trial, err error) {
	for _, s := range sets {
		t, err := l.trial(ctx, s)
		if err != nil {
			return out, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (l *Live) trial(ctx context.Context, s *job.Set) (t Trial, err error) {
	brief, err := Brief(s)
	if err != nil {
		return t, err
	}
	err = live.WithLogs(ctx, "self-test", func(logs string) error {
		cells, efforts, err := live.RunMeasured(ctx, brief, live.Options{
			Lab: netns.NewLabName(), Logs: logs, Plain: l.Plain, Owner: l.Owner, Exe: l.Exe, Images: l.Images,
		})
		switch {
		case errors.Is(err, live.ErrStalled): // packets that the machine lost, and nobody sends again
			t, err = Trial{Name: Name(brief), Failed: err.Error()}, nil
		case err == nil:
			t, err = l.conclude(ctx, brief, cells, efforts)
		}
		return err
	})
	return t, err
}

// conclude makes a trial of what was measured.
func (l *Live) conclude(ctx context.Context, s *job.Set, cells []result.Cell, efforts []live.Effort) (t Trial, err error) {
	t = expect(s)
	t.Iteration = shortest(cells)
	if t.Expected > 0 {
		twin, err := l.twin(ctx, s)
		if err != nil {
			return t, err
		}
		t.Expected = max(t.Expected, twin)
	}
	if t.Expected == 0 { // flows go on while workers compute
		t.Line = t.Iteration
	}
	for _, e := range efforts {
		used := e.Time / Iterations
		t.Threads += used
		if used > t.Thread {
			t.Thread, t.Node = used, e.Node
		}
	}
	t.Late = median(efforts)
	for _, j := range s.Jobs {
		one, err := l.gradient(j)
		if err != nil {
			return t, err
		}
		t.Gradients += one * units.Duration(len(j.Hosts()))
	}
	for i := range cells {
		err = errors.Join(err, cells[i].CheckSums())
	}
	return t, err
}

// expect returns what is known of a trial before it. Jobs that share lines, with one another or with
// flows, take longer than each by itself, by no closed form.
func expect(s *job.Set) Trial {
	t := Trial{Name: Name(s)}
	for _, j := range s.Jobs {
		t.Line, t.Compute = max(t.Line, j.Layout.Time), max(t.Compute, j.SlowestCompute())
	}
	t.LateLimit = fidelity.LateLimit(t.Compute)
	if len(s.Jobs) == 1 && len(s.Flows()) == 0 && s.First().Layout.Time > 0 {
		t.Expected, _ = s.First().Expect()
	}
	return t
}

// median returns the lateness that half of the nodes keep within: one stall is chance, and late timers of
// most nodes are not.
func median(efforts []live.Effort) units.Duration {
	if len(efforts) == 0 {
		return 0
	}
	late := make([]units.Duration, 0, len(efforts))
	for _, e := range efforts {
		late = append(late, e.Late)
	}
	slices.Sort(late)
	return late[(len(late)-1)/2]
}

// shortest returns the shortest time between two ends of an iteration, each at the worker that was
// last, of any job.
func shortest(cells []result.Cell) (least units.Duration) {
	for i := range cells {
		var ends []units.Time // by iteration
		for _, s := range cells[i].Samples {
			for len(ends) <= s.Iteration {
				ends = append(ends, 0)
			}
			ends[s.Iteration] = max(ends[s.Iteration], s.End)
		}
		for k := 1; k < len(ends); k++ {
			if d := ends[k].Sub(ends[k-1]); d > 0 && (least == 0 || d < least) {
				least = d
			}
		}
	}
	return least
}

// gradient returns the processor time of one gradient of a job, the least of three.
func (l *Live) gradient(j *job.Job) (least units.Duration, err error) {
	if j.Hidden == 0 {
		return 0, nil // a benchmark, or a replay
	}
	net, err := train.New(train.Config{Hidden: j.Hidden}, l.Images.Train)
	if err != nil {
		return 0, err
	}
	net.Init(j.Seed.Stream(train.InitStream))
	batch := make([]int, cmp.Or(j.MiniBatch, train.DefaultBatch))
	for i := range batch {
		batch[i] = i % l.Images.Train.Len()
	}
	grad := make([]float32, net.Params())
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var times []units.Duration
	for range 3 {
		began := threadTime()
		net.Gradient(grad, batch)
		times = append(times, threadTime()-began)
	}
	return slices.Min(times), nil
}
