package experiments

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

func TestZZ(t *testing.T) {
	dir := fstest.MapFS{}
	for _, n := range []string{"ambiguities", "facts", "switchml", "trio", "withheld", "atp", "xagg"} {
		b, err := os.ReadFile("../reports/claims/ledger/" + n + ".yaml")
		if err != nil {
			b = []byte("claims: []\n")
		}
		dir[n+".yaml"] = &fstest.MapFile{Data: b}
	}
	l, err := claims.LoadFS(dir)
	if err != nil {
		t.Fatal(err)
	}
	ch := []string{}
	if os.Getenv("READ") != "" {
		ch = strings.Split(os.Getenv("READ"), ",")
	}
	r, err := l.Readings(ch)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range switchmlFigures() {
		if os.Getenv("X") != "" && !strings.Contains(x.ID, os.Getenv("X")) {
			continue
		}
		e := &Env{Quick: os.Getenv("FULL") == "", Seed: 1, Constants: Constants(), taken: map[claims.ID]string{}, readings: r}
		began := time.Now()
		f, err := x.Run(t.Context(), e)
		if err == nil {
			err = f.complete(&x)
		}
		if err != nil {
			t.Error(x.ID, err)
			continue
		}
		t.Logf("=== %s in %v", x.ID, time.Since(began))
		for _, tb := range f.Tables {
			var b strings.Builder
			if err := tb.Write(&b, render.Options{Format: render.FormatTable}); err != nil {
				t.Error(err)
			}
			t.Log("\n" + b.String())
		}
		for _, id := range append(x.Claims, x.Predicts...) {
			for _, c := range l.Claims {
				if c.ID == id {
					j := c.Judge(f.Measured[id])
					t.Logf("%-40s %-14v %s | %s | paper %s", id, j.Verdict, f.Measured[id].String(), j.Reason, c.Value)
				}
			}
			if p, ok := f.Predicted[id]; ok {
				t.Logf("%-40s predicted %.4f..%.4f", id, p.Low, p.High)
			}
		}
		t.Log(e.assumed(), e.describe())
	}
}
