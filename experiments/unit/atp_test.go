package unit

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/internal/rng"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/reports/claims"
)

// An element that is not the mean of its floats is found, and rounding is not taken for that.
func TestClippedSumsAreHeldToFloats(t *testing.T) {
	grads := clipTensors(clipEvery*wire.Values, rng.Root(1).Stream("clips"))
	large := 0
	for i := range grads[0] {
		mean := float32(0)
		for w := range grads {
			mean += grads[w][i] / clipWorkers
			large += btoi(max(grads[w][i], -grads[w][i]) >= clipLarge)
		}
		if !clipRight(grads, i, mean) {
			t.Errorf("element %d: %v is refused", i, mean)
		}
		if clipRight(grads, i, mean+1e-5) {
			t.Errorf("element %d: %v is taken for %v", i, mean+1e-5, mean)
		}
	}
	if large == 0 {
		t.Error("no value is large")
	}
}

// Few random packets do: overflows and marks are there, and nothing is wrong.
func TestSwitchOfATP(t *testing.T) {
	f, err := atpSwitch().Run(t.Context(), experimenttest.NewEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[claims.ID]string{"atp.s3.7.resend-dealloc": "0", "atp.s3.7.ecn-merge": "marks_invented 0, marks_lost 0"} {
		if got := f.Measured[id].String(); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	wrong, _ := f.Measured["atp.s3.8.saturation"].Part("wrong")
	if overflows, _ := f.Measured["atp.s3.8.saturation"].Part("overflows"); overflows.String() == "0" || wrong.String() != "0" {
		t.Errorf("%v overflows, %v wrong", overflows, wrong)
	}
}

// A factor that is too small for the gradients is told from floats by the training (§5.3.1), and ATP's is not.
func TestTrainingTellsCoarseFactors(t *testing.T) {
	e := experimenttest.NewEnv(t)
	small := training{workers: 4, hidden: 8, epochs: 1, seeds: 3}
	var ran []trained
	for _, mean := range []averaging{meanOfFloats, meanOfFixed(0), meanOfFixed(coarseFactor)} {
		r, err := small.run(t.Context(), e, mean)
		if err != nil {
			t.Fatal(err)
		}
		ran = append(ran, r)
	}
	if d, _ := apart(ran[0].loss, ran[1].loss); d > 1 {
		t.Errorf("the distance is %v with ATP's factor", d)
	}
	if d, _ := apart(ran[0].loss, ran[2].loss); d <= 1 {
		t.Errorf("the distance is %v with a factor of %d", d, coarseFactor)
	}
}
