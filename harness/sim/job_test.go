package sim_test

import (
	"testing"

	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/scenarios"
)

func TestX(t *testing.T) {
	text, _ := scenarios.Embedded("straggler")
	s, err := scenarios.Load(scenarios.Source{Name: "straggler", Text: text, Set: []string{"iterations=10", "stragglers.p=[0%,16%]"}})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	im, _ := worker.LoadImages()
	for _, j := range jobs {
		c, err := sim.RunJob(t.Context(), j, im, nil)
		sum := 0.0
		for _, s := range c.Samples {
			sum += s.End.Sub(s.Start).Milliseconds()
		}
		t.Log(c.System, c.StraggleP, err, len(c.Samples), sum/float64(max(1, len(c.Samples))), c.Expected, j.Ideal(), c.Wrong, c.Checked, c.Notes)
	}
}
