package render

import (
	"errors"
	"fmt"
	"math"

	"github.com/inalab/inalab/internal/result"
)

// sampleLine is a line of samples.jsonl: a [result.Sample] with all times as
// numbers. Its keys stand in the order of the fields.
type sampleLine struct {
	SchemaVersion int      `json:"schema_version"`
	System        string   `json:"system"`
	StraggleP     float64  `json:"straggle_p"`
	Seed          uint64   `json:"seed"`
	Worker        int      `json:"worker"`
	Iteration     int      `json:"iteration"`
	StartPs       int64    `json:"start_ps"`
	EndPs         int64    `json:"end_ps"`
	DelayPs       int64    `json:"delay_ps"`
	Degraded      int      `json:"degraded"`
	Retransmits   int      `json:"retransmits"`
	Contributed   bool     `json:"contributed"`
	Loss          *float64 `json:"loss"`
	Accuracy      *float64 `json:"accuracy"`
	Job           string   `json:"job,omitempty"`
	Lab           string   `json:"lab,omitempty"`

	Swept result.Point `json:"swept,omitzero"`
}

func newSampleLine(s result.Sample, of Sampled) sampleLine {
	return sampleLine{
		SchemaVersion: SchemaVersion, System: s.System, StraggleP: s.StraggleP, Seed: of.Seed, Worker: s.Worker, Iteration: s.Iteration,
		StartPs: int64(s.Start), EndPs: int64(s.End), DelayPs: int64(s.Delay),
		Degraded: s.Degraded, Retransmits: s.Retransmits, Contributed: s.Contributed, Loss: s.Loss, Accuracy: s.Accuracy, Job: s.Job, Lab: of.Lab, Swept: of.Point,
	}
}

// sampleKey describes one key of samples.jsonl.
type sampleKey struct {
	name, unit, doc string
}

// sampleKeys stand in the order of the line.
var sampleKeys = []sampleKey{
	{"schema_version", "", "of this line"},
	{"system", "", "what ran"},
	{"straggle_p", "fraction", "straggle probability of the scenario"},
	{"seed", "", "root of all randomness in the run"},
	{"worker", "", "0-based"},
	{"iteration", "", "0-based"},
	{"start_ps", "ps", "previous model update of this worker, since the epoch of the run"},
	{"end_ps", "ps", "the model update that ends the iteration"},
	{"delay_ps", "ps", "injected delay that this worker served in this iteration"},
	{"degraded", "blocks", "blocks whose result lacked a source"},
	{"retransmits", "packets", "packets that this worker sent again by timers of its own; what its TCP or RoCE sends again is in summary.csv"},
	{"contributed", "", "whether any block of the result holds this worker's gradient"},
	{"loss", "", "mean training loss of the mini-batch; null where the gradient was dropped"},
	{"accuracy", "fraction", "on the test set after the update; null where not evaluated"},
	{"job", "", "name of the job, where several shared the lab"},
	{"lab", "", "what the jobs of the lab ran, where that was several systems"},
	{"swept", "", "of a sweep: its keys, and their values in this run"},
}

// ErrNotFinite is wrapped by the error of [SampleLines] where a loss or an
// accuracy has no form in JSON.
var ErrNotFinite = errors.New("not a finite number")

// Sampled is the run that samples are of.
type Sampled struct {
	Point result.Point // of a sweep
	Lab   string       // of jobs of several systems; else empty
	Seed  uint64
}

// SampleLines returns the lines of samples.jsonl, one value to encode for each
// sample of a run. A loss or accuracy that is not finite, as after a training that
// diverged, becomes null; the error tells of the first, and the lines are valid
// beside it.
func SampleLines(samples []result.Sample, of Sampled) ([]any, error) {
	lines := make([]any, len(samples))
	var first error
	for i, s := range samples {
		if err := finite(&s); err != nil && first == nil {
			first = err
		}
		lines[i] = newSampleLine(s, of)
	}
	return lines, first
}

// finite drops what JSON cannot hold.
func finite(s *result.Sample) error {
	var err error
	drop := func(what string, v **float64) {
		if *v != nil && (math.IsNaN(**v) || math.IsInf(**v, 0)) {
			err = fmt.Errorf("sample of %s, worker %d, iteration %d: %s is %v: %w", s.System, s.Worker, s.Iteration, what, **v, ErrNotFinite)
			*v = nil
		}
	}
	drop("accuracy", &s.Accuracy)
	drop("loss", &s.Loss)
	return err
}
