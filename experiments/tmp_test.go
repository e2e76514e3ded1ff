package experiments

import (
	"testing"
	"time"

	"github.com/inalab/inalab/reports/claims"
)

func TestTmpFig13(t *testing.T) {
	e := &Env{Quick: true, Seed: 1, Constants: Constants(), taken: map[string]string{}, readings: Readings{"trio.wake": "skip", "trio.late-record": "tombstone", "trio.rate-vs-link": "rmw-ceiling", "trio.straggle-semantics": "one-server"}}
	_ = claims.ID("")
	s, err := newSweep(e)
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range s.jobs {
		if j.Model.Name == "vgg11" && j.StraggleP > 0 && j.StraggleP < 0.16 {
			continue
		}
		began := time.Now()
		c, err := runCell(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, x := range c.Samples {
			sum += x.End.Sub(x.Start).Milliseconds()
		}
		exp, bound := j.Expect()
		t.Logf("%d %s %s %g exact=%v: %.3f ms (expect %.3f %v ideal %.3f) work %+v in %v", i, c.System, c.Model, c.StraggleP, j.Exact, sum/float64(len(c.Samples)), exp.Milliseconds(), bound, j.Ideal().Milliseconds(), c.Work, time.Since(began))
	}
}
