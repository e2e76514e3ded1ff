package job_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// Only jobs that train begin late, or pause.
func TestTimesThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*job.Spec){
		"leave start and repeat out": func(s *job.Spec) { s.Replay, s.Elements, s.Times.Start = false, 8, 1 },
		"a start at -1ps":            func(s *job.Spec) { s.Elements, s.Replay, s.Times.Start = 0, true, -1 },
		"are more than 86400s in all": func(s *job.Spec) {
			s.Elements, s.Replay, s.Iterations, s.Times = 0, true, 60_000, worker.Times{Every: 1, Off: 3600 * units.Second}
		},
		"a pause of 1ps after every": func(s *job.Spec) { s.Elements, s.Replay, s.Times.Off = 0, true, 1 },
	} {
		spec := jobtest.Spec(t, switchml.System{}, "rack", 3)
		change(&spec)
		if _, err := job.New(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A long run of many times its length has an end that the clock can tell.
func TestLongest(t *testing.T) {
	s := job.Spec{Iterations: 60_000, Times: worker.Times{Start: units.Second}}
	if got := s.Longest(20, units.Millisecond); got != 1201*units.Second {
		t.Errorf("20 times a millisecond may take %v", got)
	}
	if got := s.Longest(1000, units.Second); got < 1e6*units.Second {
		t.Errorf("1000 times a second may take %v", got)
	}
	if got := s.Longest(20, 0); got != units.Second {
		t.Errorf("an iteration of no time may take %v", got)
	}
}
