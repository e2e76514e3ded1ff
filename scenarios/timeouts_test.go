package scenarios

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
)

// A job may have a timeout of its own, where its system has one; the others have that of the file.
func TestTimeoutsOfJobs(t *testing.T) {
	s := mustShort(t, `
systems: [{system: switchml256}, {system: trioml, topology: mx480}]
jobs:
  - {name: a, hosts: [h0, h1, h3], timeout: 25ms}
  - {name: b, hosts: [h5, h2]}
`)
	sets, err := s.Sets(true)
	if err != nil {
		t.Fatal(err)
	}
	jobs := sets[1].Jobs
	if a, b := jobs[0].System.(trioml.System).Timeout, jobs[1].System.(trioml.System).Timeout; a != 25*units.Millisecond || b != 10*units.Millisecond {
		t.Errorf("timeouts %v and %v, want 25ms and 10ms", a, b)
	}
}

func TestBadTimeoutsOfJobs(t *testing.T) {
	for _, c := range []struct{ systems, timeout, want string }{
		{"[{system: ring}]", "25ms", `jobs[0].timeout: ring has no timeout of each job: leave it out; it is for trioml`},
		{"[{system: trioml}]", "0s", "jobs[0].timeout: write a time above 0, as in 20ms"},
		{"[{system: trioml}]", "soon", "jobs[0].timeout"},
		{"[{system: trioml}]", "1500us", "block_exp of 10ms on tor, where job 1 has 1.5ms: block_exp has 8 bits of milliseconds to tell them apart: give them the same, or each whole milliseconds up to 255ms"},
	} {
		s, err := loadShort(t, "systems: "+c.systems+`
jobs:
  - {name: a, hosts: [h0, h1, h3], timeout: `+c.timeout+`}
  - {name: b, hosts: [h5, h2]}
`)
		if err == nil {
			_, err = s.Sets(true)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v, want %q", c.systems, c.timeout, err, c.want)
		}
	}
}
