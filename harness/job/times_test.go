package job_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/switchml"
)

// Only jobs that train begin late, or pause.
func TestTimesThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*job.Spec){
		"leave start and repeat out": func(s *job.Spec) { s.Replay, s.Elements, s.Times.Start = false, 8, 1 },
		"a start at -1ps":            func(s *job.Spec) { s.Elements, s.Replay, s.Times.Start = 0, true, -1 },
		"a pause of 1ps after every": func(s *job.Spec) { s.Elements, s.Replay, s.Times.Off = 0, true, 1 },
	} {
		spec := jobtest.Spec(t, switchml.System{}, "rack", 3)
		change(&spec)
		if _, err := job.New(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
