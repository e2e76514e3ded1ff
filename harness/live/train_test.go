package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/check/parity"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/tensorfile"
	"github.com/inalab/inalab/internal/units"
	switchmlwire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
	switchmlhost "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
)

// Every system trains, live and under the virtual clock, and both come to the
// same: every tensor bit for bit, every loss, and as many packets of each type
// at each worker.
func TestLiveAndVirtualRunsAreTheSame(t *testing.T) {
	needRoot(t)
	images, err := loadImages()
	if err != nil {
		t.Fatal(err)
	}
	patient := trioml.System{Timeout: units.Second}          // nothing ages on a machine that stands still for once
	steady := atp.System{Fixed: true, Timeout: units.Second} // windows and resends do not depend on the time
	for _, tc := range []struct {
		system   job.System
		topology string
		plain    bool
	}{
		{ring.System{}, "rack", false},
		{halving.System{}, "rack", false},
		{ps.System{}, "rack", false},
		{ps.System{}, "leaf-spine", false},
		{ps.System{Dedicated: true}, "rack", false},
		{ps.System{Dedicated: true, Count: 1}, "rack", false},
		{ps.System{Count: 2}, "rack", false},
		{ring.System{}, "leaf-spine", false},
		{switchml.System{}, "rack", false},
		{switchml.System{}, "rack", true},
		{switchml.System{Elements: 64}, "rack", false},
		{switchml.System{Elements: 32}, "rack", false},
		{patient, "mx480", false},
		{patient, "mx480", true},
		{patient, "rack", false},
		{steady, "rack", false},
		{steady, "rack", true},
		{atp.System{Aggregators: atp.None, Fixed: true, Timeout: units.Second}, "rack", false},
	} {
		t.Run(fmt.Sprintf("%s on %s, %d servers, plain %v", tc.system.Name(), tc.topology, job.Servers(tc.system, 6), tc.plain), func(t *testing.T) {
			opt := options(t)
			opt.Plain = tc.plain
			scene := scene{system: tc.system, topology: tc.topology}
			liveCell, liveTensors := runRecorded(t, mustJob(t, scene), opt)
			offload := strings.Join(liveCell.Fidelity.Offload, " ")
			if got := strings.Contains(offload, "plain"); got != tc.plain && !strings.Contains(offload, "tcp") {
				t.Errorf("packet paths %s", offload)
			}
			virtual, virtualCell, virtualTensors := virtualRecorded(t, scene, images)
			if diff := cmp.Diff(learned(virtualCell), learned(liveCell)); diff != "" {
				t.Errorf("losses and accuracy (-virtual +live):\n%s", diff)
			}
			checkParity(t, virtual, virtualTensors, liveTensors, virtualCell, liveCell)
		})
	}
}

// An ordinary user sees the same, where the kernel lets them have namespaces.
func TestLiveAndVirtualRunsAreTheSameWithoutRoot(t *testing.T) {
	if netns.CanRoot() == nil {
		t.Skip("this process needs no user namespace: the test above has shown it")
	}
	if err := netns.CanUserNamespace(); err != nil {
		t.Skip(err)
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestLiveAndVirtualRunsAreTheSame$", "-test.v")
	cmd.Env = append(os.Environ(), envInside+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestLiveAndVirtualRunsAreTheSame ")) {
		t.Errorf("%v:\n%s", err, out)
	}
}

// runRecorded is mustRun, and returns what the workers wrote into their files.
func runRecorded(t *testing.T, j *job.Job, opt Options) (result.Cell, *parity.Recording) {
	t.Helper()
	out := parity.NewRecording(len(j.Hosts()))
	cells, err := runSet(t.Context(), job.Alone(j), opt, func(r *run) {
		if err := copyTensors(out, r); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	checkCell(t, j, cells[0])
	return cells[0], out
}

// copyTensors copies the files of a lab, which are removed with it.
func copyTensors(out *parity.Recording, r *run) error {
	var paths []string
	for _, h := range r.tenants[0].job.Hosts() {
		paths = append(paths, tensors(r.private, h.Name))
	}
	files, err := tensorfile.Open(paths)
	if err != nil {
		return err
	}
	for w := range paths {
		rec := out.Recorder(w)
		for gen := range r.tenants[0].job.Iterations {
			sent, err := files.Sent(w, gen)
			if err != nil {
				return errors.Join(err, files.Close())
			}
			rec.Sent(gen, sent)
			delivered, err := files.Delivered(w, gen)
			if err != nil {
				return errors.Join(err, files.Close())
			}
			rec.Delivered(gen, delivered)
			if err := copyFloats(rec.(gradient.FloatRecorder), files, w, gen); err != nil {
				return errors.Join(err, files.Close())
			}
		}
	}
	return files.Close()
}

func copyFloats(rec gradient.FloatRecorder, files *tensorfile.Reader, w, gen int) error {
	sent, err := files.SentFloats(w, gen)
	if err != nil {
		return err
	}
	for _, f := range sent {
		rec.SentFloats(gen, f.Lo, f.Values)
	}
	delivered, err := files.DeliveredFloats(w, gen)
	for _, f := range delivered {
		rec.DeliveredFloats(gen, f.Lo, f.Values)
	}
	return err
}

// virtualRecorded runs the scene under the virtual clock.
func virtualRecorded(t *testing.T, s scene, images worker.Images) (*job.Job, result.Cell, *parity.Recording) {
	t.Helper()
	var out *parity.Recording
	s.change = func(spec *job.Spec) {
		spec.Virtual = true
		out = parity.NewRecording(len(spec.Hosts()))
		spec.Record = out.Recorder
	}
	j := mustJob(t, s)
	cell, err := sim.RunJob(t.Context(), j, images, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkCell(t, j, cell)
	return j, cell, out
}

// checkParity wants the same tensors and the same messages of both runs.
func checkParity(t *testing.T, j *job.Job, virtual, live *parity.Recording, virtualCell, liveCell result.Cell) {
	t.Helper()
	shape := parity.Shape{Workers: len(j.Hosts()), Generations: j.Iterations, Elements: j.Params}
	got, err := parity.Tensors(shape, parity.Run[check.Tensors]{Name: "virtual", Of: virtual}, parity.Run[check.Tensors]{Name: "live", Of: live})
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * shape.Workers * shape.Generations * shape.Elements; got.Different > 0 || got.Compared != want {
		t.Errorf("tensors: %d of %d elements differ, want none of %d: %s", got.Different, got.Compared, want, got.First)
	}
	counted := parity.Messages(
		parity.Run[[]result.Counter]{Name: "virtual", Of: virtualCell.Counters}, parity.Run[[]result.Counter]{Name: "live", Of: liveCell.Counters},
	)
	if counted.Different > 0 || counted.Compared < shape.Workers {
		t.Errorf("messages: %d of %d counters differ, want none of one a worker at least: %s", counted.Different, counted.Compared, counted.First)
	}
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
				system: switchml.System{Retransmit: true}, topology: "rack", iterations: 4, link: tc.link,
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
			size := units.Bytes(switchmlwire.HeaderLen + 4*j.Layout.Cores[0].(switchmlhost.Config).Elements)
			if want := (result.Resent{Packets: uint64(again), Bytes: units.Bytes(again) * size}); cell.Resent != want {
				t.Errorf("%+v sent again, want %+v", cell.Resent, want)
			}
			t.Logf("%d frames lost, %d packets sent again", lost, again)
		})
	}
}

// What the kernel's TCP sends again is counted, of workers and of servers on hosts of their
// own: segments of at most so many bytes each.
func TestLossOfStreamsIsCounted(t *testing.T) {
	heavy(t)
	needRoot(t)
	for _, system := range []job.System{ring.System{}, ps.System{Dedicated: true}} {
		t.Run(system.Name(), func(t *testing.T) {
			j := mustJob(t, scene{system: system, topology: "rack", iterations: 3, link: topo.LinkSpec{LossEvery: 30}})
			cell := mustRun(t, j, options(t))
			got := cell.Resent
			if got.Packets == 0 || got.Packets != counted(cell, "tcp-retransmits", nil) || got.Bytes == 0 || got.Bytes > units.Bytes(int(got.Packets)*j.Plan.MTU) {
				t.Errorf("%+v sent again, %d segments counted", got, counted(cell, "tcp-retransmits", nil))
			}
		})
	}
}

// The others go on without a straggler, which catches up by skipping what it
// slept through.
func TestStragglerIsLeftBehindAndCatchesUp(t *testing.T) {
	heavy(t)
	j := mustJob(t, scene{
		system: trioml.System{
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
		system: trioml.System{Window: window, Timeout: units.Second}, topology: "rack", hosts: 2, link: topo.LinkSpec{Rate: 10 * units.GbitPerSecond, Queue: 16 * units.MiB},
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
