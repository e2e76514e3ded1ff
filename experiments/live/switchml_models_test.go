package live

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/reports/claims"
)

// The order of models counts where the rounds tell them apart. Where they do not, the claim is undetermined if it hangs on their order,
// and holds or fails as ever if it does not.
func TestByShare(t *testing.T) {
	near, apart := []float64{0.01, -0.01, 0.02, -0.02, 0.01, 0}, make([]float64, 6)
	for _, c := range []struct {
		name  string
		gains []float64
		noise []float64 // of the second model
		want  claims.Verdict
	}{
		{"in order and told apart", []float64{1.05, 1.1, 1.2, 1.3}, apart, claims.DirectionOnly},
		{"out of order and told apart", []float64{1.1, 1.05, 1.2, 1.3}, apart, claims.NotReproduced},
		{"in order by a hair", []float64{1.1, 1.101, 1.2, 1.3}, near, claims.Undetermined},
		{"out of order by a hair", []float64{1.1, 1.099, 1.2, 1.3}, near, claims.Undetermined},
		{"no gain, by a hair", []float64{0.9, 0.901, 1.2, 1.3}, near, claims.NotReproduced},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, models := newModels(experimenttest.NewEnv(t))
			for i := range models {
				for k := range near {
					gain := c.gains[i]
					if i == 1 {
						gain += c.noise[k]
					}
					models[i].ratios = append(models[i].ratios, gain)
				}
			}
			if j := verdictOf(t, "switchml.fig5.nccl-tcp-range", byShare(models)); j.Verdict != c.want {
				t.Errorf("%s: %s, want %s", j.Verdict, j.Reason, c.want)
			}
		})
	}
}
