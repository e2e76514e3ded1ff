package live

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/units"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/gen"
)

// Trio-ML over two chassis below a third, on real packets: every sum is right, with everybody and without a
// worker that is away.
func TestTrioOverDevices(t *testing.T) {
	heavy(t)
	link := sceneLink()
	p, err := planOf("chassis-leaf-spine", gen.Params{Hosts: 4, Leaves: 2, Spines: 1, Link: link, Uplink: link, Fabric: link})
	if err != nil {
		t.Fatal(err)
	}
	for name, away := range map[string]bool{"everybody": false, "without a worker": true} {
		t.Run(name, func(t *testing.T) {
			sys := trioml.System{Timeout: 10 * units.Second} // the spine waits 90 s
			iterations := 3
			if away {
				sys.Timeout, sys.Age, iterations = 30*units.Millisecond, program.AgeAbsent, 12
			}
			j := mustJob(t, scene{system: sys, hosts: 2, topology: "rack", iterations: iterations, change: func(s *job.Spec) {
				s.Plan = p
				if away {
					s.Outages = []fault.Outage{{Worker: 3, Iteration: 4, For: 1500 * units.Millisecond}}
				}
			}})
			c := mustRun(t, j, options(t))
			if n := counted(c, "trioml-results-degraded", nil); away != (n > 0) {
				t.Errorf("%d results lack a worker", n)
			}
			if n := counted(c, "pfe1/trioml-results", func(node string) bool { return node == "spine0" }); n == 0 {
				t.Error("the spine sends no results")
			}
		})
	}
}
