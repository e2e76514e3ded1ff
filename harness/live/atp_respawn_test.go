package live

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// On real packets a job waits for a worker that is killed, and goes on when it is there again, on its host
// or behind another switch; also where links lose frames, switches have few aggregators, and one of them
// forgets what it has, and where the switch between racks aggregates, too. Each sum has each contribution once.
func TestATPWorkerComesBackLive(t *testing.T) {
	heavy(t)
	for name, tc := range map[string]struct {
		host   string
		loss   float64
		levels atp.Levels
		forget string
		bits   int // of sequence numbers
	}{
		"on its host": {"", 0, atp.TwoLevels, "tor0", 0}, "on h7": {"h7", 0.002, atp.TwoLevels, "tor0", 0}, "on h7, three levels": {"h7", 0.002, atp.AllLevels, "core", 0},
		"on h7, numbers that come round": {"h7", 0.002, atp.TwoLevels, "tor0", 9},
	} {
		t.Run(name, func(t *testing.T) {
			start := act(700, job.Start, "h1")
			start.On = tc.host
			link := topo.LinkSpec{Rate: sceneLink().Rate, Loss: tc.loss}
			p, err := planOf("multi-rack", gen.Params{Hosts: 9, Racks: 3, Link: link, Uplink: topo.LinkSpec{Rate: 4 * link.Rate}})
			if err != nil {
				t.Fatal(err)
			}
			const iterations = 12
			s := scene{system: atp.System{Levels: tc.levels, Aggregators: 40, Window: 32, Span: 64, Unscaled: true, Timeout: 20 * units.Millisecond, Age: 5 * units.Millisecond, SequenceBits: tc.bits}, topology: "rack", hosts: 4, iterations: iterations}
			s.change = func(s *job.Spec) {
				s.Plan, s.On, s.ServersOn = p, []int{0, 1, 3, 4}, []int{8}
				s.Actions = []job.Action{act(400, job.Kill, "h1"), start, act(800, job.Forget, tc.forget)}
			}
			j := mustJob(t, s)
			c, err := RunJob(t.Context(), j, options(t))
			if err != nil {
				t.Fatal(err)
			}
			if c.Wrong != 0 || c.Checked == 0 || c.Ended != nil {
				t.Fatalf("%d of %d values are wrong, ended %+v: %q, %q", c.Wrong, c.Checked, c.Ended, c.Course, c.Notes)
			}
			if got := atServers(c, j, "atp-server-set-ups"); got != 1 {
				t.Errorf("%d set-ups at the server: %q", got, c.Course)
			}
			if tc.bits > 0 && counted(c, "atp-swept", nil) == 0 {
				t.Error("numbers never came round")
			}
			for w := range 4 {
				if got := iterationsOf(c, w); len(got) < iterations-1 || got[len(got)-1] != iterations-1 {
					t.Errorf("worker %d has iterations %v", w, got)
				}
			}
		})
	}
}
