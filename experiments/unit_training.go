package experiments

import (
	"context"
	"fmt"
	"math"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/train"
	"github.com/inalab/inalab/nodes/train/data"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// unitTraining trains the network of package train with the sums of quantised
// gradients, and with those of floats.
func unitTraining() []Experiment {
	return []Experiment{{
		ID: "switchml.training", Title: "training with SwitchML's quantiser and without",
		Claims: []claims.ID{"switchml.appE.quant-no-loss"},
		Quick:  "24 hidden units, 30 iterations, 4 seeds, in place of 64, 100, 8",
		Run: func(ctx context.Context, e *Env) (f Findings, err error) {
			curves, err := newTraining(e).curves(ctx, e)
			if err != nil {
				return f, err
			}
			distance, spread := curves.worst()
			m := claims.Number(distance / spread)
			m.Model = "surrogate: a perceptron with one hidden layer on Fashion-MNIST"
			m.Note = fmt.Sprintf("the mean loss curves over %d seeds are at most %.2g apart, where the loss has a standard deviation of %.2g over seeds",
				len(curves.float), distance, spread)
			f.Set("switchml.appE.quant-no-loss", m)
			f.Tables = append(f.Tables, curves.table())
			return f, nil
		},
	}}
}

// training is a job of workers, that is run with each seed twice.
type training struct {
	workers, hidden, iterations, seeds int
}

func newTraining(e *Env) training {
	if e.Quick {
		return training{workers: 4, hidden: 24, iterations: 30, seeds: 4}
	}
	return training{workers: 4, hidden: 64, iterations: 100, seeds: 8}
}

// lossCurves are mean losses over the workers, by seed and iteration.
type lossCurves struct{ float, quantised [][]float64 }

func (t training) curves(ctx context.Context, e *Env) (c lossCurves, err error) {
	images, _, err := data.Load()
	if err != nil {
		return c, err
	}
	stream := e.Seed.Stream("switchml.training")
	for i := range t.seeds {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		e.Note("seed %d of %d", i+1, t.seeds)
		root := rng.Root(stream.Uint64())
		plain, err := t.losses(images, root, meanOfFloats)
		if err != nil {
			return c, err
		}
		quantised, err := t.losses(images, root, meanOfBlocks)
		if err != nil {
			return c, err
		}
		c.float, c.quantised = append(c.float, plain), append(c.quantised, quantised)
	}
	return c, nil
}

// losses trains with one seed. All replicas of a job are equal, so one network
// computes the gradients of all workers.
func (t training) losses(images data.Set, root rng.Root, mean func(dst []float32, grads [][]float32)) (out []float64, err error) {
	net, err := train.New(train.Config{Hidden: t.hidden}, images)
	if err != nil {
		return nil, err
	}
	net.Init(root.Stream(train.InitStream))
	batches, grads := make([]*train.Batches, t.workers), make([][]float32, t.workers)
	for w := range t.workers {
		shard, err := train.Shard(images, w, t.workers)
		if err != nil {
			return nil, err
		}
		if batches[w], err = train.NewBatches(shard, 0, root.Stream(train.BatchStream(w))); err != nil {
			return nil, err
		}
		grads[w] = make([]float32, net.Params())
	}
	step := make([]float32, net.Params())
	for range t.iterations {
		loss := 0.0
		for w := range t.workers {
			loss += net.Gradient(grads[w], batches[w].Next()) / float64(t.workers)
		}
		mean(step, grads)
		net.Apply(step)
		out = append(out, loss)
	}
	return out, nil
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

// meanOfBlocks is what hosts and switch of SwitchML make of gradients, in blocks
// of 256 values.
func meanOfBlocks(dst []float32, grads [][]float32) {
	const size = 256
	q, sums := make([]int32, size), make([]int32, size)
	for lo := 0; lo < len(dst); lo += size {
		hi := min(lo+size, len(dst))
		e := gradient.ExponentNone
		for _, g := range grads {
			e = max(e, gradient.Exponent(g[lo:hi]))
		}
		factor := gradient.BlockFactor(len(grads), e)
		clear(sums)
		for _, g := range grads {
			gradient.QuantiseBlock(q[:hi-lo], g[lo:hi], factor)
			for i, v := range q[:hi-lo] {
				sums[i] += v
			}
		}
		gradient.MeanBlock(dst[lo:hi], sums[:hi-lo], factor, len(grads))
	}
}

// worst returns the distance of the mean curves where it is largest as a
// multiple of the spread over seeds, and that spread.
func (c lossCurves) worst() (distance, spread float64) {
	spread = math.Inf(1)
	for i := range c.float[0] {
		m, sd := at(c.float, i)
		q, _ := at(c.quantised, i)
		if d := math.Abs(m - q); d/sd >= distance/spread {
			distance, spread = d, sd
		}
	}
	return distance, spread
}

// at returns mean and standard deviation over seeds at an iteration.
func at(curves [][]float64, i int) (mean, sd float64) {
	n := float64(len(curves))
	for _, c := range curves {
		mean += c[i] / n
	}
	for _, c := range curves {
		sd += (c[i] - mean) * (c[i] - mean) / (n - 1)
	}
	return mean, math.Sqrt(sd)
}

// table is every point: the mean losses of both, and the spread.
func (c lossCurves) table() claims.Table {
	t := claims.Table{
		ID: "switchml.appE", Title: "loss of the surrogate, mean over seeds",
		Columns: []claims.Column{
			{Name: "iteration"}, {Name: "floats", Unit: "nats"}, {Name: "quantised", Unit: "nats"}, {Name: "deviation over seeds", Unit: "nats"},
		},
	}
	for i := range c.float[0] {
		m, sd := at(c.float, i)
		q, _ := at(c.quantised, i)
		t.Rows = append(t.Rows, []render.Cell{render.Int(i + 1), render.Number(m, 4), render.Number(q, 4), render.Number(sd, 4)})
	}
	return t
}
