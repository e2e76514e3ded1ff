package sim_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/topo"
)

// A run that stalls names the slot or block, who is missing, the first hop
// without packets and the last event.
func TestStalledRunSaysWhy(t *testing.T) {
	long(t)
	im := images(t)
	rack := func(system string) string { return "systems=[{system: " + system + ", topology: rack}]" }
	up := func(l topo.LinkSpec, port int, j *job.Job) { j.Plan.Switches[0].Ports[port].In = l }
	down := func(l topo.LinkSpec, port int, j *job.Job) { j.Plan.Switches[0].Ports[port].Out = l }
	for _, tc := range []struct {
		name  string
		set   []string
		at    func(topo.LinkSpec, int, *job.Job)
		every int
		is    error
		want  []string
	}{
		{"SwitchML, lost on the way up", []string{rack("switchml256"), "switchml.unscaled-pool=true", "switchml.pool=64"}, up, 50, sim.ErrStalled,
			[]string{"slot 49 (set 0, packet 1: the exponents of iteration 0) at tor waits for h3: it has 0b110111 (5 of 6)", "first hop without packets: h3:eth0->tor:p3 (", "last event: "}},
		{"SwitchML, lost on the way down", []string{rack("switchml256")}, down, 70, sim.ErrStalled,
			[]string{"h3 waits for the result of slot ", "which tor has sent", "first hop without packets: tor:p3->h3:eth0 ("}},
		{"SwitchML, sent again for ever", []string{rack("switchml256"), "switchml.retransmit=true", "switchml.timeout=20ms"}, down, 1, sim.ErrNoProgress,
			[]string{"h3 waits for the result of slot 0 (set 0, packet 1", "first hop without packets: tor:p3->h3:eth0 (", " in, 0 out)", "last event: "}},
		{"SwitchML, nothing ever comes", []string{rack("switchml256"), "switchml.retransmit=true", "switchml.timeout=20ms"}, up, 1, sim.ErrNoProgress,
			[]string{"at tor waits for h3: it has 0b110111 (5 of 6)", "first hop without packets: h3:eth0->tor:p3 (", "0 out)"}},
		{"Trio-ML, a result lost", []string{"systems=[{system: trioml, topology: mx480}]"}, down, 20, sim.ErrStalled,
			[]string{"waits for the result of block ", "which mx480/pfe", " has sent", "first hop without packets: mx480:et-", "->h"}},
		{"Trio-ML without timers, lost on the way up", []string{"systems=[{system: trioml, topology: mx480}]", "trio.aging=false"}, up, 20, sim.ErrStalled,
			[]string{"block 19 of iteration 0 at mx480/pfe", " waits for h", ": it has 0b", "first hop without packets: h"}},
		{"ring, nothing comes", []string{rack("ring")}, up, 1, nil, []string{"h3:eth0->tor:p3"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			j := jobs(t, append(tc.set, "iterations=2", "stragglers.p=[0%]", "scale=1000")...)[0]
			port := j.Plan.Hosts[3].SwitchPort
			link := j.Plan.Switches[0].Ports[port].In
			link.LossEvery = tc.every
			tc.at(link, port, j)
			_, err := sim.RunJob(t.Context(), j, im, nil)
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
				t.Fatalf("error %v, want %v", err, tc.is)
			}
			t.Log(err)
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it lacks %q", want)
				}
			}
		})
	}
}
