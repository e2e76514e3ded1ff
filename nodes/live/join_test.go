package live

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
)

// longEnough is how long a test waits for what must come, on a busy machine.
const longEnough = 20 * time.Second

// mirror is a collective of one: every generation is complete as soon as it is begun,
// and its mean is the same at all workers.
type mirror struct {
	sansio.Untimed
	gen   int
	begun bool
}

func (m *mirror) Handle(units.Time, []sansio.Arrival, *sansio.Effects) {}
func (m *mirror) Begin(_ units.Time, gen int, _ []float32, _ *sansio.Effects) {
	m.gen, m.begun = gen, true
}
func (m *mirror) Complete(gen int) bool    { return m.begun && m.gen == gen }
func (m *mirror) Counters() []sansio.Count { return nil }
func (m *mirror) Skip(gen int)             { m.gen = gen + 1 }
func (m *mirror) Finish(gen int) (result.Outcome, func([]float32)) {
	m.begun = false
	return result.Outcome{}, func(mean []float32) {
		for i := range mean {
			mean[i] = float32(gen%7-i%5) / 1000
		}
	}
}

func newMirror(json.RawMessage, gradient.Recorder, trace.Sink) (worker.Collective, error) {
	return &mirror{}, nil
}

// commander is a parent that a test speaks through.
type commander struct {
	start     Checkpoint
	questions chan Checkpoint
	answers   chan CheckpointAnswer
	ended     chan error
	report    WorkerReport
}

func (c *commander) Ready() error                              { return nil }
func (c *commander) AwaitStart(context.Context) (int64, error) { panic("the other one is asked") }
func (c *commander) AwaitAsk(context.Context) error            { panic("the other one is asked") }
func (c *commander) Answer(any) error                          { return nil }
func (c *commander) Samples([]result.Sample) error             { return nil }
func (c *commander) Checkpoint(a CheckpointAnswer) error       { c.answers <- a; return nil }
func (c *commander) AwaitStartOrJoin(context.Context) (int64, Checkpoint, error) {
	return pktio.MonotonicNow(), c.start, nil
}

func (c *commander) AwaitQuestion(ctx context.Context) (Checkpoint, error) {
	select {
	case q := <-c.questions:
		return q, nil
	case <-ctx.Done():
		return Checkpoint{}, ctx.Err()
	}
}

// runMirror runs a worker until the test ends.
func runMirror(t *testing.T, from Checkpoint, change func(*WorkerConfig)) *commander {
	t.Helper()
	cfg := WorkerConfig{Sockets: Sockets{UDP: &udp.Config{Bind: loopback}}}
	cfg.Worker = worker.Config{Workers: 2, Model: worker.ModelConfig{Hidden: 2, MiniBatch: 1}}
	cfg.Worker.Loop = worker.LoopConfig{Node: "h0", System: "mirror", Iterations: 1 << 30, Points: 1, Compute: 100 * units.Microsecond}
	if change != nil {
		change(&cfg)
	}
	c := &commander{start: from, questions: make(chan Checkpoint), answers: make(chan CheckpointAnswer, 10), ended: make(chan error, 1)}
	ctx, stop := context.WithCancel(t.Context())
	var err error
	over := make(chan struct{})
	go func() {
		defer close(over)
		c.report, err = RunWorker(ctx, cfg, newMirror, c)
		c.ended <- err
	}()
	t.Cleanup(func() { stop(); <-over })
	return c
}

// promise asks a worker for a checkpoint.
func (c *commander) promise(t *testing.T, to Checkpoint) CheckpointAnswer {
	t.Helper()
	select {
	case c.questions <- to:
	case err := <-c.ended:
		t.Fatalf("the worker has ended: %v", err)
	}
	return c.answer(t)
}

func (c *commander) answer(t *testing.T) CheckpointAnswer {
	t.Helper()
	select {
	case a := <-c.answers:
		return a
	case err := <-c.ended:
		t.Fatalf("the worker has ended: %v", err)
	case <-time.After(longEnough):
		t.Fatal("no answer")
	}
	return CheckpointAnswer{}
}

// failure returns the error with which a worker ends.
func (c *commander) failure(t *testing.T) string {
	t.Helper()
	select {
	case err := <-c.ended:
		if err != nil {
			return err.Error()
		}
		return "ended well"
	case <-time.After(longEnough):
		return "went on"
	}
}

// awaitCheckpoint waits for a file.
func awaitCheckpoint(t *testing.T, path string) (gen int, model []float32) {
	t.Helper()
	for end := time.Now().Add(longEnough); time.Now().Before(end); {
		gen, model, ok, err := readCheckpoint(path)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			return gen, model
		}
	}
	t.Fatalf("no checkpoint in %s", path)
	return 0, nil
}

// A worker joins with the model of another one. When both have come to a later
// generation, they have one model.
func TestWorkerJoinsWithTheModelOfAnother(t *testing.T) {
	dir := t.TempDir()
	a := runMirror(t, Checkpoint{}, nil)
	promised := a.promise(t, Checkpoint{Path: filepath.Join(dir, "one"), Generation: 5})
	if promised.Problem != "" || promised.Generation < 5 {
		t.Fatalf("answer %+v", promised)
	}
	b := runMirror(t, promised.Checkpoint, nil)
	from := promised.Generation
	for ahead := 1 << 8; ahead < 1<<16; ahead *= 2 { // until both are asked in time for one generation
		paths := [2]string{filepath.Join(dir, fmt.Sprint("a", ahead)), filepath.Join(dir, fmt.Sprint("b", ahead))}
		from += ahead
		for i, c := range []*commander{a, b} {
			p := c.promise(t, Checkpoint{Path: paths[i], Generation: from})
			if p.Problem != "" {
				t.Fatal(p.Problem)
			}
			from = max(from, p.Generation)
		}
		ga, ma := awaitCheckpoint(t, paths[0])
		gb, mb := awaitCheckpoint(t, paths[1])
		if ga != gb {
			continue
		}
		if !slices.Equal(ma, mb) {
			t.Errorf("the models of generation %d differ", ga)
		}
		if _, first := awaitCheckpoint(t, promised.Path); slices.Equal(first, ma) {
			t.Error("the model stood still")
		}
		return
	}
	t.Fatal("they never came to one generation")
}

func TestCheckpointsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content []byte) Checkpoint {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return Checkpoint{Path: path}
	}
	if err := writeCheckpoint(filepath.Join(dir, "small"), 3, []float32{1, 2}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "small"))
	if err != nil {
		t.Fatal(err)
	}
	bench := func(c *WorkerConfig) { c.Worker.Bench = &worker.BenchConfig{Elements: 1, Iterations: 1} }
	for want, c := range map[string]struct {
		from   Checkpoint
		change func(*WorkerConfig)
	}{
		"of 2 values, and this worker's of":     {from: Checkpoint{Path: filepath.Join(dir, "small")}},
		"it joins at generation 4 of":           {from: Checkpoint{Path: filepath.Join(dir, "small"), Generation: 4}},
		"generation 8 is not in 0..7":           {from: Checkpoint{Path: "nowhere", Generation: 8}, change: func(c *WorkerConfig) { c.Worker.Loop.Iterations = 7 }},
		"do not begin as those of a checkpoint": {from: file("garbage", []byte("{}"))},
		"7 bytes for 2 values":                  {from: file("short", whole[:len(whole)-1])},
		"is a directory":                        {from: Checkpoint{Path: dir}},
		"this protocol has no path for int32":   {from: Checkpoint{Path: "nowhere"}, change: bench},
	} {
		if got := runMirror(t, c.from, c.change).failure(t); !strings.Contains(got, want) {
			t.Errorf("error %q, want %q", got, want)
		}
	}
}

// A worker that cannot leave its model says so, and goes on.
func TestPromisesThatCannotBeKept(t *testing.T) {
	c := runMirror(t, Checkpoint{}, nil)
	if a := c.promise(t, Checkpoint{Path: "late", Generation: math.MaxInt}); !strings.Contains(a.Problem, "too few iterations") || a.Generation != worker.TooLate {
		t.Errorf("answer %+v", a)
	}
	nowhere := filepath.Join(t.TempDir(), "no", "directory")
	if a := c.promise(t, Checkpoint{Path: nowhere}); a.Problem != "" {
		t.Errorf("answer %+v", a)
	}
	if a := c.answer(t); a.Path != nowhere || !strings.Contains(a.Problem, "no such file") {
		t.Errorf("answer %+v", a)
	}
	if a := c.promise(t, Checkpoint{Path: filepath.Join(t.TempDir(), "fine")}); a.Problem != "" {
		t.Errorf("answer %+v", a)
	}
}
