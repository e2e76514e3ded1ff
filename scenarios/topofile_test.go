package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/units"
)

// ownRack is a topology file of four hosts whose names are their own.
const ownRack = `apiVersion: inalab/v1
kind: Topology
name: own
nodes:
  tor: {kind: switch}
  a: {kind: host}
  b: {kind: host}
  c: {kind: host}
  d: {kind: host}
links:
  - {endpoints: [a, tor]}
  - {endpoints: [b, tor], rate: 10Gbit/s}
  - {endpoints: [c, tor]}
  - {endpoints: [d, tor]}
schedule:
  - {time: 2s, link: {at: d, rate: 1Gbit/s}}
`

// loadBeside loads a scenario that stands in a directory with topology files.
func loadBeside(t *testing.T, text string, files map[string]string) (*Scenario, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text = "apiVersion: inalab/v1\nkind: Scenario\nname: own\niterations: 2\nscale: 100\nmodel: {size: 1MiB}\n" + text
	return Load(Source{Name: filepath.Join(dir, "own.scenario.yaml"), Text: []byte(text)}, system.All())
}

// A scenario runs on a file: its hosts, its rates, and its changes in mid-run beside the scenario's own.
func TestTopologyFile(t *testing.T) {
	s, err := loadBeside(t, "topology: own.topo.yaml\nsystems: [{system: ring}]\nat: [{time: 1s, link: {at: a, delay: 9us}}]\n", map[string]string{"own.topo.yaml": ownRack})
	if err != nil {
		t.Fatal(err)
	}
	for _, virtual := range []bool{true, false} {
		sets, err := s.Sets(virtual)
		if err != nil {
			t.Fatal(err)
		}
		j := sets[0].First()
		if hosts := j.Hosts(); len(hosts) != 4 || hosts[1].Name != "b" {
			t.Errorf("workers are on %+v", hosts)
		}
		if in := j.Plan.Switches[0].Ports[1].In; in.Rate != 100*units.MbitPerSecond || in.Delay != units.Microsecond {
			t.Errorf("the link of b is %+v", in) // its rate the file's, its delay the scenario's
		}
		if len(j.Changes) != 4 || j.Changes[0].From.Node != "a" || j.Changes[2].From.Node != "d" || j.Changes[2].Spec.Rate != 10*units.MbitPerSecond {
			t.Errorf("links change as %+v", j.Changes)
		}
	}
}

// Fewer workers than hosts leave hosts idle, servers stand behind them, and jobs name hosts as the file does.
func TestHostsOfATopologyFile(t *testing.T) {
	files := map[string]string{"own.topo.yaml": ownRack}
	for text, want := range map[string]string{
		"hosts: 2\nsystems: [{system: ring}]\n":                "a b",
		"systems: [{system: ps}]\n":                            "a b c d",
		"systems: [{system: atp}]\n":                           "a b c | d",
		"systems: [{system: ring}]\njobs: [{hosts: [d, b]}]\n": "d b",
	} {
		s, err := loadBeside(t, "topology: own.topo.yaml\n"+text, files)
		if err != nil {
			t.Fatal(err)
		}
		sets, err := s.Sets(true)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		j := sets[0].First()
		for i, h := range j.Members() {
			if i == len(j.Hosts()) {
				names = append(names, "|")
			}
			names = append(names, h.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: hosts are %s, want %s", text, got, want)
		}
	}
}

// The resolved scenario needs no other file.
func TestTopologyFileIsKept(t *testing.T) {
	s, err := loadBeside(t, "topology: own.topo.yaml\nsystems: [{system: ring}]\n", map[string]string{"own.topo.yaml": ownRack})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(Source{Name: "elsewhere/scenario.yaml", Text: text}, system.All())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if sets, err := again.Sets(true); err != nil || len(sets[0].First().Hosts()) != 4 {
		t.Errorf("%v", err)
	}
}

// What a topology file and a scenario cannot have together is refused where it stands.
func TestTopologyFileRefused(t *testing.T) {
	with := func(engine string) map[string]string {
		return map[string]string{"own.topo.yaml": strings.Replace(ownRack, "kind: switch", "kind: switch, engine: "+engine, 1)}
	}
	ring := "topology: own.topo.yaml\nsystems: [{system: ring}]\n"
	for _, c := range []struct {
		text, want string
		files      map[string]string
	}{
		{"topology: no.topo.yaml\nsystems: [{system: ring}]\n", "no.topo.yaml: there is no such file: name a file beside the scenario", nil},
		{"topology: {file: own.topo.yaml, leaves: 2}\nsystems: [{system: ring}]\n", "leave out generator and counts", with("trio")},
		{ring, `own.topo.yaml:5:31: nodes.tor.engine: there is no engine "abacus": allowed are forward, reference, tofino, trio, xdp`, with("abacus")},
		{"topology: own.topo.yaml\nsystems: [{system: trioml}]\n", "switch tor has engine tofino, and trioml runs there on trio", with("tofino")},
		{"topology: own.topo.yaml\nsystems: [{system: trioml}]\n", "a knob of trioml has it run on reference", with("reference")},
		{"topology: own.topo.yaml\nsystems: [{system: switchml256}]\n", "on this file run ring, ", with("forward")},
		{"hosts: 9\n" + ring, "topology own has 4 hosts, and 9 are needed", with("trio")},
		{"at: [{time: 1s, link: {at: h0, delay: 9us}}]\n" + ring, "no link of topology own is at h0: its nodes are tor, a, b, c, d", with("trio")},
	} {
		s, err := loadBeside(t, c.text, c.files)
		if err == nil {
			_, err = s.Sets(true)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// An engine that is the system's, or of which it takes nothing, is no contradiction.
func TestEnginesThatAgree(t *testing.T) {
	for engine, systems := range map[string]string{"tofino": "[{system: switchml256}, {system: ring}, {system: atp}]", "trio": "[{system: trioml}]", "forward": "[{system: ring}, {system: xagg}]", "xdp": "[{system: xagg}]"} {
		s, err := loadBeside(t, "topology: own.topo.yaml\nsystems: "+systems+"\n", map[string]string{"own.topo.yaml": strings.Replace(ownRack, "kind: switch", "kind: switch, engine: "+engine, 1)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sets(true); err != nil {
			t.Errorf("%s: %v", engine, err)
		}
	}
}

// A switch runs the program that its file names, and the resolved scenario keeps its text.
func TestProgramOfATopologyFile(t *testing.T) {
	const count = "counter seen;\npacket entry start;\nstart: begin CounterIncPhys(seen, 1); end\nbegin Forward(0); exit; end\n"
	s, err := loadBeside(t, "topology: own.topo.yaml\nsystems: [{system: ring}]\n", map[string]string{
		"own.topo.yaml": strings.Replace(ownRack, "kind: switch", "kind: switch, program: count.mc", 1), "count.mc": count,
	})
	if err != nil {
		t.Fatal(err)
	}
	sets, err := s.Sets(true)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := s.MarshalYAML(); err != nil || !strings.Contains(string(text), "CounterIncPhys") {
		t.Errorf("the resolved scenario lacks the program: %v", err)
	}
	if got := sets[0].First().Transit; len(got) != 1 || got[0][0].Name != "count" {
		t.Errorf("programs in transit: %+v", got)
	}
}

// A sweep over topology files is written with their texts and without a number of workers that would not be theirs: it
// reads again as the same points, though the files have gone.
func TestSweepsOverTopologyFilesAreWhole(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, hosts int) {
		text := "apiVersion: inalab/v1\nkind: Topology\nname: " + name + "\nnodes:\n  tor: {kind: switch}\n"
		links := "links:\n"
		for i := range hosts {
			text += fmt.Sprintf("  n%d: {kind: host}\n", i)
			links += fmt.Sprintf("  - {endpoints: [n%d, tor]}\n", i)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".topo.yaml"), []byte(text+links), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file("two", 2)
	file("three", 3)
	for rest, want := range map[string]string{
		"topology: two.topo.yaml\nsweep: [iterations: [1, 2]]\n":                                                "2 2",
		"sweep: [topology: [two.topo.yaml, three.topo.yaml]]\n":                                                 "2 3",
		"topology: three.topo.yaml\nhosts: 2\nsweep: [iterations: [1, 2]]\n":                                    "2 2",
		"hosts: 3\nsweep: [iterations: [1, 2]]\nsystems: [{system: ring, topology: {file: three.topo.yaml}}]\n": "3 3",
	} {
		if !strings.Contains(rest, "systems") {
			rest += "systems: [ring]\n"
		}
		workers := func(name, text string) string {
			jobs, err := mustLoad(t, name, text).Jobs(true)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			var out []string
			for _, j := range jobs {
				out = append(out, fmt.Sprint(len(j.Hosts())))
			}
			return strings.Join(out, " ")
		}
		here := filepath.Join(dir, "f.scenario.yaml")
		if got := workers(here, rest); got != want {
			t.Errorf("%s: workers %s, want %s", rest, got, want)
		}
		text, err := mustLoad(t, here, rest).MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		if got := workers(filepath.Join(t.TempDir(), "f.scenario.yaml"), string(text)); got != want {
			t.Errorf("written and read again: workers %s, want %s\n%s", got, want, text)
		}
	}
}
