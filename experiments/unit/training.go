package unit

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// quantisedTraining trains the network of package train with means of quantised
// gradients, and with those of floats.
func quantisedTraining() experiment.Experiment {
	return experiment.Experiment{
		ID: "training.quantisers", Title: "training with the quantisers of SwitchML and ATP, and with floats",
		Claims: []claims.ID{"switchml.appE.quant-no-loss", "atp.s5.3.1.same-epochs", "xagg.figs16-20.accuracy"},
		Quick:  "16 hidden units, 2 epochs, 4 seeds, in place of 64, 6, 8",
		Run: func(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			t := newTraining(e)
			floats, err := t.run(ctx, e, meanOfFloats)
			if err != nil {
				return f, err
			}
			blocks, err := t.run(ctx, e, meanOfBlocks)
			if err != nil {
				return f, err
			}
			fixed, err := t.run(ctx, e, meanOfFixed)
			if err != nil {
				return f, err
			}
			setTraining(&f, floats, blocks, fixed)
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

func setTraining(f *experiment.Findings, floats, blocks, fixed trained) {
	distance, at := apart(floats.loss, blocks.loss)
	m := claims.Number(distance)
	m.Model = surrogate
	m.Note = fmt.Sprintf("mean loss curves over %d seeds, of %d iterations, in standard deviations over seeds; the most, at iteration %d", len(floats.loss), len(floats.loss[0]), at+1)
	f.Set("switchml.appE.quant-no-loss", m)

	distance, at = apart(floats.loss, fixed.loss)
	target := targetShare * floats.best()
	plain, ours := floats.epochs(target), fixed.epochs(target)
	m = claims.Group(map[string]claims.Measured{
		"epochs_ratio": claims.Number(float64(ours) / float64(plain)), "distance": claims.Number(distance),
	})
	m.Model = surrogate
	m.Note = fmt.Sprintf("%d and %d epochs to a mean accuracy of %.3f; the largest distance at iteration %d", ours, plain, target, at+1)
	f.Set("atp.s5.3.1.same-epochs", m)

	distance, at = apart(floats.accuracy, fixed.accuracy)
	m = claims.Number(distance)
	m.Model = surrogate
	m.Note = fmt.Sprintf("mean test accuracy, %.4f and %.4f in the end, in standard deviations over seeds; the most, after epoch %d", floats.last(), fixed.last(), at+1)
	f.Set("xagg.figs16-20.accuracy", m)
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
		t.Rows = append(t.Rows, []render.Cell{
			render.Int(i + 1), render.Number(m, 6), render.Number(b, 6), render.Number(a, 6), render.Number(sd, 6),
		})
	}
	return t
}
