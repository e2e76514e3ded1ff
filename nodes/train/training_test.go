package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/train/data"
)

// job is a set of replicas that average their gradients exactly.
type job struct {
	replicas  []*Network
	batches   []*Batches
	grad, sum []float32
}

func newJob(tb testing.TB, cfg Config, train data.Set, workers int, root rng.Root) *job {
	tb.Helper()
	j := &job{}
	for w := range workers {
		shard, err := Shard(train, w, workers)
		if err != nil {
			tb.Fatal(err)
		}
		batches, err := NewBatches(shard, 0, root.Stream(BatchStream(w)))
		if err != nil {
			tb.Fatal(err)
		}
		j.batches = append(j.batches, batches)
		j.replicas = append(j.replicas, start(tb, cfg, train, root))
	}
	j.grad, j.sum = make([]float32, j.replicas[0].Params()), make([]float32, j.replicas[0].Params())
	return j
}

// iterate makes one iteration and returns the mean loss over the workers.
func (j *job) iterate() float64 {
	clear(j.sum)
	loss := 0.0
	for w, n := range j.replicas {
		loss += n.Gradient(j.grad, j.batches[w].Next()) / float64(len(j.replicas))
		for i, g := range j.grad {
			j.sum[i] += g
		}
	}
	for i := range j.sum {
		j.sum[i] /= float32(len(j.replicas))
	}
	for _, n := range j.replicas {
		n.Apply(j.sum)
	}
	return loss
}

// TestSixWorkersLearn is what the testbed's users see: 40 iterations of six
// workers with the defaults.
func TestSixWorkersLearn(t *testing.T) {
	train, test := load(t)
	for _, c := range []struct {
		name   string
		hidden int
	}{{"257k", DefaultHidden}, {"1.33M", HiddenFor(1_330_000)}} {
		t.Run(c.name, func(t *testing.T) {
			j := newJob(t, Config{Hidden: c.hidden}, train, 6, 1)
			before := j.replicas[0].Accuracy(test)
			var losses []float64
			for i := range 40 {
				losses = append(losses, j.iterate())
				if i%10 == 9 {
					t.Logf("iteration %d: loss %.3f, accuracy %.3f", i+1, losses[i], j.replicas[0].Accuracy(test))
				}
			}
			if after := j.replicas[0].Accuracy(test); after < 0.75 || before > 0.3 {
				t.Errorf("accuracy went from %.3f to %.3f, want at least 0.75", before, after)
			}
			if head, tail := mean(losses[:5]), mean(losses[35:]); tail > head/2 {
				t.Errorf("mean loss went from %.3f (5 iterations) to %.3f, want at most half", head, tail)
			}
			for w, n := range j.replicas {
				if !slices.Equal(n.params, j.replicas[0].params) {
					t.Errorf("replica %d drifted away from replica 0", w)
				}
			}
		})
	}
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// TestTrainingBits pins the parameters after a short training, to the last bit:
// they must be these on every processor and with every variant of the vector
// code. 13 hidden units leave a rest at every width of vector.
func TestTrainingBits(t *testing.T) {
	train, _ := load(t)
	j := newJob(t, Config{Hidden: 13}, train, 3, 42)
	for range 6 {
		j.iterate()
	}
	h := sha256.New()
	for _, p := range j.replicas[0].params {
		h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(p)))
	}
	const want = "577f2dff0d0958819c118536561cf887c3dedb32c7c6998004133c77238999cc"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("parameters have SHA-256 %s, want %s", got, want)
	}
}
