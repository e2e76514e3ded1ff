package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Source is the text of a scenario and what it is called in errors.
type Source struct {
	Name string // file name
	Text []byte
	Set  []string // overrides, "path=value" with a YAML value; the last one of a path counts
}

// document is a decoded source that can still say where a value stands.
type document struct {
	parts  []part // the file, then each override
	schema *schema
	file   reflect.Value // pointer to a schema.file
}

// part is the file or one override, which is the file that holds it alone.
type part struct {
	name string // in errors
	set  string // path of an override; empty for the file
	text []byte
	file *ast.File
}

func decode(src Source, schema *schema) (*document, error) {
	d := &document{schema: schema, file: reflect.New(schema.file)}
	parts := []part{{name: src.Name, text: src.Text}}
	for _, s := range src.Set {
		p, err := override(s)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	for _, p := range parts {
		if err := d.add(p); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// override checks the form of "path=value".
func override(s string) (part, error) {
	path, value, ok := strings.Cut(s, "=")
	keys := strings.Split(path, ".")
	switch {
	case strings.ContainsAny(path, "[]"):
		return part{}, fmt.Errorf("--set %q: a list is set as a whole, as in --set 'stragglers.p=[0%%, 16%%]'", s)
	case !ok || slices.Contains(keys, "") || strings.TrimSpace(value) == "" || strings.ContainsAny(s, "\r\n"):
		return part{}, fmt.Errorf("--set %q: write path=value, as in --set trio.wake=naive", s)
	}
	return part{name: "--set " + s, set: path, text: nest(keys, value)}, nil
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

// add decodes a part over what the earlier ones said.
func (d *document) add(p part) error {
	var err error
	if p.file, err = parser.ParseBytes(p.text, 0); err != nil {
		return d.unreadable(p, err)
	}
	switch {
	case len(p.file.Docs) == 0 || p.file.Docs[0].Body == nil:
		return fmt.Errorf("%s: the file is empty: \"inalab list straggler\" prints one to begin with", p.name)
	case len(p.file.Docs) > 1:
		return p.at(p.file.Docs[1].Start.Position, "a second document begins: a file holds one scenario")
	}
	// A null would leave the zero value, or what an override was to replace.
	if nulls := ast.FilterFile(ast.NullType, p.file); len(nulls) > 0 {
		return p.at(nulls[0].GetToken().Position, "the value is missing: write one, or leave the key out")
	}
	if err := yaml.NewDecoder(bytes.NewReader(p.text), yaml.Strict()).Decode(d.file.Interface()); err != nil {
		return d.unreadable(p, err)
	}
	d.parts = append(d.parts, p)
	return nil
}

// find returns the value that counts at a path such as "systems[1].topology",
// and the part that it stands in. Lists are replaced as a whole: where the list
// lacks that value, it is the list that is found.
func (d *document) find(path string) (part, ast.Node, bool) {
	list, _, _ := strings.Cut(path, "[")
	for _, p := range slices.Backward(d.parts) {
		for _, at := range []string{path, list} {
			if n := p.value(at); n != nil {
				return p, n, true
			}
		}
	}
	return part{}, nil, false
}

// value returns what the part holds at a path, or nil.
func (p part) value(path string) ast.Node {
	at, err := yaml.PathString("$." + path)
	if err != nil {
		return nil
	}
	n, err := at.FilterFile(p.file)
	if err != nil {
		return nil
	}
	return n
}

// wrong reports what is wrong with the value at a path, where it stands.
func (d *document) wrong(path string, err error) error {
	p, n, ok := d.find(path)
	switch {
	case !ok:
		return fmt.Errorf("%s: %s: %w", d.parts[0].name, path, err)
	case p.set == path:
		return fmt.Errorf("%s: %w", p.name, err)
	case p.set != "":
		return fmt.Errorf("%s: %s: %w", p.name, path, err)
	}
	return p.at(n.GetToken().Position, fmt.Sprintf("%s: %v", path, err))
}

// unreadable gives an error of the parser or decoder its place.
func (d *document) unreadable(p part, err error) error {
	var placed yaml.Error
	if !errors.As(err, &placed) || placed.GetToken() == nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return p.at(placed.GetToken().Position, describe(err, placed.GetMessage(), keysOf(d.schema.file, "")))
}
