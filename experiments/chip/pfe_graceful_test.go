package chip

import (
	"math"
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/trio"
)

// load is a load of Trio-ML at which simple packets have a share of the line rate.
func load(offered int, share float64, used int) graceful {
	g := graceful{offered: offered}
	g.simple = units.Bytes(share * float64(pfeLinkRate) / 8 * (gracefulTo - gracefulFrom).Seconds())
	g.end.InUse.Max, g.end.Threads = used, 100
	return g
}

// What is lost is of the line rate, without Trio-ML too; loads that take all threads do
// not count, and there must be others.
func TestGracefulLoss(t *testing.T) {
	for _, c := range []struct {
		name string
		all  []graceful
		loss float64
		most int // 0: an error
	}{
		{"line rate", []graceful{load(0, 1, 9), load(100, 1, 50), load(200, 0.5, 100)}, 0, 100},
		{"slow beside Trio-ML", []graceful{load(0, 1, 9), load(100, 0.9, 50)}, 10, 100},
		{"as slow without it", []graceful{load(0, 0.7, 9), load(100, 0.7, 50)}, 30, 100},
		{"no thread is free", []graceful{load(0, 0.9, 100), load(100, 0.1, 100)}, 0, 0},
		{"free without Trio-ML only", []graceful{load(0, 1, 9), load(100, 0.1, 100)}, 0, 0},
	} {
		loss, most, err := gracefulLoss(c.all)
		if math.Abs(loss-c.loss) > 0.01 || most != c.most || (err != nil) != (c.most == 0) {
			t.Errorf("%s: loss of %.2f%% up to %d Gbit/s, %v; want %.2f%% up to %d", c.name, loss, most, err, c.loss, c.most)
		}
	}
}

// Loads that take all threads count for what is lost at every load.
func TestGracefulLosses(t *testing.T) {
	m, most, err := gracefulLosses([]graceful{load(0, 1, 9), load(100, 0.98, 50), load(300, 0.5, 100)})
	free, _ := m.Part("threads_free")
	every, _ := m.Part("every_load")
	if err != nil || most != 100 || !strings.HasPrefix(free.String(), "2") || !strings.HasPrefix(every.String(), "50") {
		t.Errorf("%v up to %d Gbit/s, %v", m, most, err)
	}
}

// A PFE with fewer threads than simple packets need alone is not found to be graceful.
func TestSmallPFEIsNotGraceful(t *testing.T) {
	e := experimenttest.NewEnv(t)
	e.Constants = e.Constants.Scaled("pfe.ppes", float64(trio.MinPPEs)/trio.DefaultPPEs).Scaled("pfe.threads", 1.0/trio.DefaultThreads)
	if f, err := runGraceful(t.Context(), e); err == nil || !strings.Contains(err.Error(), "16 threads") {
		t.Errorf("16 PPEs of a thread: %v, %v", f.Measured, err)
	}
}
