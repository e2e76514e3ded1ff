package live

import (
	"context"
	"errors"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo/gen"
)

// An unshaped all-reduce of int32 tensors is right with offloads and without,
// and says what it cost. How much faster offloads are is printed.
func TestBenchOfEverySystem(t *testing.T) {
	heavy(t)
	p, err := planOf("rack", gen.Params{Hosts: 4})
	if err != nil {
		t.Fatal(err)
	}
	const elements, iterations, warmup = 1 << 18, 4, 1
	for _, system := range []job.System{
		switchml.System{Slots: 256, Retransmit: true, Timeout: units.Second / 4}, trioml.System{Window: 64, Timeout: units.Second}, ring.System{},
	} {
		t.Run(system.Name(), func(t *testing.T) {
			needRoot(t)
			var took [2]units.Duration
			for i, plain := range []bool{false, true} {
				j, err := job.New(job.Spec{System: system, Plan: p, Scale: 1, Iterations: iterations, Seed: 1, Elements: elements})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), longEnough)
				defer cancel()
				opt := options(t)
				opt.Plain = plain
				m, err := Bench(ctx, j, warmup, opt)
				if err != nil {
					t.Fatal(err)
				}
				if m.Cell.Wrong != 0 || m.Cell.Checked != 4*elements {
					t.Errorf("plain %v: %d of %d elements wrong", plain, m.Cell.Wrong, m.Cell.Checked)
				}
				const tensor = 4 * elements * (iterations - warmup)
				if m.Elapsed <= 0 || m.Packets <= 0 || m.WireBytesPerLink < tensor || m.WireBytesPerLink > 3*tensor {
					t.Errorf("plain %v: %v, %d packets, %v on the busiest link for tensors of %d bytes", plain, m.Elapsed, m.Packets, m.WireBytesPerLink, tensor)
				}
				took[i] = m.Elapsed / (iterations - warmup)
			}
			rate := func(d units.Duration) float64 { return 4 * 32 * elements / d.Seconds() / 1e9 }
			t.Logf("%d MiB: %v, aggregate input %.1f Gbit/s; without offloads %v, %.1f Gbit/s", 4*elements>>20, took[0], rate(took[0]), took[1], rate(took[1]))
		})
	}
}

func TestElapsedIsThatOfTheSlowestWithoutWarmUp(t *testing.T) {
	sample := func(worker, iteration int, start, end units.Time) result.Sample {
		return result.Sample{Worker: worker, Iteration: iteration, Start: start, End: end}
	}
	samples := []result.Sample{
		sample(0, 0, 0, 100), sample(0, 1, 100, 110), sample(0, 2, 110, 125),
		sample(1, 0, 0, 90), sample(1, 1, 90, 112), sample(1, 2, 112, 130),
	}
	for warmup, want := range map[int]units.Duration{0: 130, 1: 40, 2: 18, 3: 0} {
		if got := elapsed(samples, warmup); got != want {
			t.Errorf("without %d iterations: %d, want %d", warmup, got, want)
		}
	}
}

// The times of 64 hosts are printed; a run by hand tells whether they are good.
func TestRealise(t *testing.T) {
	p, err := planOf("rack", gen.Params{Hosts: 64})
	if err != nil {
		t.Fatal(err)
	}
	needRoot(t)
	lab := netns.NewLabName()
	checkLeaks(t, lab)
	opt := netns.Options{StateDir: t.TempDir()}
	for range 2 {
		up, down, err := Realise(t.Context(), lab, p, opt)
		if err != nil || up <= 0 || down <= 0 {
			t.Fatalf("up %v, down %v, %v", up, down, err)
		}
		t.Logf("64 hosts: up in %v, down in %v", up, down)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Realise(ctx, lab, p, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
