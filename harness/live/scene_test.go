package live

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// scene is a job of the tests: ResNet50 divided by 2000, so that six workers
// share 50 Mbit/s links, with little compute.
type scene struct {
	system     job.System
	topology   string
	hosts      int               // with a worker; zero: 6
	iterations int               // zero: 3
	link       topo.LinkSpec     // of each host; rate zero: 50 Mbit/s
	change     func(s *job.Spec) // last word on the rest; may be nil
}

const sceneScale = 2000

// sceneLink is the link of each host by default.
func sceneLink() topo.LinkSpec { return topo.LinkSpec{Rate: 100 * units.GbitPerSecond / sceneScale} }

func planOf(topology string, p gen.Params) (*plan.Plan, error) {
	g, err := gen.ByName(topology, p)
	if err != nil {
		return nil, err
	}
	return plan.New(g)
}

func newJob(s scene) (*job.Job, error) {
	if s.hosts == 0 {
		s.hosts = 6
	}
	if s.iterations == 0 {
		s.iterations = 3
	}
	if s.link.Rate == 0 {
		s.link.Rate = sceneLink().Rate
	}
	servers := job.Servers(s.system, s.hosts)
	params := gen.Params{Hosts: s.hosts + servers, Link: s.link}
	if s.topology == "mx480" {
		params.Fabric = topo.LinkSpec{Rate: 4 * s.link.Rate}
	}
	p, err := planOf(s.topology, params)
	if err != nil {
		return nil, err
	}
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		return nil, err
	}
	model.Compute = 15 * units.Millisecond
	spec := job.Spec{System: s.system, Plan: p, Model: model, Scale: sceneScale, Iterations: s.iterations, Seed: 1, Servers: servers}
	if s.change != nil {
		s.change(&spec)
	}
	return job.New(spec)
}

func mustJob(t *testing.T, s scene) *job.Job {
	t.Helper()
	j, err := newJob(s)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// options returns the options of a run in a lab of its own, whose leaks are
// checked when the test ends.
func options(t *testing.T) Options {
	t.Helper()
	needRoot(t)
	images, err := loadImages()
	if err != nil {
		t.Fatal(err)
	}
	lab := netns.NewLabName()
	checkLeaks(t, lab)
	return Options{Lab: lab, Logs: t.TempDir(), NetNS: netns.Options{StateDir: t.TempDir()}, Images: images}
}

// loadImages decodes the images once for all tests.
var loadImages = sync.OnceValues(worker.LoadImages)

// mustRun runs a job that is to end well: every sum right, every sample there.
func mustRun(t *testing.T, j *job.Job, opt Options) result.Cell {
	t.Helper()
	cell, err := RunJob(t.Context(), j, opt)
	if err != nil {
		t.Fatal(err)
	}
	checkCell(t, j, cell)
	return cell
}

func checkCell(t *testing.T, j *job.Job, cell result.Cell) {
	t.Helper()
	workers := len(j.Hosts())
	elements := uint64(workers * j.Iterations * j.Params)
	if cell.Wrong != 0 || cell.Checked != elements {
		t.Errorf("%d of %d elements are wrong, want 0 of %d: %v", cell.Wrong, cell.Checked, elements, cell.Notes)
	}
	next := make([]int, workers)
	for _, s := range cell.Samples {
		if s.Iteration != next[s.Worker] || s.End < s.Start {
			t.Errorf("worker %d: iteration %d from %v to %v, want iteration %d", s.Worker, s.Iteration, s.Start, s.End, next[s.Worker])
		}
		next[s.Worker] = s.Iteration + 1
	}
	for w, n := range next {
		if n != j.Iterations {
			t.Errorf("worker %d: samples of %d iterations, want %d", w, n, j.Iterations)
		}
	}
}

// counted adds up the counters of a name, or that end in "/name", over the
// nodes that keep lets through; nil is all.
func counted(cell result.Cell, name string, keep func(node string) bool) (n uint64) {
	for _, c := range cell.Counters {
		if (c.Name == name || strings.HasSuffix(c.Name, "/"+name)) && (keep == nil || keep(c.Node)) {
			n += c.N
		}
	}
	return n
}

// started is a run in the background.
type started struct {
	training chan struct{} // closed at the first sample
	ended    chan struct{} // closed at the end; cell and err are valid then
	cancel   func()        // interrupts it
	cell     result.Cell
	err      error
}

// start runs a job on a goroutine of its own, which the test waits for.
func start(t *testing.T, ctx context.Context, j *job.Job, opt Options) *started {
	t.Helper()
	s := &started{training: make(chan struct{}), ended: make(chan struct{})}
	var once sync.Once
	opt.Progress = func([]result.Sample) { once.Do(func() { close(s.training) }) }
	ctx, cancel := context.WithCancel(ctx)
	s.cancel = cancel
	go func() {
		defer close(s.ended)
		s.cell, s.err = RunJob(ctx, j, opt)
	}()
	t.Cleanup(func() {
		cancel()
		<-s.ended
	})
	return s
}

// awaitTraining waits for the first sample.
func (s *started) awaitTraining(t *testing.T) {
	t.Helper()
	select {
	case <-s.training:
	case <-s.ended:
		t.Fatalf("ended before the first sample: %v", s.err)
	}
}

// errInterrupted is what tests cancel a run with.
var errInterrupted = errors.New("interrupted by the test")

func contextWithCause(t *testing.T) (context.Context, context.CancelCauseFunc) {
	t.Helper()
	return context.WithCancelCause(t.Context())
}
