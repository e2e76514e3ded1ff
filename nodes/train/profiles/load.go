package profiles

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/units"
)

//go:embed profiles.yaml
var text []byte

// all is the table, read once. The file is part of the program and a test loads
// it, so that it cannot be wrong here.
var all = mustLoad("profiles.yaml", text)

func mustLoad(name string, text []byte) []Profile {
	list, err := load(name, text)
	if err != nil {
		panic(err)
	}
	return list
}

// load reads profiles from YAML. Errors are "file:line:col: message".
func load(name string, text []byte) ([]Profile, error) {
	d, err := decode(name, text)
	if err != nil {
		return nil, err
	}
	out := make([]Profile, 0, len(d.raw.Models))
	for i, m := range d.raw.Models {
		path := fmt.Sprintf("models[%d]", i)
		p, err := d.profile(path, m)
		if err != nil {
			return nil, err
		}
		if twin := slices.IndexFunc(out, func(q Profile) bool { return q.Name == p.Name }); twin >= 0 {
			first := d.nearest(fmt.Sprintf("models[%d].name", twin)).Position()
			return nil, d.wrong(path+".name", "%q stands in line %d already", p.Name, first.Line)
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, d.wrong("models", "at least one model is needed")
	}
	return out, nil
}

// profile resolves one model: its rows, and from the row marked for replay what
// the profile as a whole says.
func (d *document) profile(path string, m rawModel) (Profile, error) {
	if err := d.checkModel(path, m); err != nil {
		return Profile{}, err
	}
	p := Profile{Name: m.Name, Task: m.Task, Params: m.Params, Architecture: m.Architecture}
	marked := -1
	for i, raw := range m.Rows {
		at := fmt.Sprintf("%s.rows[%d]", path, i)
		r, err := d.row(at, raw)
		if err != nil {
			return Profile{}, err
		}
		if raw.Replay && marked >= 0 {
			return Profile{}, d.wrong(at+".replay", "row %d is marked already: one row of a model is for replay", marked+1)
		}
		if raw.Replay {
			marked = i
		}
		p.Measured = append(p.Measured, r)
	}
	if marked < 0 {
		return Profile{}, d.wrong(path+".rows", "no row has replay: true, which says whose batch and compute time a run takes")
	}
	return d.replay(p, m, fmt.Sprintf("%s.rows[%d]", path, marked), p.Measured[marked])
}

// replay fills in what follows from the row that is marked for replay.
func (d *document) replay(p Profile, m rawModel, path string, r Row) (Profile, error) {
	p.SizeMiB = r.Size.Used
	p.Batch = max(r.Batch, r.Assumed.Batch)
	if p.Compute, p.ComputeFrom = r.Compute(); p.ComputeFrom == Unknown {
		return Profile{}, d.wrong(path, "a row for replay needs batch-time, comm and overlap, or assumed.compute")
	}
	if p.Batch == 0 {
		return Profile{}, d.wrong(path, "a row for replay needs batch, or assumed.batch")
	}
	from := m.ParamsSource
	if p.Params == 0 {
		p.Params = int(r.Bytes() / 4)
		from = "from the size, four bytes each"
	}
	p.Source = r.Source + "; " + strings.TrimSpace(from) + " (parameters)"
	if p.ComputeFrom == Derived {
		p.Source += fmt.Sprintf("; compute time from that row, on one %s: batch time without the communication that is not overlapped", r.GPU)
	}
	return p, nil
}

// row resolves one row.
func (d *document) row(path string, raw rawRow) (Row, error) {
	if err := d.checkRow(path, raw); err != nil {
		return Row{}, err
	}
	r := Row{
		Paper: Paper(raw.Paper), Source: strings.TrimSpace(raw.Source), Workers: raw.Workers, GPU: raw.GPU, Dataset: raw.Dataset, Toolkit: raw.Toolkit,
		Size: raw.Size.reading(), Overlap: raw.Overlap.reading(), Tensors: raw.Tensors.reading(), Batch: raw.Batch, Comm: raw.Comm, Alpha: raw.Alpha,
		Assumed: Assumption{Batch: raw.Assumed.Batch},
	}
	var err error
	if raw.Link != "" {
		if r.Link, err = units.ParseRate(raw.Link); err != nil {
			return Row{}, d.wrong(path+".link", "%v", err)
		}
	}
	for _, t := range []struct {
		key, text string
		into      *units.Duration
	}{
		{".batch-time.mean", raw.BatchTime.Mean, &r.BatchTime},
		{".batch-time.sd", raw.BatchTime.SD, &r.BatchSD},
		{".assumed.compute", raw.Assumed.Compute, &r.Assumed.Compute},
	} {
		if t.text == "" {
			continue
		}
		if *t.into, err = units.ParseDuration(t.text); err != nil {
			return Row{}, d.wrong(path+t.key, "%v", err)
		}
		if *t.into <= 0 {
			return Row{}, d.wrong(path+t.key, "%s: a time above zero is needed", t.text)
		}
	}
	return r, nil
}
