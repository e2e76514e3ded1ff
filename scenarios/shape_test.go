package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// short is a scenario of a few lines: the rest is as in defaults.yaml.
const short = `apiVersion: inalab/v1
kind: Scenario
name: short
`

func loadShort(t *testing.T, rest string, set ...string) (*Scenario, error) {
	t.Helper()
	return Load(Source{Name: "short.yaml", Text: []byte(short + rest), Set: set}, system.All())
}

func mustShort(t *testing.T, rest string, set ...string) *Scenario {
	t.Helper()
	s, err := loadShort(t, rest, set...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// specs returns the direction of a link, which must be there.
func specs(t *testing.T, s *Scenario, system int, from, to string) topo.LinkSpec {
	t.Helper()
	sys := s.Systems[system]
	g, _, err := s.graph(sys.Topology, s.workers(sys))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range g.Links {
		if l.A.Node == from && l.B.Node == to {
			return l.AtoB
		}
		if l.B.Node == from && l.A.Node == to {
			return l.BtoA
		}
	}
	t.Fatalf("no link from %s to %s in %v", from, to, g.Links)
	return topo.LinkSpec{}
}

func TestShapes(t *testing.T) {
	s := mustShort(t, `
hosts: 8
scale: 10
topology: {generator: leaf-spine, leaves: 4, spines: 2}
systems: [{system: ring}, {system: switchml256, topology: {generator: tree, depth: 2, fan-out: 3, hosts: 6}}, {system: ring, topology: rack}]
`)
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range jobs {
		got = append(got, fmt.Sprintf("%s %s %d hosts %d switches", j.System.Name(), j.Plan.Name, len(j.Plan.Hosts), len(j.Plan.Switches)))
	}
	want := "ring leaf-spine 8 hosts 6 switches\nswitchml256 tree 6 hosts 4 switches\nring rack 8 hosts 1 switches"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if err := s.SetTopology("rack"); err != nil {
		t.Fatal(err)
	}
	text, err := s.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	if again := mustShort(t, strings.SplitN(string(text), "name: short\n", 2)[1]); again.Systems[1].Topology.Generator != "rack" {
		t.Errorf("a topology for all systems is written as\n%s", text)
	}
}

func TestLinksOfATopology(t *testing.T) {
	s := mustShort(t, `
hosts: 8
scale: 10
link: {rate: 100Gbit/s, delay: 1us, queue: 10MB}
uplink: {rate: 400Gbit/s, loss: 0.5%}
links:
  - {at: h3, rate: 10Gbit/s}
  - {from: "h*", loss: 1%, burst: 8}
  - {to: h2, jitter: 1us}
systems:
  - system: ring
    topology:
      generator: leaf-spine
      leaves: 2
      links:
        - {from: leaf0, to: "spine*", ecn: {threshold: 100KB}}
        - {to: h0, ecn: {min: 50KB, max: 150KB, p: 10%, weight: 0.002}, queue: 1MB}
  - system: ring
`)
	bursts, err := topo.MeanBursts(0.01, 8)
	if err != nil {
		t.Fatal(err)
	}
	host := topo.LinkSpec{Rate: 10 * units.GbitPerSecond, Delay: units.Microsecond, Queue: 1_000_000}
	up := topo.LinkSpec{Rate: 40 * units.GbitPerSecond, Delay: units.Microsecond, Queue: 1_000_000, Loss: 0.005}
	for _, c := range []struct {
		system   int
		from, to string
		want     func() topo.LinkSpec
	}{
		{0, "leaf0", "h1", func() topo.LinkSpec { return host }},
		{0, "h1", "leaf0", func() topo.LinkSpec { l := host; l.Bursts = bursts; return l }},
		{0, "leaf0", "h3", func() topo.LinkSpec { l := host; l.Rate /= 10; return l }},
		{0, "h3", "leaf0", func() topo.LinkSpec { l := host; l.Rate /= 10; l.Bursts = bursts; return l }},
		{0, "leaf1", "spine0", func() topo.LinkSpec { return up }},
		{0, "spine0", "leaf0", func() topo.LinkSpec { return up }},
		{0, "leaf0", "spine1", func() topo.LinkSpec { l := up; l.Marking = topo.Marking{Min: 10_000, Max: 10_000}; return l }},
		{0, "leaf0", "h0", func() topo.LinkSpec {
			l := host
			l.Queue, l.Marking = 100_000, topo.Marking{Min: 5_000, Max: 15_000, P: 0.1, Weight: 0.002}
			return l
		}},
		{1, "tor", "h0", func() topo.LinkSpec { return host }},
		{1, "tor", "h2", func() topo.LinkSpec { l := host; l.Jitter = units.Microsecond; return l }}, // as long as the delay that it has
	} {
		if got := specs(t, s, c.system, c.from, c.to); got != c.want() {
			t.Errorf("system %d, %s to %s: got %+v, want %+v", c.system, c.from, c.to, got, c.want())
		}
	}
}

func TestBadShapesAndLinks(t *testing.T) {
	const ring = "systems: [{system: ring}]\n"
	for rest, want := range map[string]string{
		"topology: {generator: tree, depth: 2}\n" + ring:                                          "tree: fan-out is missing: it takes hosts, depth, fan-out",
		"topology: {generator: rack, leaves: 2}\n" + ring:                                         "rack: leaves 2: it takes hosts",
		"topology: {generator: leafspine}\n" + ring:                                               `topology.generator: "leafspine": allowed are rack, leaf-spine`,
		"topology: {generator: rack, hosts: 1}\n" + ring:                                          "topology.hosts: 1: allowed are 2",
		"topology: {generator: rack, racks: two}\n" + ring:                                        "a whole number is needed here",
		"topology: {generator: rack, rack: 2}\n" + ring:                                           `unknown key "rack"`,
		"links: [{at: h9, rate: 1Gbit/s}]\n" + ring:                                               "links[0]: no link of topology rack is at h9: its nodes are tor, h0, h1, h2, h3, h4, h5",
		"links: [{from: h0, to: h1, loss: 1%}]\n" + ring:                                          "no link of topology rack is from h0 to h1",
		"links: [{at: h0, jitter: 2us}]\n" + ring:                                                 "2us exceeds the delay of 1us",
		"link: {loss: 90%}\nlinks: [{at: h0, burst: 2}]\n" + ring:                                 "give bursts of 9 frames or more",
		"links: [{rate: 1Gbit/s}]\n" + ring:                                                       "which links? Write at: h0",
		"links: [{at: h0, from: h1, rate: 1Gbit/s}]\n" + ring:                                     "which links? Write at: h0",
		"link: {loss: 1}\n" + ring:                                                                "link.loss: probability 1 is 100%: write 100% if that is meant, else 1%",
		"link: {loss: 1%, burst: 0.5}\n" + ring:                                                   "link.burst: 0.5: write the mean length of a burst in frames",
		"link: {loss: 90%, burst: 2}\n" + ring:                                                    "give bursts of 9 frames or more",
		"link: {burst: 2, gilbert-elliott: {enter: 1%, leave: 9%, bad: 1%}}\n":                    "gilbert-elliott says how long bursts are",
		"link: {gilbert-elliott: {enter: 1%, leave: 0%, bad: 100%}}\n" + ring:                     "a link that turns bad never turns good again",
		"link: {ecn: {threshold: 1KB, p: 1%}}\n" + ring:                                           "a threshold stands alone",
		"link: {ecn: {min: 1KB, max: 2KB}}\n" + ring:                                              "give a threshold, as in {threshold: 100KB}, or a slope",
		"link: {ecn: {min: 2KB, max: 2KB, p: 1%}}\n" + ring:                                       "min and max are the same: write a threshold",
		"link: {rate: unlimited, ecn: {threshold: 1KB}}\n" + ring:                                 "marking needs a rate",
		"link: {loss: 1%}\nsystems: [{system: trioml}]\n":                                         "Trio-ML has no loss recovery",
		"link: {loss: 1%}\nswitchml: {retransmit: false}\n" + "systems: [{system: switchml64}]\n": "set switchml.retransmit: true",
	} {
		s, err := loadShort(t, rest)
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", rest, err, want)
		}
	}
}
