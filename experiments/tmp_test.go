package experiments

import (
	"os"
	"testing"
	"time"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

func TestTmp(t *testing.T) {
	l, err := claims.Load()
	if err != nil {
		t.Log(err)
		l = &claims.Ledger{}
	}
	r, err := l.Readings(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range All() {
		if x.ID != os.Getenv("X") {
			continue
		}
		e := &Env{Quick: os.Getenv("FULL") == "", Seed: 1, Constants: Constants(), taken: map[claims.ID]string{}, readings: r}
		began := time.Now()
		f, err := x.Run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		for _, tb := range f.Tables {
			_ = tb.Write(os.Stderr, render.Options{Format: render.FormatTable})
		}
		for id, m := range f.Measured {
			c, err := l.Lookup(id)
			if err != nil {
				t.Log(id, m.String(), err)
				continue
			}
			j := c.Judge(m)
			t.Log(id, m.String(), j.Verdict, j.Reason)
		}
		t.Log(f.Predicted, time.Since(began), e.assumed(), e.describe())
	}
}
