package control

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// program is one that runs on a PFE.
type program struct {
	dataplane.Running
	pfe int
	at  string // PFE, and behind a slash the program, if it is not the system's
}

// programs returns those that a request concerns: of one PFE, or with one name.
func programs(sw Switch, pfe int, name string) (out []program, err error) {
	var names []string
	for i, at := range sw.PFEs() {
		for _, r := range sw.Programs(i) {
			if pfe >= 0 && pfe != i {
				continue
			}
			if !slices.Contains(names, r.Program) {
				names = append(names, r.Program)
			}
			if name != "" && name != r.Program {
				continue
			}
			one := program{r, i, at}
			if !r.System {
				one.at += "/" + r.Program
			}
			out = append(out, one)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(names) > 0:
		return nil, fmt.Errorf("%s runs no program %q: there are %s%s", sw.Plan().Name, name, list(names), suggest.DidYouMean(name, names))
	case pfe >= 0:
		return nil, fmt.Errorf("%s runs no program on %s", sw.Plan().Name, sw.PFEs()[pfe])
	}
	return nil, fmt.Errorf("%s runs no program: it only forwards", sw.Plan().Name)
}

func show(now units.Time, sw Switch, pfe int, r Request, out *Response) error {
	if !slices.Contains(dataplane.Views, r.View) {
		return fmt.Errorf("unknown view %q: allowed are %s%s", r.View, list(dataplane.Views), suggest.DidYouMean(string(r.View), texts(dataplane.Views)))
	}
	if r.Name != "" && !slices.Contains(dataplane.NamedViews, r.View) {
		return fmt.Errorf("view %q is not of names: leave %q out, or ask for one of %s", r.View, r.Name, list(dataplane.NamedViews))
	}
	all, err := programs(sw, pfe, r.Program)
	out.At = now
	if r.View == dataplane.ViewPorts && r.Program == "" && !slices.ContainsFunc(all, showsPorts) {
		ports(sw, pfe, r, out)
		return nil
	}
	if err != nil {
		return err
	}
	var have []dataplane.View
	var refused error
	for _, p := range all {
		views := viewsOf(p.Engine)
		for _, v := range views {
			if !slices.Contains(have, v) {
				have = append(have, v)
			}
		}
		if !slices.Contains(views, r.View) {
			continue
		}
		t, err := view(now, p.Engine, r)
		if err != nil {
			refused = firstOf(refused, err)
			continue
		}
		out.Tables = append(out.Tables, EngineTable{p.at, t})
	}
	switch {
	case len(out.Tables) > 0:
		return nil
	case refused != nil:
		return refused
	}
	return fmt.Errorf("the program of %s has no view %q: it has %s", sw.Plan().Name, r.View, list(have))
}

// showsPorts reports whether a program has queues of its own before its ports.
func showsPorts(p program) bool { return slices.Contains(viewsOf(p.Engine), dataplane.ViewPorts) }

// ports shows those of the switch itself, which every switch has.
func ports(sw Switch, pfe int, r Request, out *Response) {
	limit := r.Limit
	if limit == 0 {
		limit = DefaultRows
	}
	for i, name := range sw.PFEs() {
		if t := sw.PortTable(i, limit); t.Total > 0 && (pfe < 0 || pfe == i) {
			out.Tables = append(out.Tables, EngineTable{name, t})
		}
	}
}

// firstOf returns the error that says most: one about a name that is known beats one
// about a name that is not.
func firstOf(first, next error) error {
	if first == nil || isUnknown(first) && !isUnknown(next) {
		return next
	}
	return first
}

// isUnknown reports whether a program refused a name because it has none like it.
func isUnknown(err error) bool {
	r := (*dataplane.Refusal)(nil)
	return errors.As(err, &r) && r.Reason == dataplane.RefusedName
}

func viewsOf(e dataplane.Engine) []dataplane.View {
	var out []dataplane.View
	if w, ok := e.(dataplane.Viewed); ok {
		out = append(out, w.Views()...)
	}
	return append(out, dataplane.ViewStats)
}

// view makes the view that is asked for, which the engine has.
func view(now units.Time, e dataplane.Engine, r Request) (dataplane.Table, error) {
	limit := r.Limit
	if limit == 0 {
		limit = DefaultRows
	}
	if r.View == dataplane.ViewStats {
		return stats(e, limit), nil
	}
	if r.Name != "" {
		return e.(dataplane.Named).Look(now, r.View, r.Name, limit) // who lists views of names is one
	}
	return e.(dataplane.Viewed).View(now, r.View, limit), nil // it lists the view
}

// stats makes a table of an engine's counters.
func stats(e dataplane.Engine, limit int) dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{{Key: "counter", Name: "counter"}, {Key: "n", Name: "count"}}}
	for _, c := range e.Counters() {
		t.Add(dataplane.Text(c.Name), dataplane.Int(c.N))
	}
	t.Cut(limit)
	return t
}
