package experiments

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

func TestZZLive(t *testing.T) {
	if os.Getenv("X") == "" {
		t.Skip()
	}
	t.Setenv("INALAB_STATE_DIR", t.TempDir())
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	readings, err := l.Readings(nil)
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string]func(context.Context, *lab) (Findings, error){
		"levels": runLevels, "volume": runVolume, "rates": runRates, "retx": runRetransmit, "loss": runLiveLoss, "models": runLiveModels, "stragglers": runStragglers, "exact": runExact, "clocking": runClocking,
	}
	for _, name := range strings.Split(os.Getenv("X"), ",") {
		began := time.Now()
		env := &Env{Quick: os.Getenv("FULL") == "", Seed: 1, Constants: Constants(), readings: readings, taken: map[claims.ID]string{}, Progress: func(s string) { t.Log(time.Since(began).Round(time.Millisecond), s) }}
		f, err := runs[name](t.Context(), &lab{env: env, lenient: os.Getenv("STRICT") == ""})
		if err != nil {
			t.Error(name, err)
			continue
		}
		t.Logf("=== %s in %v", name, time.Since(began))
		for _, tb := range f.Tables {
			var b strings.Builder
			if err := tb.Write(&b, render.Options{Format: render.FormatTable}); err != nil {
				t.Error(err)
			}
			t.Log("\n" + b.String())
		}
		for id, m := range f.Measured {
			c, err := l.Lookup(id)
			if err != nil {
				t.Error(err)
				continue
			}
			j := c.Judge(m)
			t.Logf("%-36s %-14v %s | %s | %s | note %.600s", id, j.Verdict, m.String(), j.Reason, m.Model, m.Note)
		}
	}
}
