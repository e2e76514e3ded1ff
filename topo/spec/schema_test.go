package spec_test

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/yamlschema"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/linktext"
	"github.com/inalab/inalab/topo/spec"
)

// keys says what the keys of a topology file mean.
var keys = map[reflect.Type]map[string]yamlschema.Key{
	reflect.TypeFor[spec.File](): {
		"apiVersion":  {Text: "version of this format", Words: []string{spec.APIVersion}},
		"kind":        {Text: "what the file is", Words: []string{spec.FileKind}},
		"name":        {Text: "of the topology: a-z, 0-9 and -"},
		"description": {Text: "what it is for, in a line"},
		"defaults":    {Text: "what holds where nodes and links say nothing"},
		"kinds":       {Text: "kinds of nodes, by name, beside host, switch and chassis"},
		"nodes":       {Text: "nodes by name; indexes and addresses follow their order"},
		"links":       {Text: "links, each by its two ends"},
		"impair":      {Text: "what some links do to frames, by patterns of nodes"},
		"schedule":    {Text: "links that change in mid-run"},
	},
	reflect.TypeFor[spec.Defaults](): {
		"mtu":    {Text: "bytes of the largest IP packet"},
		"link":   {Text: "every link, each way"},
		"uplink": {Text: "what differs between switches"},
		"fabric": {Text: "between two PFEs of a chassis, each way"},
	},
	reflect.TypeFor[spec.Kind](): {"is": {Text: "what it is at heart", Words: []string{"host", "switch", "chassis"}}},
	reflect.TypeFor[spec.Node](): {"kind": {Text: "host, switch, chassis, or one of kinds"}},
	reflect.TypeFor[spec.Traits](): {
		"engine":  {Text: "what runs programs in the switch; left out: what the system needs", Words: scenarios.Engines(system.All())},
		"program": {Text: "file of a Microcode program that all frames pass, from this file's directory"},
		"tier":    {Text: "0 where hosts attach; left out: links to the nearest switch with hosts"},
		"ports":   {Text: "names of ports, in their order; left out: those that links need"},
		"cards":   {Text: "line cards of a chassis"},
		"top":     {Text: "PFE that aggregates at top level; left out: pfe1"},
		"fabric":  {Text: "between two PFEs, where it differs from the default"},
	},
	reflect.TypeFor[spec.Card](): {
		"slot":  {Text: "where it stands; left out: its place in the list, from 0"},
		"pfes":  {Text: "packet forwarding engines: pfe1, pfe2, ... over the whole chassis"},
		"ports": {Text: "of each PFE: et-<slot>-<PFE of the card>-<number>"},
	},
	reflect.TypeFor[spec.Link](): {
		"endpoints": {Text: "two nodes, or nodes and ports, as [h0, tor:p0]"},
		"a-to-b":    {Text: "what differs from the first end to the second"},
		"b-to-a":    {Text: "what differs from the second end to the first"},
	},
	reflect.TypeFor[spec.Timed](): {
		"time": {Text: "from the start of the run", Form: yamlschema.Time},
		"link": {Text: "which links become what; the rest stays as it was"},
	},
}

// words are those of keys of links that take no others.
var words = map[string][]string{"distribution": topo.DistributionWords()}

// keyOf says what a key means. Those of links are the same in scenarios, whose page tells them.
func keyOf(t *testing.T) func(reflect.Type, string) yamlschema.Key {
	sections, err := scenarios.Fields(system.All())
	if err != nil {
		t.Fatal(err)
	}
	names := map[reflect.Type]string{
		reflect.TypeFor[linktext.Link](): "link", reflect.TypeFor[linktext.Bursts](): "gilbert-elliott",
		reflect.TypeFor[linktext.ECN](): "ecn", reflect.TypeFor[linktext.At](): "links", reflect.TypeFor[linktext.Drop](): "drop",
	}
	return func(of reflect.Type, key string) yamlschema.Key {
		if k, ok := keys[of][key]; ok {
			return k
		}
		for _, s := range sections {
			for _, f := range s.Fields {
				if s.Name == names[of] && f.Key == key {
					return yamlschema.Key{Text: strings.ReplaceAll(f.Text, ", before scaling", ""), Form: yamlschema.FormOf(f.Kind), Words: words[key]}
				}
			}
		}
		t.Errorf("%v: nothing is said of %s", of, key)
		return yamlschema.Key{}
	}
}

// The schema that is shipped is that of the Go types. "make generate" writes it.
func TestSchema(t *testing.T) {
	got, err := yamlschema.Maker{Title: "Topology of inalab", Required: true, Key: keyOf(t)}.Of(reflect.TypeFor[spec.File]())
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if golden.Updating() {
		if err := os.WriteFile("topology.schema.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(spec.Schema), string(got)); diff != "" {
		t.Errorf("topology.schema.json is stale: make generate writes it (-is +wanted):\n%s", diff)
	}
}

// compiled is the schema that is shipped.
func compiled(t *testing.T) *validator.Schema {
	t.Helper()
	doc, err := validator.UnmarshalJSON(bytes.NewReader(spec.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("topology", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("topology")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate holds a file against the schema.
func validate(t *testing.T, s *validator.Schema, text []byte) error {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		return err
	}
	v, err := validator.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// Files of every shape, and the examples, are what the schema says.
func TestSchemaAcceptsWhatIsRead(t *testing.T) {
	s := compiled(t)
	for _, shape := range gen.All() {
		p := gen.Params{Link: topo.LinkSpec{Rate: units.GbitPerSecond, Delay: units.Microsecond, Jitter: units.Nanosecond, Loss: 0.01, LossEvery: 7}}
		for _, n := range p.Counts() {
			if slices.Contains(shape.Needs, n.Name) {
				*n.N = 2
			}
		}
		g, err := gen.ByName(shape.Name, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, spec.Write(g, spec.Header{})); err != nil {
			t.Errorf("%s: %v", shape.Name, err)
		}
	}
	if err := validate(t, s, []byte(everything)); err != nil {
		t.Error(err)
	}
}

// What a schema can tell, it tells: each of these files is refused by both.
func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	for name, text := range map[string]string{
		"unknown key":    strings.Replace(small, "name: lab", "name: lab\nnmae: lab", 1),
		"apiVersion":     strings.Replace(small, "inalab/v1", "inalab/v9", 1),
		"no links":       small[:strings.Index(small, "links:")],
		"no unit":        strings.Replace(small, "endpoints: [h1, tor]", "endpoints: [h1, tor], rate: '10'", 1),
		"share":          strings.Replace(small, "endpoints: [h1, tor]", "endpoints: [h1, tor], loss: 1.5", 1),
		"fraction":       strings.Replace(small, "endpoints: [h1, tor]", "endpoints: [h1, tor], loss-every: 1.5", 1),
		"distribution":   strings.Replace(small, "endpoints: [h1, tor]", "endpoints: [h1, tor], distribution: gauss", 1),
		"no packets":     strings.Replace(small, "endpoints: [h1, tor]", "endpoints: [h1, tor], drop: [{slot: 5}]", 1),
		"unknown engine": strings.Replace(small, "kind: switch", "kind: switch, engine: tofinno", 1),
		"no kind":        strings.Replace(small, "h1: {kind: host}", "h1: {}", 1),
	} {
		if validate(t, s, []byte(text)) == nil {
			t.Errorf("%s: the schema takes it", name)
		}
		lab, err := resolve(text, spec.Base{})
		if err == nil && !slices.ContainsFunc(lab.Engines, func(w spec.Word) bool { return !slices.Contains(scenarios.Engines(system.All()), w.Text) }) {
			t.Errorf("%s: the program takes it", name)
		}
	}
}

// small is the least file that there can be, and everything one with every key.
const (
	small = `apiVersion: inalab/v1
kind: Topology
name: lab
nodes:
  tor: {kind: switch}
  h0: {kind: host}
  h1: {kind: host}
links:
  - {endpoints: [h0, tor]}
  - {endpoints: [h1, tor]}
`
	everything = `apiVersion: inalab/v1
kind: Topology
name: lab
description: every key
defaults:
  mtu: 1500
  link: {rate: 25Gbit/s, delay: 2us, queue: 1MiB}
  uplink: {rate: 100Gbit/s}
  fabric: {rate: 400Gbit/s, delay: 500ns}
kinds:
  leaf: {is: switch, engine: tofino, ports: [p0, p1, p2]}
  router: {is: chassis, engine: trio, top: pfe2, cards: [{pfes: 1, ports: 2}, {slot: 3, pfes: 1, ports: 2}], fabric: {delay: 1us}}
nodes:
  leaf: {kind: leaf, tier: 0}
  core: {kind: router, tier: 1, program: filter.mc}
  h0: {kind: host}
  h1: {kind: host}
links:
  - {endpoints: [h0, leaf], jitter: 1us, ecn: {threshold: 100KB}}
  - {endpoints: [h1, "leaf:p2"], loss: 1%, burst: 8, b-to-a: {delay: 20us}}
  - {endpoints: [leaf, "core:et-3-0-1"], ecn: {min: 50KB, max: 100KB, p: 10%, weight: 0.002}, a-to-b: {rate: 50Gbit/s}}
impair:
  - {at: h0, loss-every: 1000}
  - {from: leaf, to: core, gilbert-elliott: {enter: 0.1%, leave: 10%, bad: 100%}}
  - {from: h1, delay: 2us, jitter: 1us, distribution: normal, reorder: 1%, reorder-gap: 5, duplicate: 0.01, corrupt: 0.1%}
  - {to: h1, drop: [{job: 1, slot: 5, packets: [3, 4]}, {slot: 0, packets: [1]}]}
schedule:
  - {time: 2s, link: {at: h1, loss: 0%, rate: unlimited}}
  - {time: 1s, link: {from: h0, delay: 5us}}
  - {time: 3s, link: {to: h1, drop: []}}
`
)
