package scenarios

import (
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/yamldoc"
)

// defaults is what files leave out.
//
//go:embed defaults.yaml
var defaults []byte

// Source is the text of a scenario and what it is called in errors.
type Source struct {
	Name string // file name
	Text []byte
	Set  []string // overrides, "path=value" with a YAML value; the last one of a path counts

	// Sweep has axes, "path=value,value": each in place of that of the file for its path, or behind all others.
	Sweep []string
}

// document is a decoded source that can still say where a value stands.
type document struct {
	name  string
	parts []part        // the file, then each override
	file  reflect.Value // pointer to a schema.file
}

// part is the file or one override, which is the file that holds it alone.
type part struct {
	*yamldoc.Document
	set    string            // path of an override; empty for the file
	under  string            // of a variant: where its values stand, as in "variants.a."
	values *yamldoc.Document // of a variant: its values as a file
}

// decode reads a source with the values of a point of its sweep.
func decode(src Source, schema *schema, point ...result.Swept) (*document, error) {
	d, err := decodeSet(src, schema, point)
	if err != nil || len(src.Sweep) == 0 {
		return d, err
	}
	p, err := d.sweepPart(src.Sweep)
	return d, d.add(p, err)
}

// decodeSet reads a source with its overrides and the values of a point.
func decodeSet(src Source, schema *schema, point []result.Swept) (*document, error) {
	var overrides []part
	for _, s := range src.Set {
		p, err := override(s)
		if err != nil {
			return nil, err
		}
		overrides = append(overrides, p)
	}
	for _, k := range point {
		p, err := override(k.Key + "=" + k.Value)
		if err != nil {
			return nil, err
		}
		p.Name = "sweep " + k.Key + "=" + k.Value
		overrides = append(overrides, p)
	}
	d, err := decodeFile(src, schema)
	if err != nil {
		return nil, err
	}
	for _, p := range overrides {
		if err := d.add(p, nil); err != nil {
			return nil, err
		}
	}
	if len(d.raw().Variants) == 0 && d.raw().Variant == "" {
		return d, nil
	}
	if err := d.vary(src, schema, overrides); err != nil {
		return nil, err
	}
	for _, p := range overrides {
		if p.set != "variants" { // which vary has taken in
			if err := d.add(p, nil); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// decodeFile reads the defaults and the file over them.
func decodeFile(src Source, schema *schema) (*document, error) {
	d := &document{name: src.Name, file: reflect.New(schema.file)}
	base := &yamldoc.Document{Name: "defaults.yaml"}
	known, err := schema.only(defaults)
	if err != nil {
		return nil, err
	}
	if err := d.add(part{Document: base}, base.Parse(known)); err != nil {
		return nil, err
	}
	text := &yamldoc.Document{Name: src.Name}
	err = text.Parse(src.Text)
	if errors.Is(err, yamldoc.ErrEmpty) {
		err = fmt.Errorf("%w: \"inalab list straggler\" prints one to begin with", err)
	}
	if err := d.add(part{Document: text}, err); err != nil {
		return d, err
	}
	if name := byKey(d.file.Elem(), "name"); name.String() == "" {
		name.SetString(nameOf(src.Name))
	}
	return d, nil
}

// nameOf makes the name of a scenario of that of its file.
func nameOf(file string) string {
	base, _, _ := strings.Cut(strings.ToLower(filepath.Base(file)), ".")
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, base), "-")
	return name[:min(len(name), maxName)]
}

// maxName bounds the name of a scenario.
const maxName = 64

// add decodes a part over what the earlier ones said.
func (d *document) add(p part, err error) error {
	if err != nil {
		return err
	}
	d.parts = append(d.parts, p)
	if p.values != nil {
		return p.values.Decode(d.file.Interface())
	}
	return p.Decode(d.file.Interface())
}

// override reads "path=value".
func override(s string) (part, error) {
	path, value, ok := strings.Cut(s, "=")
	keys := strings.Split(path, ".")
	switch {
	case strings.ContainsAny(path, "[]"):
		return part{}, fmt.Errorf("--set %q: a list is set as a whole, as in --set 'stragglers.p=[0%%, 16%%]'", s)
	case !ok || slices.Contains(keys, "") || strings.TrimSpace(value) == "" || strings.ContainsAny(s, "\r\n"):
		return part{}, fmt.Errorf("--set %q: write path=value, as in --set trio.wake=naive", s)
	}
	text := &yamldoc.Document{Name: "--set " + s, Inline: true}
	return part{Document: text, set: path}, text.Parse(nest(keys, value))
}

// nest writes the file that holds one value at a path.
func nest(path []string, value string) []byte {
	var b strings.Builder
	for depth, key := range path {
		fmt.Fprintf(&b, "%s%s:", strings.Repeat("  ", depth), key)
		if depth < len(path)-1 {
			b.WriteByte('\n')
		}
	}
	b.WriteString(" " + value + "\n")
	return []byte(b.String())
}

// find returns the value that counts at a path such as "systems[1].topology",
// and the part that it stands in. Lists are replaced as a whole: where the list
// lacks that value, it is the list that is found.
func (d *document) find(path string) (part, yamldoc.Node, bool) {
	list, _, _ := strings.Cut(path, "[")
	for _, p := range slices.Backward(d.parts) {
		for _, at := range []string{path, list} {
			if n, ok := p.Find(p.under + at); ok {
				return p, n, true
			}
		}
	}
	return part{}, yamldoc.Node{}, false
}

// Wrong reports what is wrong with the value at a path, where it stands.
func (d *document) Wrong(path string, err error) error {
	p, n, ok := d.find(path)
	switch {
	case !ok:
		return fmt.Errorf("%s: %s: %w", d.name, path, err)
	case p.set != path:
		n.What = p.under + path
	}
	return n.Errorf("%v", err)
}

// Whole says that a number is a fraction, which the decoder would cut off.
func (d *document) Whole(path string) error {
	_, n, ok := d.find(path)
	if !ok || n.Type() != ast.FloatType {
		return nil
	}
	return d.Wrong(path, fmt.Errorf("%s: a whole number is needed", n.GetToken().Value))
}
