package profiles

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The file as it is written.
type (
	rawFile struct {
		Models []rawModel `yaml:"models"`
	}
	rawModel struct {
		Name         string   `yaml:"name"`
		Task         string   `yaml:"task"`
		Architecture string   `yaml:"architecture"`
		Params       int      `yaml:"params"`
		ParamsSource string   `yaml:"params-source"`
		Rows         []rawRow `yaml:"rows"`
	}
	rawRow struct {
		Paper     string     `yaml:"paper"`
		Source    string     `yaml:"source"`
		Replay    bool       `yaml:"replay"`
		Link      string     `yaml:"link"`
		Workers   int        `yaml:"workers"`
		GPU       string     `yaml:"gpu"`
		Dataset   string     `yaml:"dataset"`
		Toolkit   string     `yaml:"toolkit"`
		Size      rawReading `yaml:"size"`
		Batch     int        `yaml:"batch"`
		BatchTime rawTime    `yaml:"batch-time"`
		Comm      int        `yaml:"comm"`
		Overlap   rawReading `yaml:"overlap"`
		Tensors   rawReading `yaml:"tensors"`
		Alpha     float64    `yaml:"alpha"`
		Assumed   rawAssumed `yaml:"assumed"`
	}
	rawReading struct {
		Printed   int    `yaml:"printed"`
		Used      int    `yaml:"used"` // the printed number where it is left out
		Ambiguity string `yaml:"ambiguity"`
	}
	rawTime struct {
		Mean string `yaml:"mean"`
		SD   string `yaml:"sd"`
	}
	rawAssumed struct {
		Batch   int    `yaml:"batch"`
		Compute string `yaml:"compute"`
	}
)

func (r rawReading) reading() Reading {
	out := Reading(r)
	if out.Used == 0 {
		out.Used = r.Printed
	}
	return out
}

// document is a decoded file that can still say where a value stands.
type document struct {
	name string
	file *ast.File
	raw  rawFile
}

func decode(name string, text []byte) (*document, error) {
	d := &document{name: name}
	var err error
	if d.file, err = parser.ParseBytes(text, 0); err != nil {
		return nil, d.unreadable(err)
	}
	if len(d.file.Docs) != 1 || d.file.Docs[0].Body == nil {
		return nil, fmt.Errorf("%s: one YAML document is needed", name)
	}
	// A null would pass for a number that no paper prints.
	if nulls := ast.FilterFile(ast.NullType, d.file); len(nulls) > 0 {
		return nil, d.at(nulls[0].GetToken().Position, "the value is missing: write one, or leave the key out")
	}
	if err := yaml.NodeToValue(d.file.Docs[0].Body, &d.raw, yaml.Strict()); err != nil {
		return nil, d.unreadable(err)
	}
	return d, nil
}

// unreadable gives an error of the parser or decoder its place.
func (d *document) unreadable(err error) error {
	var placed yaml.Error
	if !errors.As(err, &placed) || placed.GetToken() == nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	return d.at(placed.GetToken().Position, placed.GetMessage())
}

// wrong reports what is wrong with the value at a path such as
// "models[0].rows[1].size", where it stands, or else where its parent does.
func (d *document) wrong(path, format string, args ...any) error {
	return d.at(d.place(path), path+": "+fmt.Sprintf(format, args...))
}

func (d *document) at(pos *token.Position, message string) error {
	return fmt.Errorf("%s:%d:%d: %s", d.name, pos.Line, pos.Column, message)
}

// place finds the value at a path. A key that is left out has the place of what
// it was left out of.
func (d *document) place(path string) *token.Position {
	for ; path != ""; path = parent(path) {
		at, err := yaml.PathString("$." + path)
		if err != nil {
			break
		}
		if n, err := at.FilterFile(d.file); err == nil && n != nil {
			return n.GetToken().Position
		}
	}
	return &token.Position{Line: 1, Column: 1}
}

// parent cuts the last key or index off a path; "" has no parent.
func parent(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' || path[i] == '[' {
			return path[:i]
		}
	}
	return ""
}
