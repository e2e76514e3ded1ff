package experiments

import (
	"os"
	"reflect"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
)

func zzEnv(t *testing.T) *Env {
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	r, _ := l.Readings(nil)
	return &Env{Quick: true, Seed: 1, Constants: Constants(), readings: r, taken: map[claims.ID]string{}}
}

func TestZZPair(t *testing.T) {
	s := &sweep{env: zzEnv(t), iterations: checkIterations}
	charged, err := s.trio(trioModels[0], lastP)
	if err != nil {
		t.Fatal(err)
	}
	exact := *charged
	exact.Exact = true
	cells, err := s.env.Chains(t.Context(), [][]*job.Job{{charged, &exact}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := cells[0][0].Samples, cells[0][1].Samples
	n := 0
	for i := range a {
		if !reflect.DeepEqual(a[i], b[i]) {
			if n++; n <= 8 {
				t.Errorf("%+v\n%+v", a[i], b[i])
			}
		}
	}
	t.Logf("%d of %d differ", n, len(a))
}

func TestZZPool(t *testing.T) {
	x := fig9()
	f, err := x.Run(t.Context(), zzEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	o, _ := os.Create("/tmp/l8/switchml.fig9.svg")
	figure.Write(o, f.Figures[0])
	o.Close()
}

func TestZZ13(t *testing.T) {
	e := zzEnv(t)
	e.Quick = false
	s := &sweep{env: e}
	f, err := s.figure(sweepRows(e))
	if err != nil {
		t.Fatal(err)
	}
	o, _ := os.Create("/tmp/l8/trio.fig13.svg")
	figure.Write(o, f)
	o.Close()
}
