package live

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/switchd/chassis"
)

// Programs in transit run in the process of a real switch: systems that aggregate in it,
// and systems over kernel TCP, get all sums right through them.
func TestProgramsInTransitLive(t *testing.T) {
	for program, config := range map[string]string{
		"telemetry": `{"Collector":{"Src":"10.9.9.1","Dst":"10.9.9.2"},"Reports":[0]}`,
		"police":    `{"Rate":"100Gbit/s","Burst":"1GB"}`,
		"filter":    `null`, // none is the zero value
	} {
		for _, system := range []job.System{ring.System{}, switchml.System{Elements: 256}} {
			j := mustJob(t, scene{system: system, topology: "rack", iterations: 3, change: func(s *job.Spec) {
				s.Transit = [][]chassis.Program{{{System: program, Config: json.RawMessage(config)}}}
			}})
			c, err := RunJob(t.Context(), j, options(t))
			if err != nil {
				t.Fatalf("%s through %s: %v", system.Name(), program, err)
			}
			passed := counted(c, program+"/pfe-forwarded", nil)
			if c.Wrong != 0 || c.Checked == 0 || passed < 100 {
				t.Errorf("%s through %s: %d of %d elements wrong, %d packets passed", system.Name(), program, c.Wrong, c.Checked, passed)
			}
		}
	}
}

// A program that is not there ends the run by its name, and nothing is left behind.
func TestUnknownProgramInTransit(t *testing.T) {
	j := mustJob(t, scene{system: ring.System{}, topology: "rack", iterations: 1, change: func(s *job.Spec) {
		s.Transit = [][]chassis.Program{{{System: "telemetri"}}}
	}})
	_, err := RunJob(t.Context(), j, options(t))
	if want := `program of "telemetri"`; err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "telemetry") {
		t.Errorf("error %v, want one with %s and the nearest name", err, want)
	}
}
