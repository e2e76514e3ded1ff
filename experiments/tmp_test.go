package experiments

import (
	"os"
	"testing"
	"time"

	"github.com/inalab/inalab/reports/render"
)

func TestTmp(t *testing.T) {
	e := &Env{Quick: os.Getenv("FULL") == "", Seed: 1, Constants: Constants(), taken: map[string]string{}, readings: Readings{"trio.close-to-ideal": os.Getenv("AGE"), "trio.wake": "skip", "trio.late-record": "tombstone", "trio.rate-vs-link": "rmw-ceiling", "trio.straggle-semantics": "one-server"}}
	began := time.Now()
	x := fig13()
	f, err := x.Run(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	for _, tb := range f.Tables {
		_ = tb.Write(os.Stderr, render.Options{Format: render.FormatTable})
	}
	for id, m := range f.Measured {
		t.Log(id, m.String())
	}
	t.Log(f.Predicted, time.Since(began))
}
