package live_test

import (
	"os"
	"testing"

	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/node"
	"github.com/inalab/inalab/scenarios"
)

func TestMain(m *testing.M) {
	if code, ok := node.Main(os.Args); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func TestX(t *testing.T) {
	text, _ := scenarios.Embedded("straggler")
	s, err := scenarios.Load(scenarios.Source{Name: "straggler", Text: text, Set: []string{"iterations=20", "stragglers.p=[0%,16%]"}})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := s.Jobs(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		logs := t.TempDir()
		c, err := live.RunJob(t.Context(), j, live.Options{Lab: "x1", Logs: logs})
		sum := 0.0
		for _, s := range c.Samples {
			sum += s.End.Sub(s.Start).Milliseconds()
		}
		t.Log(c.System, c.StraggleP, err, len(c.Samples), sum/float64(max(1, len(c.Samples))), c.Expected, j.Ideal(), c.Wrong, c.Checked, c.Fidelity, c.Notes)
	}
}
