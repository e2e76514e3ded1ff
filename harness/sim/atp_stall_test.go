package sim_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// A run of ATP that stalls says what its server waits for, or whom the server's answer did not reach, and
// the link.
func TestStalledATPSaysWhy(t *testing.T) {
	long(t)
	six := []int{0, 1, 3, 4, 6, 7}
	for name, tc := range map[string]struct {
		topology string
		system   atp.System
		host     int
		down     bool
		want     []string
	}{
		"a worker": {"rack", atp.System{}, 3, false,
			[]string{"block 0 of iteration 0 at h8 waits for h3: it has 0b111011 (5 of 6)", "first hop without packets: h3:eth0->tor:p3 (", ", 0 out)"}},
		"a worker, racks, none": {"multi-rack", atp.System{Aggregators: atp.None}, 3, false,
			[]string{"at h8 waits for h3: it has 0b111011 (5 of 6)", "first hop without packets: h3:eth0->tor1:p0 ("}},
		"its answers": {"multi-rack", atp.System{}, 3, true,
			[]string{"h3 waits for the result of block 0 of iteration 0, which h8 has sent", "first hop without packets: tor1:p0->h3:eth0 ("}},
		"the server": {"leaf-spine", atp.System{}, 8, true,
			[]string{"block 0 of iteration 0 waits for h0, h1, h3, h4, h6, h7: nobody's packet came to server h8", "first hop without packets: leaf2:p2->h8:eth0 ("}},
		"all answers": {"rack", atp.System{Aggregators: atp.None}, 8, false,
			[]string{"h0, h1, h3, h4, h6, h7 waits for the result of block 0 of iteration 0, which h8 has sent", "first hop without packets: h8:eth0->tor:p8 ("}},
		"in the switch": {"rack", atp.System{Timeout: 1000 * units.Second}, 3, false,
			[]string{"block 0 of iteration 0 at tor waits for h3: it has 0b111011 (5 of 6)", "first hop without packets: h3:eth0->tor:p3 ("}},
		"a worker, server beside": {"multi-rack", atp.System{Colocated: true, ServerCount: 2}, 3, false,
			[]string{" at h0-server waits for h3: it has 0b111011 (5 of 6)", "first hop without packets: h3:eth0->tor1:p0 ("}},
		"the server's host": {"rack", atp.System{Colocated: true}, 0, true,
			[]string{" waits for h1, h3, h4, h6, h7: it has 0b000001 (1 of 6)", "first hop without packets: tor:p0->h0:eth0 ("}},
		"answers of a server beside": {"rack", atp.System{Colocated: true}, 0, false,
			[]string{"h1, h3, h4, h6, h7 waits for the result of block", "which h0-server has sent", "first hop without packets: h0:eth0->tor:p0 ("}},
	} {
		t.Run(name, func(t *testing.T) {
			p := atpPlan(t, tc.topology, 9, topo.LinkSpec{})
			sw, _ := p.Switch(p.Hosts[tc.host].Switch)
			link := &sw.Ports[p.Hosts[tc.host].SwitchPort].In
			if tc.down {
				link = &sw.Ports[p.Hosts[tc.host].SwitchPort].Out
			}
			link.LossEvery = 1
			servers := []int{8}
			if tc.system.Colocated {
				servers = nil
			}
			j, err := job.New(atpSpec(t, p, tc.system, servers, six...))
			if err != nil {
				t.Fatal(err)
			}
			_, err = sim.RunJob(t.Context(), j, images(t), nil)
			if err == nil || tc.system.Timeout == 0 && !errors.Is(err, sim.ErrNoProgress) {
				t.Fatalf("error %v", err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %q", err, want)
				}
			}
		})
	}
}
