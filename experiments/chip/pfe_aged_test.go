package chip

import (
	"math"
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
)

// Where timer threads send blocks, the model of the sweep takes what the emulated PFE takes:
// a thread alone to 2%, or 5% where packets are shorter and a result ends within a chunk, threads that share a table to a tenth, since the models have another
// hash. Threads that take no time would be far off.
func TestSweepAgesAsThePFE(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	models, names, err := m.agedModels()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		agedLoad
		within float64
	}{
		{agedLoad{blocks: 100, grads: packetGrads, threads: 1}, 0.02},
		{agedLoad{blocks: 100, grads: 300, threads: 1}, 0.05},
		{agedLoad{blocks: 400, grads: packetGrads, threads: 4}, 0.1},
		{agedLoads[2], 0.04},
	} {
		var got []agedTimes
		for i, model := range models {
			r, err := c.run(model)
			if err != nil {
				t.Fatalf("%s: %v", names[i], err)
			}
			got = append(got, r)
		}
		for i, want := range []bool{true, false} {
			r, chip := got[1+i], got[0]
			mean, last := r.mean.Seconds()/chip.mean.Seconds()-1, r.last.Seconds()/chip.last.Seconds()-1
			if near := math.Abs(mean) < c.within && math.Abs(last) < c.within; near != want {
				t.Errorf("%+v: %s has a mean of %v and a last result after %v, the emulated PFE %v and %v: off by %.3f and %.3f",
					c.agedLoad, names[1+i], r.mean, r.last, chip.mean, chip.last, mean, last)
			}
		}
	}
}
