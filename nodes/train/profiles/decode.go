package profiles

import (
	"cmp"
	"strings"

	"github.com/inalab/inalab/internal/yamldoc"
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
	out.Used = cmp.Or(r.Used, r.Printed)
	return out
}

// document is a decoded file that can still say where a value stands.
type document struct {
	yamldoc.Document
	raw rawFile
}

func decode(name string, text []byte) (*document, error) {
	d := &document{Document: yamldoc.Document{Name: name}}
	if err := d.Parse(text); err != nil {
		return nil, err
	}
	return d, d.Decode(&d.raw)
}

// wrong reports what is wrong with the value at a path such as
// "models[0].rows[1].size", where it stands, or else where its parent does.
func (d *document) wrong(path, format string, args ...any) error {
	n := d.nearest(path)
	n.What = path
	return n.Errorf(format, args...)
}

// nearest finds the value at a path, or what it was left out of.
func (d *document) nearest(path string) yamldoc.Node {
	n, ok := d.Find(path)
	for !ok {
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
		n, ok = d.Find(path)
	}
	return n
}
