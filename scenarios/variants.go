package scenarios

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/yamldoc"
)

// notVaried are the keys that stand outside of variants.
var notVaried = []string{"apiVersion", "kind", "name", "description", "takes", "expect", "sweep", "variant", "variants"}

// vary lays the variant that a document names over its file, below all overrides. What an override
// sets is taken out of the variants, so that the document as it is written says the same.
func (d *document) vary(src Source, schema *schema, overrides []part) error {
	f := d.raw()
	for i := range f.Variants {
		for _, p := range overrides {
			f.Variants[i].Value = without(f.Variants[i].Value, strings.Split(p.set, "."))
		}
	}
	var chosen *part
	var names []string
	for i, item := range f.Variants {
		p, err := d.variant(src, item)
		if err == nil { // the others must be files, too
			err = p.values.Decode(reflect.New(schema.file).Interface())
		}
		if err != nil {
			return err
		}
		if names = append(names, fmt.Sprint(item.Key)); names[i] == f.Variant {
			chosen = &p
		}
	}
	byKey(d.file.Elem(), "variants").Set(reflect.ValueOf(f.Variants))
	if chosen != nil {
		return d.add(*chosen, nil)
	}
	if f.Variant == "" {
		return nil
	}
	if len(names) == 0 {
		return d.Wrong("variant", fmt.Errorf("%q: there are no variants: leave it out, or write variants: {%[1]s: {hosts: 4}}", f.Variant))
	}
	return d.Wrong("variant", fmt.Errorf("%q: allowed are %s%s", f.Variant, strings.Join(names, ", "), suggest.DidYouMean(f.Variant, names)))
}

// variant returns the values of a variant as a file, which stand in that of the document.
func (d *document) variant(src Source, item yaml.MapItem) (part, error) {
	name := fmt.Sprint(item.Key)
	if !scenarioName.MatchString(name) {
		return part{}, d.Wrong("variants", fmt.Errorf("%q: a variant needs a name of a-z, 0-9 and -", name))
	}
	at := "variants." + name
	values, ok := item.Value.(map[string]any)
	for _, key := range notVaried {
		if _, has := values[key]; has {
			return part{}, d.Wrong(at+"."+key, errors.New("a variant has none of "+strings.Join(notVaried, ", ")))
		}
	}
	if !ok {
		return part{}, d.Wrong(at, errors.New("write the values of the variant, as in {hosts: 4, iterations: 10}"))
	}
	text, err := yaml.Marshal(item.Value)
	if err != nil {
		return part{}, d.Wrong(at, err)
	}
	p := part{Document: d.parts[1].Document, under: at + ".", values: &yamldoc.Document{Name: src.Name + ", " + at}}
	return p, p.values.Parse(text)
}

// without returns a value of a file less what stands in it at a path.
func without(value any, path []string) any {
	all, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := map[string]any{}
	for key, below := range all {
		if key != path[0] {
			out[key] = below
		} else if len(path) > 1 {
			out[key] = without(below, path[1:])
		}
	}
	return out
}
