package scenarios

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/switchd/trio/lookup"
)

// own is a program with a name of every kind.
const own = `
struct limits_t { rate : 32; burst : 32; };
struct addr_t { addr : 32; };
struct source_t { bool blocked; : 63; packets : 64; };
counter seen;
sram limits_t limits[4];
sram word;
hash addr_t source_t sources;
route routes[2];
struct ip_t { src : 32; dst : 32; };
virtual ip_t *ip = HEAD_START + 26;
register route_reply_t r;
register u16 kind;
fields flow { ip->src, ip->dst, kind };
filter refused[2] on flow;
packet entry start;
timer tick entry start;
start: begin r = RouteLookup(routes, word); end
begin Forward(r.nexthop); exit; end
`

// indented is the program as a text below a key of an entry of transit.
func indented() string { return "|\n      " + strings.ReplaceAll(own, "\n", "\n      ") + "\n" }

const ownEntry = `
hosts: 4
topology: {generator: chassis-spine, leaves: 2, spines: 1}
systems: [{system: ring}]
transit:
  - program: own.mc
    source: `

// A program of one's own is laid out on the switches that it is meant for, with all that its entry
// says.
func TestMicrocodeInTransit(t *testing.T) {
	s := mustShort(t, ownEntry+indented()+`
    name: mine
    switch: mx0
    pfe: pfe2
    direction: egress
    records: 100
    instructions: 5000
    match: {dst: 10.1.0.0/16, protocol: udp, port: 53}
    next-hops: [{number: 0, to: routing}, {number: 7, to: h3}]
    timers: [{name: tick, period: 5ms, threads: 4}]
    memory:
      - {name: "limits[3].burst", value: 100}
      - {name: "limits[0].rate", value: 10.1.0.9}
      - {name: word, values: [5]}
    tables:
      - {name: sources, records: [{key: 10.1.0.2, blocked: true, packets: 0x10}]}
      - {name: routes, routes: [{to: 10.1.0.0/16, hop: 7}, {to: 10.2.0.1, hop: 0}]}
      - name: refused
        terms:
          - {name: one, match: {src: 10.1.0.0/16, "ip->dst": 10.1.0.2, kind: 0x10/0xf0}, value: 9}
          - {match: {kind: 3}}
`)
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	p := jobs[0].Transit[0]
	if len(p) != 1 || p[0].PFE != 1 || p[0].System != user.System || p[0].Name != "mine" || len(jobs[0].Transit[1]) != 0 {
		t.Fatalf("programs %+v", jobs[0].Transit)
	}
	var c user.Config
	if err := json.Unmarshal(p[0].Config, &c); err != nil {
		t.Fatal(err)
	}
	if c.Node != "mx0/pfe2" || c.Side != user.Egress || c.Records != 100 || c.Instructions != 5000 || c.File != "own.mc" {
		t.Errorf("node %q, side %q, records %d, instructions %d, file %q", c.Node, c.Side, c.Records, c.Instructions, c.File)
	}
	if want := (dataplane.Match{Dst: netip.MustParsePrefix("10.1.0.0/16"), Protocol: inet.ProtoUDP, Port: 53}); c.Match != want {
		t.Errorf("match %+v", c.Match)
	}
	if len(c.Hops) != 2 || !c.Hops[0].Routing || c.Hops[1].Number != 7 || len(c.Hops[1].Ports) != 1 {
		t.Errorf("hops %+v", c.Hops)
	}
	if len(c.Timers) != 1 || c.Timers[0].Period != 5*units.Millisecond || c.Timers[0].Threads != 4 {
		t.Errorf("timers %+v", c.Timers)
	}
	e, err := user.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"limits[3].burst": "100", "limits[0].rate": "167837705", "word": "5",
		"sources[10.1.0.2].blocked": "true", "sources[10.1.0.2].packets": "16",
	} {
		table, err := e.Look(0, dataplane.ViewSymbols, name, 1)
		if err != nil || len(table.Rows) != 1 || table.Rows[0][6].String() != want {
			t.Errorf("%s: %+v, %v; want %s", name, table.Rows, err, want)
		}
	}
	routes, err := e.Routes("routes")
	if err != nil || routes.Len() != 2 {
		t.Errorf("routes: %v", err)
	}
	filter, err := e.Filter("refused")
	if err != nil {
		t.Fatal(err)
	}
	want := []lookup.Term{
		{Name: "one", Match: []lookup.Match{{Value: 0x0a010000, Mask: 0xffff0000}, {Value: 0x0a010002, Mask: 0xffffffff}, {Value: 0x10, Mask: 0xf0}}, Value: 9},
		{Match: []lookup.Match{{}, {}, {Value: 3, Mask: 0xffff}}},
	}
	if diff := cmp.Diff(want, filter.Terms()); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
}

// Without next hops, 0 is routing; the file stands beside the scenario, and the resolved scenario
// has its text.
func TestMicrocodeFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pass.mc"), []byte("packet entry e; e: begin Forward(0); exit; end"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := short + "systems: [{system: ring}]\ntransit: [{program: pass.mc}]\n"
	s, err := Load(Source{Name: filepath.Join(dir, "s.yaml"), Text: []byte(text)}, system.All())
	if err != nil {
		t.Fatal(err)
	}
	if h := s.Transit[0].Microcode.Hops; len(h) != 1 || h[0].To != user.Routing || s.Transit[0].Program != "pass" {
		t.Errorf("%+v", s.Transit[0])
	}
	out, err := s.MarshalYAML()
	if err != nil || !strings.Contains(string(out), "begin Forward(0)") {
		t.Errorf("%v: the resolved scenario lacks the program:\n%s", err, out)
	}
	if _, err := Load(Source{Name: "elsewhere.yaml", Text: out}, system.All()); err != nil {
		t.Errorf("the resolved scenario is refused: %v", err)
	}
}

// What is wrong is said where it stands, with file, line and rule of the program where it is there.
func TestBadMicrocode(t *testing.T) {
	for rest, want := range map[string]string{
		"    timers: [{name: tock, period: 1s}]\n":                                                                         `transit[0].timers[0].name: "tock": program own.mc has no such timer entry: it has tick`,
		"    timers: [{name: tick, period: 0s}]\n":                                                                         "transit[0].timers[0].period: write a time above 0",
		"    memory: [{name: limit, value: 1}]\n":                                                                          `did you mean "limits"?`,
		"    memory: [{name: \"limits[0].rate\", value: 4294967296}]\n":                                                    "transit[0].memory[0].value: bad-value: limits[0].rate: 4294967296 does not fit 32 bits",
		"    memory: [{name: \"limits\", values: [1]}]\n":                                                                  "name one of its fields",
		"    memory: [{name: word}]\n":                                                                                     "write one of value and values",
		"    memory: [{name: word, value: 1, size: 2}]\n":                                                                  `unknown key "size"`,
		"    tables: [{name: sources, records: [{blocked: true}]}]\n":                                                      "a record of sources has a key, and fields",
		"    tables: [{name: sources, records: [{key: 1, bocked: 1}]}]\n":                                                  `did you mean "blocked"?`,
		"    tables: [{name: sources}]\n":                                                                                  "write one of records, routes and terms",
		"    tables: [{name: rotes, routes: [{to: 10.0.0.0/8, hop: 1}]}]\n":                                                `declares no route rotes; did you mean "routes"?`,
		"    tables: [{name: routes, routes: [{to: 10.0.0.1/8, hop: 1}]}]\n":                                               "transit[0].tables[0].routes[0].to",
		"    tables: [{name: routes, routes: [{to: 10.0.0.1, hop: 1}, {to: 10.0.0.2, hop: 1}, {to: 10.0.0.3, hop: 1}]}]\n": "transit[0].tables[0].routes[2].to",
		"    tables: [{name: refsed, terms: [{value: 1}]}]\n":                                                              `transit[0].tables[0].name: program own.mc declares no filter refsed; did you mean "refused"?`,
		"    tables: [{name: routes, terms: [{value: 1}]}]\n":                                                              "declares no filter routes: that is a route, declared at own.mc:9:1",
		"    tables: [{name: refused, routes: [{to: 10.0.0.1, hop: 1}]}]\n":                                                "declares no route refused: that is a filter, declared at own.mc:15:1",
		"    tables: [{name: refused, terms: [{match: {source: 1}}]}]\n":                                                   `filter refused has no field "source": its fields are ip->src, ip->dst, kind (own.mc:14:1)`,
		"    tables: [{name: refused, terms: [{match: {src: 10.1.0.1/16}}]}]\n":                                            "write 10.1.0.0/16",
		"    tables: [{name: refused, terms: [{match: {kind: 65536}}]}]\n":                                                 "field kind of filter refused: 65536 does not fit 16 bits",
		"    tables: [{name: refused, terms: [{name: a, value: 4294967296}]}]\n":                                           "transit[0].tables[0].terms[0].value",
		"    tables: [{name: refused, terms: [{name: 7}]}]\n":                                                              `"7": terms are called by words`,
		"    tables: [{name: refused, terms: [{name: a}, {name: a}]}]\n":                                                   "term a is given twice",
		"    tables: [{name: refused, terms: [{}, {}, {}]}]\n":                                                             "3 terms: the filter holds 2",
		"    records: 1\n    tables: [{name: sources, records: [{key: 1, packets: 1}, {key: 2, packets: 1}]}]\n":           "all 1 records of the hash table are taken",
		"    next-hops: [{number: 1, to: h99}]\n":                                                                          `transit[0].next-hops[0].to: next hop 1: "h99" is neither routing`,
		"    next-hops: [{number: 70000, to: h1}]\n":                                                                       "transit[0].next-hops[0].number",
		"    next-hops: [{number: 1, to: h1}, {number: 1, to: h2}]\n":                                                      "next hop 1 is given twice",
		"    match: {protocol: sctp}\n":                                                                                    "allowed are icmp, tcp, udp, and numbers from 1 to 255",
		"    match: {dst: 10.1.0.1/16}\n":                                                                                  "has bits behind its length: write 10.1.0.0/16",
		"    instructions: -1\n":                                                                                           "transit[0].instructions: -1: allowed are 1 to 1073741824",
		"    direction: both\n":                                                                                            `"both": allowed are ingress, egress`,
		"    config: {rate: 1}\n":                                                                                          "a program of one's own has none",
		"    collector: h1\n":                                                                                              "names where it sends",
	} {
		s, err := loadShort(t, ownEntry+indented()+rest)
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", rest, err, want)
		}
	}
	for entry, want := range map[string]string{
		"{program: nowhere.mc}": "transit[0].program: open nowhere.mc",
		"{program: own.mc, source: \"packet entry e; e: begin r = 1; exit; end\"}": "own.mc:1:26",
		"{program: police, name: x}": "police is no program of one's own",
	} {
		if _, err := loadShort(t, "systems: [{system: ring}]\ntransit: ["+entry+"]\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", entry, err, want)
		}
	}
}

// Programs that cannot be beside each other are refused before the run, where the later one
// stands.
func TestMicrocodeTogether(t *testing.T) {
	const one = "  - {program: a.mc, source: \"packet entry e; e: begin Forward(0); exit; end\""
	for entries, want := range map[string]string{
		one + "}\n" + one + ", name: b}\n":                                                         `short.yaml:7:5: transit[1]: chassis "tor": program "b" of engine would have no frame: of those that arrive, "a" before it has all frames`,
		one + ", match: {port: 53, protocol: udp}}\n" + one + ", match: {protocol: tcp}}\n":        `transit[1]: chassis "tor": two programs of engine are called "a": give one another name`,
		"  - {program: filter}\n" + one + "}\n":                                                    `program "a" of engine would have no frame`,
		one + ", match: {dst: 10.1.0.1}, records: 90000}\n" + one + ", name: b, records: 90000}\n": `program a.mc needs 5.493MiB of SRAM`,
	} {
		s, err := loadShort(t, "systems: [{system: ring}]\ntransit:\n"+entries)
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", entries, err, want)
		}
	}
	s := mustShort(t, "systems: [{system: ring}]\ntransit:\n"+one+", match: {protocol: udp}}\n"+one+", name: b}\n  - {program: filter}\n")
	if _, err := s.Jobs(true); err == nil || !strings.Contains(err.Error(), "transit[2]") {
		t.Errorf("a filter behind a program that has all frames: %v", err)
	}
}
