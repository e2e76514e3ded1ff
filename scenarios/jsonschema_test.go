package scenarios

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/yamlschema"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/linktext"
)

// schemaKey says what a key means, as the page of fields does.
func schemaKey(t *testing.T, file reflect.Type) func(reflect.Type, string) yamlschema.Key {
	sections := allFields(t)
	knobs := map[reflect.Type]string{} // sections of systems
	for i := range file.NumField() {
		knobs[file.Field(i).Type] = strings.Split(file.Field(i).Tag.Get("yaml"), ",")[0]
	}
	return func(of reflect.Type, key string) yamlschema.Key {
		if of == file {
			of = reflect.TypeFor[raw]()
		}
		if x, ok := fieldTexts[of][key]; ok {
			k := yamlschema.Key{Text: x.text, Form: yamlschema.FormOf(x.kind)}
			if x.kind == kindName && strings.Contains(x.allowed, gen.Names()[0]) {
				k.Words = gen.Names()
			}
			if of == reflect.TypeFor[linktext.Link]() && key == "distribution" {
				k.Words = topo.DistributionWords()
			}
			return k
		}
		for _, s := range sections {
			for _, f := range s.Fields {
				if len(f.Systems) > 0 && s.Name == knobs[of] && f.Key == key {
					return yamlschema.Key{Text: f.Text}
				}
			}
		}
		return yamlschema.Key{} // the section of a system
	}
}

// The schema that is shipped is that of the Go types and of the systems. "make generate" writes it.
func TestSchema(t *testing.T) {
	schema, err := newSchema(ours())
	if err != nil {
		t.Fatal(err)
	}
	got, err := yamlschema.Maker{Title: "Scenario of inalab", Key: schemaKey(t, schema.file), Or: map[reflect.Type]string{
		reflect.TypeFor[rawScale](): "integer", reflect.TypeFor[rawModel](): "string", reflect.TypeFor[rawShape](): "string", reflect.TypeFor[rawSystem](): "string",
	}}.Of(schema.file)
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if golden.Updating() {
		if err := os.WriteFile("scenario.schema.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(Schema), string(got)); diff != "" {
		t.Errorf("scenario.schema.json is stale: make generate writes it (-is +wanted):\n%s", diff)
	}
}

// validates holds a file against the schema that is shipped.
func validates(t *testing.T, text string) error {
	t.Helper()
	doc, err := validator.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("scenario", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario")
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return err
	}
	v, err := validator.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// Every scenario of the catalogue is what the schema says, and so are the defaults.
func TestSchemaAcceptsTheCatalogue(t *testing.T) {
	for _, name := range append(Names(), DefaultsName) {
		text, err := Embedded(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := validates(t, string(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := validates(t, "systems: [ring, {system: trioml}]\nmodel: {bytes: 1MB}\n"); err != nil {
		t.Errorf("a file of two lines: %v", err)
	}
}

// What a schema can tell, it tells.
func TestSchemaRefuses(t *testing.T) {
	for name, line := range map[string]string{
		"unknown key": "sede: 1", "no number": "iterations: many", "no unit": "link: {rate: fast}", "share": "link: {loss: 2}",
		"unknown knob": "trio: {windoww: 64}", "list": "systems: ring", "fraction": "hosts: 2.5",
	} {
		if validates(t, "apiVersion: inalab/v1\nkind: Scenario\nname: x\n"+line+"\n") == nil {
			t.Errorf("%s: the schema takes %s", name, line)
		}
	}
}
