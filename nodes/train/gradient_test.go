package train

import (
	"math"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/train/data"
)

func load(tb testing.TB) (train, test data.Set) {
	tb.Helper()
	train, test, err := data.Load()
	if err != nil {
		tb.Fatal(err)
	}
	return train, test
}

func start(tb testing.TB, cfg Config, samples data.Set, root rng.Root) *Network {
	tb.Helper()
	n, err := New(cfg, samples)
	if err != nil {
		tb.Fatal(err)
	}
	n.Init(root.Stream(InitStream))
	return n
}

func TestGradientMatchesOracle(t *testing.T) {
	const hidden = 6
	train, _ := load(t)
	samples := few(train, 12)
	batch := []int{3, 7, 0, 11, 5}
	n := start(t, Config{Hidden: hidden}, samples, 7)
	stream := rng.Root(7).Stream("biases")
	v := view(n.params, hidden)
	for _, part := range [][]float32{v.b1, v.b2} {
		drawNormal(part, 0.1, stream)
	}
	exact := make([]float64, n.Params())
	for i, p := range n.params {
		exact[i] = float64(p)
	}

	grad := make([]float32, n.Params())
	loss := n.Gradient(grad, batch)
	if want := oracle(exact, hidden, samples, batch); math.Abs(loss-want) > 1e-5*want {
		t.Errorf("loss %v, the oracle says %v", loss, want)
	}
	at := stream.Perm(n.Params())[:60]
	for i := 784 * hidden; i < n.Params(); i++ { // all of b1, W2 and b2
		at = append(at, i)
	}
	for _, i := range at {
		want := oracleSlope(exact, i, hidden, samples, batch)
		if got := float64(grad[i]); math.Abs(got-want) > 1e-5+1e-4*math.Abs(want) {
			t.Errorf("gradient of parameter %d is %v, the oracle says %v", i, got, want)
		}
	}
}

func TestGradientOverwritesAndRepeats(t *testing.T) {
	train, _ := load(t)
	n := start(t, Config{Hidden: 9}, few(train, 40), 1)
	batch := []int{1, 2, 3, 4, 5, 6, 7}
	first, again := make([]float32, n.Params()), make([]float32, n.Params())
	for i := range again {
		again[i] = 1e9
	}
	lossFirst := n.Gradient(first, batch)
	n.Gradient(make([]float32, n.Params()), []int{39, 38, 37}) // leaves other numbers in the scratch space
	if lossAgain := n.Gradient(again, batch); lossAgain != lossFirst {
		t.Errorf("the loss of one mini-batch was %v and then %v", lossFirst, lossAgain)
	}
	if !slices.Equal(first, again) {
		t.Error("the gradient of one mini-batch depends on what was computed or stored before")
	}
}

// TestGradientOfParts holds the mean: that of a mini-batch is the mean over its
// images, up to rounding.
func TestGradientOfParts(t *testing.T) {
	train, _ := load(t)
	n := start(t, Config{Hidden: 9}, few(train, 40), 1)
	batch := []int{4, 8, 15, 16, 23, 39}
	whole, part := make([]float32, n.Params()), make([]float32, n.Params())
	n.Gradient(whole, batch)
	sum := make([]float64, n.Params())
	for i := range batch {
		n.Gradient(part, batch[i:i+1])
		for k, g := range part {
			sum[k] += float64(g) / float64(len(batch))
		}
	}
	for k, want := range sum {
		if got := float64(whole[k]); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
			t.Fatalf("element %d of the mini-batch is %v, the mean over its images %v", k, got, want)
		}
	}
}

func TestEmptyBatch(t *testing.T) {
	train, test := load(t)
	n := start(t, Config{Hidden: 2}, few(train, 10), 1)
	grad := slices.Repeat([]float32{3}, n.Params())
	if loss := n.Gradient(grad, nil); loss != 0 {
		t.Errorf("loss of no images is %v", loss)
	}
	if slices.ContainsFunc(grad, func(g float32) bool { return g != 0 }) {
		t.Error("gradient of no images is not zero")
	}
	if got := n.Accuracy(data.Set{}); got != 0 {
		t.Errorf("accuracy on no images is %v", got)
	}
	if got := n.Accuracy(few(test, 33)); got < 0 || got > 1 {
		t.Errorf("accuracy %v is no share", got)
	}
}

// TestAccuracyCounts gives a network whose biases alone decide: it answers one
// class always, and the test set holds that class one time in ten.
func TestAccuracyCounts(t *testing.T) {
	train, test := load(t)
	n, err := New(Config{Hidden: 1}, few(train, 10))
	if err != nil {
		t.Fatal(err)
	}
	n.params[n.Params()-1] = 1
	if got := n.Accuracy(test); got != 0.1 {
		t.Errorf("accuracy of a constant answer is %v, want 0.1", got)
	}
}

// TestHugeNumbersDoNotPanic feeds what a wrong aggregation may deliver.
func TestHugeNumbersDoNotPanic(t *testing.T) {
	train, test := load(t)
	for _, value := range []float32{math.MaxFloat32, float32(math.Inf(1)), float32(math.NaN())} {
		n := start(t, Config{Hidden: 3}, few(train, 10), 1)
		n.Apply(slices.Repeat([]float32{value}, n.Params()))
		loss := n.Gradient(make([]float32, n.Params()), []int{0, 1, 2})
		if loss >= 0 && loss < 10 {
			t.Errorf("after a step along %v the loss is %v, as if nothing had happened", value, loss)
		}
		if got := n.Accuracy(test); got > 0.2 {
			t.Errorf("after a step along %v the accuracy is %v", value, got)
		}
	}
}

func TestGradientAllocatesNothing(t *testing.T) {
	train, _ := load(t)
	n := start(t, Config{Hidden: 5}, few(train, 40), 1)
	grad, batch := make([]float32, n.Params()), []int{1, 2, 3, 4}
	n.Gradient(grad, batch)
	if allocs := testing.AllocsPerRun(5, func() { n.Gradient(grad, batch); n.Apply(grad) }); allocs != 0 {
		t.Errorf("%v allocations in one iteration", allocs)
	}
}

func BenchmarkGradient(b *testing.B) {
	train, _ := load(b)
	shard, err := Shard(train, 0, 6)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name          string
		hidden, batch int
	}{{"params=257k/batch=16", 323, 16}, {"params=257k/batch=32", 323, 32}, {"params=1.33M/batch=16", 1673, 16}} {
		b.Run(c.name, func(b *testing.B) {
			n := start(b, Config{Hidden: c.hidden}, train, 1)
			batches, err := NewBatches(shard, c.batch, rng.Root(1).Stream(BatchStream(0)))
			if err != nil {
				b.Fatal(err)
			}
			grad := make([]float32, n.Params())
			for b.Loop() {
				n.Gradient(grad, batches.Next())
			}
			b.ReportMetric(float64(b.N*c.batch)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

func BenchmarkApply(b *testing.B) {
	train, _ := load(b)
	n := start(b, Config{}, train, 1)
	grad := make([]float32, n.Params())
	for b.Loop() {
		n.Apply(grad)
	}
}

func BenchmarkAccuracy(b *testing.B) {
	train, test := load(b)
	n := start(b, Config{}, train, 1)
	for b.Loop() {
		n.Accuracy(test)
	}
}
