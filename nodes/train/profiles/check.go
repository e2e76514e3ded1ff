package profiles

import (
	"errors"
	"regexp"
	"slices"
)

var (
	modelName   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	ambiguityID = regexp.MustCompile(`^(trio|switchml|atp|xagg)\.[a-z0-9-]+$`)
)

// checkModel looks at what stands beside the rows.
func (d *document) checkModel(path string, m rawModel) error {
	switch {
	case !modelName.MatchString(m.Name):
		return d.wrong(path+".name", "%q: a name of a-z, 0-9 and single hyphens is needed", m.Name)
	case m.Task == "":
		return d.wrong(path+".task", "what the model is trained for is needed")
	case m.Architecture != "" && architectures[m.Architecture] == nil:
		return d.wrong(path+".architecture", "%q: no layer list has that name", m.Architecture)
	case m.Params < 0 || m.Architecture != "" && m.Params == 0:
		return d.wrong(path+".params", "%d: the number of parameters is needed, as an architecture is named", m.Params)
	case (m.Params > 0) != (m.ParamsSource != ""):
		return d.wrong(path+".params-source", "params and params-source come together")
	case len(m.Rows) == 0:
		return d.wrong(path+".rows", "at least one row is needed")
	}
	return nil
}

// checkRow looks at everything but the times and the rate.
func (d *document) checkRow(path string, r rawRow) error {
	switch {
	case !slices.Contains([]Paper{Trio, SwitchML, ATP, XAgg}, Paper(r.Paper)):
		return d.wrong(path+".paper", "%q: allowed are trio, switchml, atp, xagg", r.Paper)
	case r.Source == "":
		return d.wrong(path+".source", "the table or section is needed that the numbers come from")
	case r.GPU == "" || r.Dataset == "":
		return d.wrong(path, "gpu and dataset are needed")
	case r.Toolkit != "" && r.Toolkit != "PyTorch" && r.Toolkit != "TensorFlow":
		return d.wrong(path+".toolkit", "%q: allowed are PyTorch, TensorFlow", r.Toolkit)
	case r.Workers < 1:
		return d.wrong(path+".workers", "%d: at least 1 is needed", r.Workers)
	case r.Batch < 0 || r.Assumed.Batch < 0:
		return d.wrong(path, "a batch is not negative")
	case r.Size.Printed < 0 || r.Size.Used < 0 || r.Size.Printed+r.Size.Used == 0:
		return d.wrong(path+".size", "printed or used is needed, in MiB above zero")
	case r.Comm < 0 || r.Comm > 100:
		return d.wrong(path+".comm", "%d: a share is 1 to 100 per cent", r.Comm)
	case r.Comm > 0 && (r.BatchTime.Mean == "" || r.Overlap == rawReading{}):
		return d.wrong(path+".comm", "a share of communication says nothing without batch-time and overlap")
	case r.Alpha < 0:
		return d.wrong(path+".alpha", "%g: a speed-up is not negative", r.Alpha)
	}
	if max(r.Overlap.Printed, r.Overlap.Used) > 100 || min(r.Overlap.Printed, r.Overlap.Used) < 0 {
		return d.wrong(path+".overlap", "a share is 1 to 100 per cent")
	}
	return errors.Join(
		d.checkReading(path+".size", r.Size),
		d.checkReading(path+".overlap", r.Overlap),
		d.checkReading(path+".tensors", r.Tensors),
	)
}

// checkReading demands a reason for using another number than the printed one.
func (d *document) checkReading(path string, r rawReading) error {
	switch {
	case r.Ambiguity != "" && !ambiguityID.MatchString(r.Ambiguity):
		return d.wrong(path+".ambiguity", "%q is no id of an ambiguity, such as switchml.size-swap", r.Ambiguity)
	case r.Printed != 0 && r.Used != 0 && r.Ambiguity == "":
		return d.wrong(path, "printed and used differ without the ambiguity that says why")
	}
	return nil
}
