package live

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/tensorfile"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
)

// Every system trains, live and under the virtual clock, and both come to the
// same: every tensor bit for bit, every loss, and as many packets of each type
// at each worker.
func TestLiveAndVirtualRunsAreTheSame(t *testing.T) {
	needRoot(t)
	images, err := worker.LoadImages()
	if err != nil {
		t.Fatal(err)
	}
	patient := job.TrioML{Timeout: units.Second} // nothing ages on a machine that stands still for once
	for _, tc := range []struct {
		system   job.System
		topology string
		plain    bool
	}{
		{job.Ring{}, "rack", false},
		{job.Ring{}, "leaf-spine", false},
		{job.SwitchML{}, "rack", false},
		{job.SwitchML{}, "rack", true},
		{job.SwitchML{Elements: 64}, "rack", false},
		{patient, "mx480", false},
		{patient, "mx480", true},
		{patient, "rack", false},
	} {
		t.Run(fmt.Sprintf("%s on %s, plain %v", tc.system.Name(), tc.topology, tc.plain), func(t *testing.T) {
			opt := options(t)
			opt.Plain = tc.plain
			scene := scene{system: tc.system, topology: tc.topology}
			liveCell, liveTensors := runRecorded(t, mustJob(t, scene), opt)
			offload := strings.Join(liveCell.Fidelity.Offload, " ")
			if got := strings.Contains(offload, "plain"); got != (tc.plain && tc.system.Name() != "ring") {
				t.Errorf("packet paths %s", offload)
			}
			scene.change = func(s *job.Spec) { s.Virtual = true }
			virtual := mustJob(t, scene)
			virtualCell, err := sim.RunJob(t.Context(), virtual, images, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkCell(t, virtual, virtualCell)
			if diff := cmp.Diff(learned(virtualCell), learned(liveCell)); diff != "" {
				t.Errorf("losses and accuracy (-virtual +live):\n%s", diff)
			}
			if diff := cmp.Diff(messages(virtualCell), messages(liveCell)); diff != "" {
				t.Errorf("messages (-virtual +live):\n%s", diff)
			}
			virtualTensors := virtualRecorded(t, virtual, images)
			if diff := firstDifference(virtualTensors, liveTensors); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// recorded is one tensor of a worker.
type recorded struct {
	worker, gen int
	kind        string
}

type recording map[recorded][]int32

// runRecorded is mustRun, and returns what the workers wrote into their files.
func runRecorded(t *testing.T, j *job.Job, opt Options) (result.Cell, recording) {
	t.Helper()
	tensors := recording{}
	cell, err := runJob(t.Context(), j, opt, func(r *run) {
		files, err := filepath.Glob(filepath.Join(r.private, "*.tensors"))
		slices.Sort(files)
		reader, openErr := tensorfile.Open(files)
		if err != nil || openErr != nil || len(files) != len(j.Plan.Hosts) {
			t.Errorf("files of tensors %v: %v, %v", files, err, openErr)
			return
		}
		for w := range files {
			for gen := range j.Iterations {
				for kind, read := range map[string]func(int, int) ([]int32, error){"sent": reader.Sent, "delivered": reader.Delivered} {
					v, err := read(w, gen)
					if err != nil || len(v) != j.Params {
						t.Errorf("worker %d %s %d elements in generation %d: %v", w, kind, len(v), gen, err)
					}
					tensors[recorded{w, gen, kind}] = slices.Clone(v)
				}
			}
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	checkCell(t, j, cell)
	return cell, tensors
}

// recorder keeps one worker's tensors.
type recorder struct {
	worker int
	into   recording
}

func (r recorder) Sent(gen int, q []int32) {
	r.into[recorded{r.worker, gen, "sent"}] = slices.Clone(q)
}

func (r recorder) Delivered(gen int, sums []int32) {
	r.into[recorded{r.worker, gen, "delivered"}] = slices.Clone(sums)
}

// virtualRecorded runs the machines of a job once more and returns their
// tensors; the job has one switch or chassis, or it is enough to have compared
// the losses.
func virtualRecorded(t *testing.T, j *job.Job, images worker.Images) recording {
	t.Helper()
	if len(j.Plan.Switches) != 1 {
		return nil
	}
	out, net := recording{}, &sim.Network{}
	sw, err := j.NewSwitch(j.Switches(0)[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	center := net.AddNode("switch", sw)
	var workers []*worker.Worker
	for i, cfg := range j.Workers() {
		w, err := j.NewWorker(cfg, images, recorder{i, out}, nil)
		if err != nil {
			t.Fatal(err)
		}
		workers = append(workers, w)
		at := sansio.Port(j.Plan.Hosts[i].SwitchPort)
		if err := net.Connect(center, at, net.AddNode(cfg.Loop.Node, w), 0); err != nil {
			t.Fatal(err)
		}
	}
	busy := func(w *worker.Worker) bool { return !w.Job.Done() }
	if _, err := net.Run(t.Context(), sim.Options{Done: func() bool { return !slices.ContainsFunc(workers, busy) }}); err != nil {
		t.Fatal(err)
	}
	return out
}

func firstDifference(virtual, live recording) string {
	if virtual == nil {
		return ""
	}
	if len(virtual) != len(live) {
		return fmt.Sprintf("%d tensors in virtual time, %d live", len(virtual), len(live))
	}
	for at, want := range virtual {
		if got := live[at]; !slices.Equal(got, want) {
			return fmt.Sprintf("%+v differs between virtual and live: %d and %d elements", at, len(want), len(got))
		}
	}
	return ""
}

// learned returns what the workers learned, by worker and iteration.
func learned(cell result.Cell) map[string]string {
	out := map[string]string{}
	for _, s := range cell.Samples {
		text := "no loss"
		if s.Loss != nil {
			text = fmt.Sprintf("loss %x", *s.Loss)
		}
		if s.Accuracy != nil {
			text += fmt.Sprintf(" accuracy %x", *s.Accuracy)
		}
		out[fmt.Sprintf("worker %d iteration %d", s.Worker, s.Iteration)] = text
	}
	return out
}

// messages returns the packets of the protocol that hosts and engines counted,
// those aside that only one of the transports has.
func messages(cell result.Cell) map[string]uint64 {
	out := map[string]uint64{}
	for _, c := range cell.Counters {
		transport := strings.HasPrefix(c.Name, "tcp-") || strings.HasPrefix(c.Name, "stream-") || strings.HasPrefix(c.Name, "forward/")
		if !transport && !strings.HasSuffix(c.Node, "/device") {
			out[c.Node+" "+c.Name] += c.N
		}
	}
	return out
}

// Lost frames are sent again, by chance or by turn, and every sum stays right.
func TestLossIsMadeUpFor(t *testing.T) {
	heavy(t)
	needRoot(t)
	for _, tc := range []struct {
		name string
		link topo.LinkSpec
		drop string
	}{
		{"one in a hundred by chance", topo.LinkSpec{Loss: 0.01}, "loss-bernoulli"},
		{"every 50th", topo.LinkSpec{LossEvery: 50}, "loss-every-nth"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			j := mustJob(t, scene{
				system: job.SwitchML{Retransmit: true}, topology: "rack", iterations: 4, link: tc.link,
			})
			cell := mustRun(t, j, options(t))
			var again int
			for _, s := range cell.Samples {
				again += s.Retransmits
			}
			lost := counted(cell, tc.drop, nil)
			if again == 0 || lost == 0 {
				t.Errorf("%d frames lost, %d packets sent again, want some of both", lost, again)
			}
			if cell.Fidelity.UnaskedDrops != 0 {
				t.Errorf("losses that the link asked for count as unasked: %+v", cell.Fidelity)
			}
			t.Logf("%d frames lost, %d packets sent again", lost, again)
		})
	}
}

// The others go on without a straggler, which catches up by skipping what it
// slept through.
func TestStragglerIsLeftBehindAndCatchesUp(t *testing.T) {
	heavy(t)
	j := mustJob(t, scene{
		system: job.TrioML{
			Window:  100 * sceneScale, // one refill an iteration, so that the others wait for two timeouts at most
			Timeout: 4 * units.Millisecond,
		},
		topology: "mx480", iterations: 10,
		change: func(s *job.Spec) { s.StraggleP = 1 }, // somebody sleeps at each delay point
	})
	cell := mustRun(t, j, options(t))
	degraded, skipped, slept := 0, 0, units.Duration(0)
	for _, s := range cell.Samples {
		degraded += s.Degraded
		slept += s.Delay
		if !s.Contributed {
			skipped++
		}
	}
	if degraded == 0 || skipped == 0 || slept == 0 {
		t.Errorf("%d degraded blocks, %d iterations slept through, %v of delays: want some of each", degraded, skipped, slept)
	}
	if n := counted(cell, "trioml-results-degraded", nil); n == 0 {
		t.Error("the switch counts no degraded results")
	}
	last := map[int]units.Time{}
	for _, s := range cell.Samples {
		last[s.Worker] = max(last[s.Worker], s.End)
	}
	t.Logf("%d degraded blocks, %d iterations slept through, %v of delays; ends %v; mean expected at most %v", degraded, skipped, slept, last, cell.Expected)
}

// The first window of a worker exceeds what the kernel keeps for an address
// that it does not know yet.
func TestFirstWindowArrivesWhole(t *testing.T) {
	heavy(t)
	const window = 128 // packets of 4 KiB
	j := mustJob(t, scene{
		system: job.TrioML{Window: window, Timeout: units.Second}, topology: "rack", hosts: 2, link: topo.LinkSpec{Rate: 10 * units.GbitPerSecond, Queue: 16 * units.MiB},
		change: func(s *job.Spec) { s.Scale, s.Elements = 1, window*1024 },
	})
	ctx, cancel := context.WithTimeout(t.Context(), longEnough)
	defer cancel()
	cell, err := RunJob(ctx, j, options(t))
	if err != nil {
		t.Fatal(err)
	}
	if n := counted(cell, "trioml-results-degraded", nil); n > 0 || cell.Wrong > 0 || cell.Checked != 2*window*1024 {
		t.Errorf("%d degraded results, %d of %d elements wrong: %v", n, cell.Wrong, cell.Checked, cell.Counters)
	}
}
