package scenarios

import (
	"bytes"
	"errors"
	"fmt"
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
	Set  []string // overrides, "path=value" with a YAML value
}

// document is a decoded source that can still say where a value stands.
type document struct {
	src  Source
	file *ast.File
	raw  raw
}

func decode(src Source) (*document, error) {
	d := &document{src: src}
	var err error
	if d.file, err = parser.ParseBytes(src.Text, 0); err != nil {
		return nil, d.syntax(src.Name, err)
	}
	if err := strict(src.Text, &d.raw); err != nil {
		return nil, d.syntax(src.Name, err)
	}
	for _, s := range src.Set {
		path, value, ok := strings.Cut(s, "=")
		if !ok || path == "" {
			return nil, fmt.Errorf("--set %q: write path=value, as in --set trio.wake=naive", s)
		}
		if err := strict(nest(strings.Split(path, "."), value), &d.raw); err != nil {
			return nil, d.syntax("--set "+s, err)
		}
	}
	return d, nil
}

func strict(text []byte, into *raw) error {
	return yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(into)
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

// syntax gives an error of the decoder its place.
func (d *document) syntax(name string, err error) error {
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	message := at.GetMessage()
	if unknown, ok := strings.CutPrefix(message, "unknown field "); ok {
		message = fmt.Sprintf("unknown key %s%s", unknown, didYouMean(strings.Trim(unknown, `"`), keys()))
	}
	pos := at.GetToken().Position
	if strings.HasPrefix(name, "--set") {
		return fmt.Errorf("%s: %s", name, message)
	}
	return placed(name, pos.Line, pos.Column, d.src.Text, message)
}

// wrong reports what is wrong with the value at a path such as
// "systems[1].topology", where it stands.
func (d *document) wrong(path string, err error) error {
	for _, s := range slices.Backward(d.src.Set) {
		set, _, _ := strings.Cut(s, "=")
		if path == set || strings.HasPrefix(path, set+".") || strings.HasPrefix(path, set+"[") {
			return fmt.Errorf("--set %s: %w", s, err)
		}
	}
	p, perr := yaml.PathString("$." + path)
	if perr == nil {
		if n, nerr := p.FilterFile(d.file); nerr == nil && n != nil {
			pos := n.GetToken().Position
			return placed(d.src.Name, pos.Line, pos.Column, d.src.Text, fmt.Sprintf("%s: %v", path, err))
		}
	}
	return fmt.Errorf("%s: %s: %w", d.src.Name, path, err)
}

// placed is "file:line:col: message" with the line quoted below.
func placed(name string, line, col int, text []byte, message string) error {
	lines := strings.Split(string(text), "\n")
	quoted := ""
	if line >= 1 && line <= len(lines) {
		quoted = fmt.Sprintf("\n  %s\n  %s^", strings.TrimRight(lines[line-1], "\r"), strings.Repeat(" ", max(0, col-1)))
	}
	return fmt.Errorf("%s:%d:%d: %s%s", name, line, col, message, quoted)
}

// keys lists every key that a file may have, for suggestions.
func keys() []string {
	text, err := yaml.Marshal(raw{
		Systems: []rawSystem{{}}, MiniBatch: 1,
		Link: rawLink{Rate: "-", Delay: "-", Jitter: "-", Loss: "-", LossEvery: 1, Queue: "-"},
	})
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if key, _, ok := strings.Cut(strings.TrimLeft(line, " -"), ":"); ok {
			out = append(out, key)
		}
	}
	return out
}

// didYouMean returns a suggestion, or nothing where no candidate is near.
func didYouMean(word string, candidates []string) string {
	best, distance := "", 1+len(word)/3
	for _, c := range candidates {
		if d := edits(word, c); d <= distance && (best == "" || d < edits(word, best)) {
			best = c
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
