package unit

import (
	"context"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/train"
	"github.com/inalab/inalab/nodes/train/data"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// quantisedTraining trains the network of package train with means of quantised
// gradients, and with those of floats.
func quantisedTraining() experiment.Experiment {
	return experiment.Experiment{
		ID: "training.quantisers", Title: "training with the quantisers of SwitchML and ATP, and with floats",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{"switchml.appE.quant-no-loss", "atp.s5.3.1.same-epochs", "xagg.figs16-20.accuracy"},
		Quick:  "16 hidden units, 2 epochs, 4 seeds, in place of 64, 6, 8",
		Run: func(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			t := experiment.Cut(e, training{workers: 4, hidden: 64, epochs: 6, seeds: 8}, training{workers: 4, hidden: 16, epochs: 2, seeds: 4})
			var ran [4]trained
			for i, mean := range []averaging{meanOfFloats, meanOfBlocks, meanOfFixed(0), meanOfFixed(coarseFactor)} {
				if ran[i], err = t.run(ctx, e, mean); err != nil {
					return f, err
				}
			}
			floats, blocks, fixed := ran[0], ran[1], ran[2]
			setTraining(&f, floats, blocks, fixed, ran[3])
			f.Tables = append(f.Tables, trainingTable(floats, blocks, fixed))
			return f, nil
		},
	}
}

// surrogate is what stands in for the papers' models.
const surrogate = "surrogate: a perceptron with one hidden layer on Fashion-MNIST, 4 workers"

// targetShare of the best accuracy with floats is the target that epochs are
// counted to. Assumed: it is reached in the middle of the training.
const targetShare = 0.99

// coarseFactor is one with which the training is another: so much the checks can tell apart. It is 1e7 times
// less than ATP's.
const coarseFactor = 10

func setTraining(f *experiment.Findings, floats, blocks, fixed, coarse trained) {
	distance, at := apart(floats.loss, blocks.loss)
	m := claims.Number(distance)
	f.Set("switchml.appE.quant-no-loss", m.On(surrogate).Noting("mean loss curves over %d seeds, of %d iterations, in standard deviations over seeds; the most, at iteration %d", len(floats.loss), len(floats.loss[0]), at+1))

	distance, at = apart(floats.loss, fixed.loss)
	target := targetShare * floats.best()
	plain, ours := floats.epochs(target), fixed.epochs(target)
	m = claims.NumberParts(map[string]float64{"epochs_ratio": float64(ours) / float64(plain), "distance": distance})
	off, _ := apart(floats.loss, coarse.loss)
	f.Set("atp.s5.3.1.same-epochs", m.On(surrogate).Noting("%d and %d epochs to a mean accuracy of %.3f; the largest distance at iteration %d; with a factor of %d, %d epochs and a distance of %.3g",
		ours, plain, target, at+1, coarseFactor, coarse.epochs(target), off))

	distance, at = apart(floats.accuracy, fixed.accuracy)
	m = claims.Number(distance)
	f.Set("xagg.figs16-20.accuracy", m.On(surrogate).Noting("mean test accuracy, %.4f and %.4f in the end, in standard deviations over seeds; the most, after epoch %d", floats.last(), fixed.last(), at+1))
}

// apart returns the largest distance of the mean curves over seeds, in standard
// deviations that the first has over seeds at that point, and where that is.
func apart(a, b [][]float64) (distance float64, where int) {
	for i := range a[0] {
		m, sd := meanAt(a, i)
		n, _ := meanAt(b, i)
		if d := max(m-n, n-m); d > 0 && d/sd > distance {
			distance, where = d/sd, i
		}
	}
	return distance, where
}

// trainingTable is every point of the loss curves.
func trainingTable(floats, blocks, fixed trained) claims.Table {
	t := claims.Table{
		ID: "training.quantisers", Title: "loss of the surrogate, mean over seeds",
		Columns: []claims.Column{
			{Name: "iteration"}, {Name: "floats", Unit: "nats"}, {Name: "SwitchML blocks", Unit: "nats"}, {Name: "ATP factor", Unit: "nats"},
			{Name: "deviation over seeds", Unit: "nats"},
		},
	}
	for i := range floats.loss[0] {
		m, sd := meanAt(floats.loss, i)
		b, _ := meanAt(blocks.loss, i)
		a, _ := meanAt(fixed.loss, i)
		t.Add(render.Int(i+1), render.Number(m, 6), render.Number(b, 6), render.Number(a, 6), render.Number(sd, 6))
	}
	return t
}

// training is a job of workers that is run with several seeds.
type training struct{ workers, hidden, epochs, seeds int }

// trained is what came of a job, by seed: the mean loss over the workers of every
// iteration, and the accuracy in the test after every epoch.
type trained struct{ loss, accuracy [][]float64 }

// averaging makes the mean of the workers' gradients.
type averaging func(dst []float32, grads [][]float32)

// run trains with every seed; they are the same for every way of averaging.
func (t training) run(ctx context.Context, e *experiment.Env, mean averaging) (out trained, err error) {
	images, test, err := data.Load()
	if err != nil {
		return out, err
	}
	stream := e.Seed.Stream("training.quantisers")
	for i := range t.seeds {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		e.Note("training with seed %d of %d", i+1, t.seeds)
		r, err := t.replica(images, rng.Root(stream.Uint64()))
		if err != nil {
			return out, err
		}
		loss, accuracy := r.train(t.epochs, mean, test)
		out.loss, out.accuracy = append(out.loss, loss), append(out.accuracy, accuracy)
	}
	return out, nil
}

// replica is the one network of a job: all workers' replicas are equal, so it
// computes the gradients of all of them.
type replica struct {
	net     *train.Network
	batches []*train.Batches
	grads   [][]float32
	step    []float32
	epoch   int // iterations in which every image is seen once
}

func (t training) replica(images data.Set, root rng.Root) (*replica, error) {
	net, err := train.New(train.Config{Hidden: t.hidden}, images)
	if err != nil {
		return nil, err
	}
	net.Init(root.Stream(train.InitStream))
	r := &replica{net: net, step: make([]float32, net.Params()), epoch: images.Len() / (t.workers * train.DefaultBatch)}
	for w := range t.workers {
		shard, err := train.Shard(images, w, t.workers)
		if err != nil {
			return nil, err
		}
		b, err := train.NewBatches(shard, 0, root.Stream(train.BatchStream(w)))
		if err != nil {
			return nil, err
		}
		r.batches, r.grads = append(r.batches, b), append(r.grads, make([]float32, net.Params()))
	}
	return r, nil
}

func (r *replica) train(epochs int, mean averaging, test data.Set) (losses, accuracy []float64) {
	for range epochs {
		for range r.epoch {
			loss := 0.0
			for w, b := range r.batches {
				loss += r.net.Gradient(r.grads[w], b.Next()) / float64(len(r.batches))
			}
			mean(r.step, r.grads)
			r.net.Apply(r.step)
			losses = append(losses, loss)
		}
		accuracy = append(accuracy, r.net.Accuracy(test))
	}
	return losses, accuracy
}

func meanOfFloats(dst []float32, grads [][]float32) {
	for i := range dst {
		sum := 0.0
		for _, g := range grads {
			sum += float64(g[i])
		}
		dst[i] = float32(sum / float64(len(grads)))
	}
}

// packetValues are the values of a packet of SwitchML (§5), of which each has a
// factor; for one factor for all it does not matter.
const packetValues = 256

// meanOfBlocks is what hosts and switch of SwitchML make of gradients.
func meanOfBlocks(dst []float32, grads [][]float32) {
	inPieces(dst, grads, func(dst []float32, pieces [][]float32, q, sums []int32) {
		e := gradient.ExponentNone
		for _, g := range pieces {
			e = max(e, gradient.Exponent(g))
		}
		factor := gradient.BlockFactor(len(pieces), e)
		for _, g := range pieces {
			gradient.QuantiseBlock(q, g, factor)
			add(sums, q)
		}
		gradient.MeanBlock(dst, sums, factor, len(pieces))
	})
}

// meanOfFixed is what ATP, and XAgg after it, make of gradients: one factor; zero is theirs, 1e8.
func meanOfFixed(factor float64) averaging {
	fixed := gradient.Fixed{Factor: factor}
	return func(dst []float32, grads [][]float32) {
		inPieces(dst, grads, func(dst []float32, pieces [][]float32, q, sums []int32) {
			for _, g := range pieces {
				fixed.Quantise(q, g)
				add(sums, q)
			}
			fixed.Mean(dst, sums, len(pieces))
		})
	}
}

// inPieces cuts gradients into pieces of a packet, with integers for each: one
// buffer, and sums of zero.
func inPieces(dst []float32, grads [][]float32, mean func(dst []float32, pieces [][]float32, q, sums []int32)) {
	q, sums, pieces := make([]int32, packetValues), make([]int32, packetValues), make([][]float32, len(grads))
	for lo := 0; lo < len(dst); lo += packetValues {
		hi := min(lo+packetValues, len(dst))
		for w, g := range grads {
			pieces[w] = g[lo:hi]
		}
		clear(sums)
		mean(dst[lo:hi], pieces, q[:hi-lo], sums[:hi-lo])
	}
}

func add(sums, q []int32) {
	for i, v := range q {
		sums[i] += v
	}
}

// best is the highest mean accuracy after any epoch.
func (t trained) best() (best float64) {
	for i := range t.accuracy[0] {
		m, _ := meanAt(t.accuracy, i)
		best = max(best, m)
	}
	return best
}

// epochs returns after how many epochs the mean accuracy reaches a target; one
// more than there were, if it does not.
func (t trained) epochs(target float64) int {
	n := len(t.accuracy[0])
	for i := range n {
		if m, _ := meanAt(t.accuracy, i); m >= target {
			return i + 1
		}
	}
	return n + 1
}

// last is the mean accuracy in the end.
func (t trained) last() float64 {
	m, _ := meanAt(t.accuracy, len(t.accuracy[0])-1)
	return m
}

// meanAt returns mean and standard deviation over seeds at one point of curves.
func meanAt(curves [][]float64, i int) (mean, sd float64) {
	n := float64(len(curves))
	for _, c := range curves {
		mean += c[i] / n
	}
	for _, c := range curves {
		sd += (c[i] - mean) * (c[i] - mean) / (n - 1)
	}
	return mean, math.Sqrt(sd)
}
