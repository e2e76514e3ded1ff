package halving_test

import (
	"math/bits"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/halving"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/stream/streamtest"
	"github.com/inalab/inalab/nodes/tensor"
	"github.com/inalab/inalab/nodes/worker"
)

var _ worker.IntegerCollective = (*halving.Core)(nil)

// job lays workers over hosts.
func job(opt streamtest.Options, cfg halving.Config, generations int) streamtest.Job {
	cfg.Node, cfg.Fixed = "w", streamtest.Fixed
	return streamtest.Job{
		Options: opt, Workers: cfg.Workers, Generations: generations, Values: cfg.Values(),
		NewCore: func(w int, rec gradient.Recorder) (sansiotest.Core, []stream.Peer, error) {
			cfg := cfg
			cfg.Rank, cfg.Recorder = w, rec
			core, err := halving.New(cfg)
			return core, halving.Peers(w, cfg.Workers), err
		},
	}
}

// Any number of workers, any tensor, any speed of each, over any network,
// with all values or some: every worker has the sums.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 17).Draw(t, "workers")
		cfg := halving.Config{
			Workers: n, Tensor: rapid.IntRange(n, 3000).Draw(t, "tensor"), Sample: rapid.SampledFrom([]int{0, 1, 3, 64}).Draw(t, "sample"),
		}
		j := job(streamtest.DrawOptions(t), cfg, rapid.IntRange(1, 3).Draw(t, "generations"))
		j.Ready = streamtest.DrawReady(t, n, j.Generations)
		if _, err := j.Run(); err != nil {
			t.Fatal(err)
		}
	})
}

// For a power of two, every worker sends and receives 2(n-1)/n of the tensor, in
// 2 log2(n) messages. Else those that pair up send a half and a whole more
// between them, and the odd one nothing but that.
func TestBytes(t *testing.T) {
	for n := 2; n <= 17; n++ {
		p := 1 << (bits.Len(uint(n)) - 1)
		levels, extra := bits.Len(uint(n))-1, n-p
		out, err := job(streamtest.Options{Transport: stream.RoCE}, halving.Config{Workers: n, Tensor: 60 * p}, 1).Run()
		if err != nil {
			t.Fatal(err)
		}
		size := 4 * 60 * p
		share := 2*(p-1)*size/p + 2*levels*tensor.HeaderLen
		for w := range n {
			sent, received := out.Bytes(w)
			wantSent, wantReceived := share, share
			switch {
			case w < 2*extra && w%2 == 0: // a half and all; two halves
				wantSent, wantReceived = share+size/2+size+2*tensor.HeaderLen, share+size+2*tensor.HeaderLen
			case w < 2*extra: // two halves; a half and all
				wantSent, wantReceived = size+2*tensor.HeaderLen, size/2+size+2*tensor.HeaderLen
			}
			if sent != wantSent || received != wantReceived {
				t.Errorf("worker %d of %d sends %d and receives %d bytes, want %d and %d", w, n, sent, received, wantSent, wantReceived)
			}
		}
	}
}

// Both ends of every stream agree on it.
func TestPeers(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for w := range n {
			mine := halving.Peers(w, n)
			if most := bits.Len(uint(n)); len(mine) > most {
				t.Errorf("worker %d of %d has %d partners", w, n, len(mine))
			}
			for _, p := range mine {
				found := 0
				for _, q := range halving.Peers(p.Host, n) {
					if q.Host == w && q.Local == p.Remote && q.Remote == p.Local && q.Passive != p.Passive {
						found++
					}
				}
				if found != 1 {
					t.Errorf("worker %d of %d: %d hosts' ends answer to %+v", w, n, found, p)
				}
			}
		}
	}
}

// Links are busy all the time: the tensor's share at link rate, and a few delays.
func TestTime(t *testing.T) {
	const elements = 4 << 20
	for _, n := range []int{2, 4, 8} {
		opt := streamtest.Options{Transport: stream.RoCE, Rate: 100e9, Delay: units.Microsecond}
		out, err := job(opt, halving.Config{Workers: n, Tensor: elements, Sample: 1000}, 1).Run()
		if err != nil {
			t.Fatal(err)
		}
		bits := 2 * float64(n-1) / float64(n) * 4 * elements * 8 * (4096 + 82) / 4096
		if want := units.Duration(bits / 100e9 * float64(units.Second)); !streamtest.Within(out.Took(), want, 0.05) {
			t.Errorf("%d workers take %v, want %v", n, out.Took(), want)
		}
	}
}

// Unstored values take the time and the bytes of a run with values.
func TestLengthsOnly(t *testing.T) {
	for _, n := range []int{5, 8} {
		var took [2]units.Duration
		var bytes [2]units.Bytes
		for i, sample := range []int{1, 500} {
			opt := streamtest.Options{Transport: stream.RoCE, Rate: 10e9, Delay: units.Microsecond}
			out, err := job(opt, halving.Config{Workers: n, Tensor: 100_003, Sample: sample}, 2).Run()
			if err != nil {
				t.Fatal(err)
			}
			took[i] = out.Took()
			for _, w := range out.Up {
				bytes[i] += w.Bytes
			}
		}
		if took[0] != took[1] || bytes[0] != bytes[1] {
			t.Errorf("%d workers: %v and %d bytes, unstored values %v and %d", n, took[0], bytes[0], took[1], bytes[1])
		}
	}
}

// A stream whose next message is not the awaited one is given up.
func TestStreamOutOfStep(t *testing.T) {
	for name, h := range map[string]tensor.Header{"generation": {Gen: 1, Kind: 3, Bytes: 20}, "kind": {Kind: 4, Bytes: 20}, "length": {Kind: 3, Bytes: 24}} {
		c, err := halving.New(halving.Config{Workers: 2, Tensor: 10})
		if err != nil {
			t.Fatal(err)
		}
		var eff sansio.Effects
		c.Begin(0, 0, make([]float32, 10), &eff)
		eff.Reset()
		b := make([]byte, tensor.HeaderLen+20)
		h.Put(b)
		for _, port := range []sansio.Port{0, 0, 1, -1} {
			c.Handle(0, []sansio.Arrival{{Port: port, Train: sansio.Train{Body: b}}}, &eff)
		}
		want := map[string]uint64{halving.DropOutOfStep: 1, halving.DropAfterFault: 1, halving.DropWrongPort: 2}
		for _, got := range c.Counters() {
			if w, ok := want[got.Name]; ok && w != got.N {
				t.Errorf("%s: %+v", name, got)
			}
			delete(want, got.Name)
		}
		if len(want) != 0 || c.Complete(0) || len(eff.Sends) != 0 {
			t.Errorf("%s: %v not counted, complete %v, %d sends", name, want, c.Complete(0), len(eff.Sends))
		}
	}
}

// Tensors that are int32 already go as they are, one after another.
func TestIntegers(t *testing.T) {
	const n, size = 2, 10
	var cores [n]*halving.Core
	for w := range cores {
		var err error
		if cores[w], err = halving.New(halving.Config{Node: "w", Rank: w, Workers: n, Tensor: size}); err != nil {
			t.Fatal(err)
		}
	}
	for g := range 3 {
		var eff [n]sansio.Effects
		for w, c := range cores {
			q := make([]int32, size)
			for i := range q {
				q[i] = int32(1000*g + 100*w + i)
			}
			c.BeginInts(0, g, q, &eff[w])
		}
		for len(eff[0].Sends)+len(eff[1].Sends) > 0 {
			sends := [n][]sansio.Send{append([]sansio.Send(nil), eff[0].Sends...), append([]sansio.Send(nil), eff[1].Sends...)}
			eff = [n]sansio.Effects{}
			for w := range cores {
				for _, s := range sends[1-w] {
					cores[w].Handle(0, []sansio.Arrival{{Port: 0, Train: s.Train}}, &eff[w])
				}
			}
		}
		for w, c := range cores {
			if !c.Complete(g) {
				t.Fatalf("generation %d of worker %d is not complete", g, w)
			}
			for i, got := range c.Sums() {
				if want := int32(2000*g + 100 + 2*i); got != want {
					t.Errorf("worker %d, generation %d: sum %d is %d, want %d", w, g, i, got, want)
				}
			}
		}
	}
}

func TestConfig(t *testing.T) {
	for _, cfg := range []halving.Config{
		{Workers: 1, Tensor: 10}, {Rank: 2, Workers: 2, Tensor: 10}, {Rank: -1, Workers: 2, Tensor: 10}, {Workers: 3, Tensor: 2}, {Workers: 2, Tensor: 2, Sample: -1},
	} {
		cfg.Node = "w17"
		if _, err := halving.New(cfg); err == nil || !strings.Contains(err.Error(), "w17") {
			t.Errorf("%+v: error %v", cfg, err)
		}
	}
}
