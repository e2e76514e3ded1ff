package ring_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/ring"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/stream/streamtest"
	"github.com/inalab/inalab/nodes/tensor"
)

// job lays a ring over hosts.
func job(opt streamtest.Options, cfg ring.Config, generations int) streamtest.Job {
	cfg.Node, cfg.Fixed = "w", streamtest.Fixed
	return streamtest.Job{
		Options: opt, Workers: cfg.Workers, Generations: generations, Values: cfg.Values(),
		NewCore: func(w int, rec gradient.Recorder) (sansiotest.Core, []stream.Peer, error) {
			cfg := cfg
			cfg.Rank, cfg.Recorder = w, rec
			core, err := ring.New(cfg)
			return core, ring.Peers(w, cfg.Workers), err
		},
	}
}

// Over streams of any network (streamtest.DrawOptions), with all values or some: every worker has
// the sums.
func TestSumsOverStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "workers")
		cfg := ring.Config{
			Workers: n, Tensor: rapid.IntRange(n, 40_000).Draw(t, "tensor"), Sample: rapid.SampledFrom([]int{0, 1, 3, 64}).Draw(t, "sample"),
		}
		j := job(streamtest.DrawOptions(t), cfg, rapid.IntRange(1, 3).Draw(t, "generations"))
		j.Ready = streamtest.DrawReady(t, n, j.Generations)
		if _, err := j.Run(); err != nil {
			t.Fatal(err)
		}
	})
}

// Unstored values: as many bytes as with values, 2(n-1)/n of the tensor each way, at
// the same times.
func TestLengthsOnly(t *testing.T) {
	const n, elements = 4, 400_000
	var took [2]units.Duration
	var frames [2]int
	for i, sample := range []int{1, 500} {
		opt := streamtest.Options{Transport: stream.RoCE, Rate: 10e9, Delay: units.Microsecond}
		cfg := ring.Config{Workers: n, Tensor: elements, Sample: sample}
		if want := elements / sample; cfg.Values() != want {
			t.Errorf("%d values, want %d", cfg.Values(), want)
		}
		out, err := job(opt, cfg, 2).Run()
		if err != nil {
			t.Fatal(err)
		}
		for w := range n {
			sent, received := out.Bytes(w)
			if want := 2*(n-1)*4*elements/n + 2*(n-1)*tensor.HeaderLen; sent != want || received != want {
				t.Errorf("one value of %d: worker %d sends %d and receives %d bytes, want %d", sample, w, sent, received, want)
			}
			frames[i] += out.Up[w].Frames
		}
		took[i] = out.Took()
	}
	if took[0] != took[1] || frames[0] != frames[1] {
		t.Errorf("%v and %d frames, unstored values %v and %d", took[0], frames[0], took[1], frames[1])
	}
}

// The time is that of 2(n-1)/n of the tensor at link rate, and little more.
func TestTime(t *testing.T) {
	const n, elements = 8, 4 << 20
	opt := streamtest.Options{Transport: stream.RoCE, Rate: 100e9, Delay: units.Microsecond}
	out, err := job(opt, ring.Config{Workers: n, Tensor: elements, Sample: 1000}, 1).Run()
	if err != nil {
		t.Fatal(err)
	}
	bits := 2 * float64(n-1) / n * 4 * elements * 8 * (4096 + 82) / 4096
	if want := units.Duration(bits / 100e9 * float64(units.Second)); !streamtest.Within(out.Took(), want, 0.05) {
		t.Errorf("the ring takes %v, want %v", out.Took(), want)
	}
}
