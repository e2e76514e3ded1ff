package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// Changes are in the order of time, those of one time in that of the file. What one leaves out is
// as earlier ones left it, rates and queues are divided by the scale, losses end with 0.
func TestLinksChangeAtTimes(t *testing.T) {
	s := mustShort(t, `
hosts: 2
scale: 10
link: {rate: 100Gbit/s, delay: 2us, queue: 10MB}
links: [{from: h0, loss: 2%, loss-every: 5}, {from: h1, loss-every: 7}, {to: h0, loss-every: 9}, {to: h0, loss-every: 0}]
systems: [{system: ring}]
at:
  - {time: 4s, link: {from: "h*", loss: 0%}}
  - {time: 4s, link: {from: h0, loss-every: 0}}
  - {time: 500ms, link: {at: h0, rate: 10Gbit/s}}
  - {time: 0s, link: {to: h1, delay: 1us, jitter: 1us, ecn: {threshold: 100KB}}}
  - {time: 5s, link: {to: h1, ecn: {threshold: 0B}, rate: unlimited}}
`)
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	base := topo.LinkSpec{Rate: 10 * units.GbitPerSecond, Delay: 2 * units.Microsecond, Queue: 1_000_000}
	from0, from1, to1 := base, base, base
	from0.Loss, from0.LossEvery, from1.LossEvery = 0.02, 5, 7
	to1.Delay, to1.Jitter, to1.Marking = units.Microsecond, units.Microsecond, topo.Marking{Min: 10_000, Max: 10_000}
	h := func(i int) topo.End { return topo.End{Node: fmt.Sprintf("h%d", i), Port: "eth0"} }
	tor := func(i int) topo.End { return topo.End{Node: "tor", Port: fmt.Sprintf("p%d", i)} }
	at := func(d units.Duration, from, to topo.End, spec topo.LinkSpec, change func(*topo.LinkSpec)) job.LinkChange {
		change(&spec)
		return job.LinkChange{At: units.Time(d), From: from, To: to, Spec: spec}
	}
	slow := func(l *topo.LinkSpec) { l.Rate /= 10 }
	want := []job.LinkChange{
		at(0, tor(1), h(1), to1, func(*topo.LinkSpec) {}),
		at(500*units.Millisecond, h(0), tor(0), from0, slow),
		at(500*units.Millisecond, tor(0), h(0), base, slow),
		at(4*units.Second, h(0), tor(0), from0, func(l *topo.LinkSpec) { slow(l); l.Loss = 0 }),
		at(4*units.Second, h(1), tor(1), from1, func(*topo.LinkSpec) {}),
		at(4*units.Second, h(0), tor(0), from0, func(l *topo.LinkSpec) { slow(l); l.Loss, l.LossEvery = 0, 0 }),
		at(5*units.Second, tor(1), h(1), to1, func(l *topo.LinkSpec) { l.Rate, l.Marking = 0, topo.Marking{} }),
	}
	if diff := cmp.Diff(want, jobs[0].Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if in := jobs[0].Plan.Switches[0].Ports[0].In; in != from0 {
		t.Errorf("the link at first is %+v", in)
	}
	if got, want := s.At[1].String(), "at 500ms: links at h0 become {rate: 10Gbit/s}"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	text, err := s.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := mustShort(t, strings.SplitN(string(text), "name: short\n", 2)[1]).Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again[0].Changes); diff != "" {
		t.Errorf("behind writing and reading (-want +got):\n%s", diff)
	}
}

// A set of jobs has the changes once, and every system has those of its own topology.
func TestChangesOfTenantsAndTopologies(t *testing.T) {
	jobs, err := mustShort(t, `systems: [{system: switchml256}]
jobs: [{hosts: [h0, h1]}, {hosts: [h2, h3]}]
at: [{time: 1s, link: {at: h0, rate: 1Gbit/s}}]
`).Jobs(true)
	if err != nil || len(jobs) != 2 || len(jobs[0].Changes) != 2 || len(jobs[1].Changes) != 0 {
		t.Errorf("%d jobs, error %v", len(jobs), err)
	}
	jobs, err = mustShort(t, `systems: [{system: ring, topology: {generator: leaf-spine, leaves: 3}}, {system: trioml, topology: mx480}]
uplink: {rate: 400Gbit/s}
at: [{time: 1s, link: {to: h0, rate: 1Gbit/s}}]
`).Jobs(true)
	if err != nil || jobs[0].Changes[0].From.Node != "leaf0" || jobs[1].Changes[0].From.Node != "mx480" {
		t.Errorf("error %v, changes %v and %v", err, jobs[0].Changes, jobs[1].Changes)
	}
}

func TestBadEvents(t *testing.T) {
	const ring = "systems: [{system: ring}]\n"
	for _, c := range []struct{ rest, want string }{
		{ring + "at: [{link: {at: h0, rate: 1Gbit/s}}]", `short.yaml:5:6: at[0]: it has no time: write one, from the start of the run, as in time: 2s
  at: [{link: {at: h0, rate: 1Gbit/s}}]
       ^`},
		{ring + "at: [{time: -2s, link: {at: h0, rate: 1Gbit/s}}]", `short.yaml:5:13: at[0].time: time "-2s" is negative: it must be zero or more
  at: [{time: -2s, link: {at: h0, rate: 1Gbit/s}}]
              ^`},
		{ring + "at: [{time: 2, link: {at: h0, rate: 1Gbit/s}}]", `short.yaml:5:13: at[0].time: time "2" has no unit: write s, ms, us, ns or ps, as in "2ms"
  at: [{time: 2, link: {at: h0, rate: 1Gbit/s}}]
              ^`},
		{ring + "at: [{time: 90000s, link: {at: h0, rate: 1Gbit/s}}]", `short.yaml:5:13: at[0].time: 90000s after the start of the run: allowed are 0s to 86400s
  at: [{time: 90000s, link: {at: h0, rate: 1Gbit/s}}]
              ^`},
		{ring + "at: [{time: 2s}]", `short.yaml:5:6: at[0]: nothing happens then: write what, one of link, kill, stop, start, forget, raise
  at: [{time: 2s}]
       ^`},
		{ring + "at: [{time: 2s, lnk: {at: h0}}]", `short.yaml:5:17: unknown key "lnk"; did you mean "link"?
  at: [{time: 2s, lnk: {at: h0}}]
                  ^`},
		{ring + "at: [{time: 2s, link: {rate: 1Gbit/s}}]", `short.yaml:5:23: at[0].link: which links? Write at: h0 for both directions of its links, or from: and to: for one
  at: [{time: 2s, link: {rate: 1Gbit/s}}]
                        ^`},
		{ring + "at: [{time: 2s, link: {at: h0}}]", `short.yaml:5:23: at[0].link: nothing of the links changes: write what they become, as in rate: 10Gbit/s
  at: [{time: 2s, link: {at: h0}}]
                        ^`},
		{ring + "at: [{time: 2s, link: {at: h0, rate: 1}}]", `short.yaml:5:38: at[0].link.rate: rate "1" has no unit: write bit/s, Kbit/s, Mbit/s, Gbit/s or Tbit/s, as in "1Gbit/s"
  at: [{time: 2s, link: {at: h0, rate: 1}}]
                                       ^`},
		{ring + "at: [{time: 1s, link: {at: h0, rate: 1Gbit/s}}, {time: 2s, link: {at: h9, rate: 1Gbit/s}}]", `short.yaml:5:66: at[1].link: no link of topology rack is at h9: its nodes are tor, h0, h1, h2, h3, h4, h5
  at: [{time: 1s, link: {at: h0, rate: 1Gbit/s}}, {time: 2s, link: {at: h9, rate: 1Gbit/s}}]
                                                                   ^`},
		{ring + "at: [{time: 1s, link: {at: h0, jitter: 2us}}]", `short.yaml:5:40: at[0].link.jitter: 2us exceeds the delay of 1us: frames would arrive before they were sent
  at: [{time: 1s, link: {at: h0, jitter: 2us}}]
                                         ^`},
		{ring + "at: [{time: 1s, link: {to: h0, rate: unlimited, ecn: {threshold: 1KB}}}]", `short.yaml:5:6: at[0]: link h0:eth0 - tor:p0: towards h0: marking needs a rate: nothing waits for a line without one
  at: [{time: 1s, link: {to: h0, rate: unlimited, ecn: {threshold: 1KB}}}]
       ^`},
	} {
		s, err := loadShort(t, c.rest+"\n")
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.rest, err, c.want)
		}
	}
}

// A system that does not make good for lost frames is refused where a change would make links
// lose some, by name; with if-possible it is left out.
func TestChangesThatLoseFrames(t *testing.T) {
	const at = "at: [{time: 1s, link: {from: h1, loss: 1%}}, {time: 2s, link: {from: h1, loss: 0%}}]\n"
	_, err := mustShort(t, "systems: [{system: switchml256}]\nswitchml: {retransmit: false}\n"+at).Sets(true)
	const want = "scenario short, switchml256 on rack: short.yaml:6:6: at[0]: link h1:eth0->tor:p1 at 1s: "
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "set switchml.retransmit: true\n") {
		t.Errorf("error %v, want %s...", err, want)
	}
	s := mustShort(t, "systems: [{system: switchml256, if-possible: true}, {system: ring}]\nswitchml: {retransmit: false}\n"+at)
	if sets, err := s.Sets(true); err != nil || len(sets) != 1 || len(s.LeftOut(true)) != 1 {
		t.Errorf("%d sets, left out %q, error %v", len(sets), s.LeftOut(true), err)
	}
	if _, err := mustShort(t, "systems: [{system: switchml256}]\nswitchml: {retransmit: true}\n"+at).Sets(true); err != nil {
		t.Error(err)
	}
}
