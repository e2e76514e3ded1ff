package watch

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Snapshot is the switches of a lab at about one moment, by name.
type Snapshot struct{ Switches []Switch }

// Switch is what one switch answered.
type Switch struct {
	Name string
	At   units.Time // by the clock of its run
	Rows []Row      // of all its views and engines, in their order
	Err  error      // it did not answer; Rows has what it said before
}

// Row is one row of a view: which it is, and its numbers.
type Row struct {
	View   dataplane.View
	Engine string
	Labels []Label // what it is called: its first value, and all words
	Values []Value
}

// Label is a value that names a row.
type Label struct{ Key, Value string }

// Value is a number of a row, in the unit that its key ends with.
type Value struct {
	Key string
	N   float64
}

// Look asks all switches of a lab for views, each by its own. A switch that has no such view leaves it out.
func Look(ctx context.Context, labDir string, views ...dataplane.View) (Snapshot, error) {
	names, err := control.Switches(labDir)
	if err != nil {
		return Snapshot{}, err
	}
	slices.Sort(names)
	s := Snapshot{Switches: make([]Switch, len(names))}
	var asking sync.WaitGroup
	for i, name := range names {
		asking.Go(func() { s.Switches[i] = ask(ctx, labDir, name, views) })
	}
	asking.Wait()
	return s, nil
}

func ask(ctx context.Context, labDir, name string, views []dataplane.View) Switch {
	s := Switch{Name: name}
	client, err := control.Dial(ctx, control.SocketPath(labDir, name))
	if err != nil {
		s.Err = err
		return s
	}
	defer client.Close()
	for _, v := range views {
		answer, err := control.Patiently(ctx, func() (control.Response, error) {
			return client.Do(ctx, control.Request{Op: control.OpShow, View: v, Limit: control.DefaultRows})
		})
		if said := (*control.Error)(nil); errors.As(err, &said) && said.Response.Fault == control.FaultRequest {
			continue // no engine has this view
		}
		if err != nil {
			s.Err = err
			return s
		}
		s.At = answer.At
		for _, t := range answer.Tables {
			s.Rows = append(s.Rows, rowsOf(v, t)...)
		}
	}
	return s
}

func rowsOf(v dataplane.View, t control.EngineTable) (out []Row) {
	for _, cells := range t.Table.Rows {
		r := Row{View: v, Engine: t.PFE}
		for i, c := range cells {
			key := t.Table.Columns[i].Key
			n, err := strconv.ParseFloat(c.String(), 64)
			switch {
			case i == 0 || c.Kind() == dataplane.KindText:
				r.Labels = append(r.Labels, Label{key, c.String()})
			case c.Kind() == dataplane.KindNumber && err == nil:
				r.Values = append(r.Values, Value{key, n})
			}
		}
		out = append(out, r)
	}
	return out
}

// Name joins what a row is called: the view aside, it is one row's alone in a switch.
func (r *Row) Name() string {
	parts := []string{r.Engine}
	for _, l := range r.Labels {
		parts = append(parts, l.Value)
	}
	return strings.Join(parts, " ")
}

// Value returns a number of the row.
func (r *Row) Value(key string) (float64, bool) {
	i := slices.IndexFunc(r.Values, func(v Value) bool { return v.Key == key })
	if i < 0 {
		return 0, false
	}
	return r.Values[i].N, true
}

// Rate is by how much a number of a row grew a second since an earlier look at the same switch, by the clock of
// its run. It is false where there was no such row, no time has passed, or the number fell: the run is another one.
func (s *Switch) Rate(before *Switch, r *Row, key string) (float64, bool) {
	passed := s.At.Sub(before.At).Seconds()
	now, there := r.Value(key)
	i := slices.IndexFunc(before.Rows, func(b Row) bool { return b.View == r.View && b.Name() == r.Name() })
	if i < 0 || !there || passed <= 0 {
		return 0, false
	}
	then, there := before.Rows[i].Value(key)
	if !there || now < then {
		return 0, false
	}
	return (now - then) / passed, true
}

// Named returns a switch of a snapshot; nil where it is not there.
func (s *Snapshot) Named(name string) *Switch {
	for i := range s.Switches {
		if s.Switches[i].Name == name {
			return &s.Switches[i]
		}
	}
	return nil
}

// Patience bounds a look (assumed): a switch waits a second for its own loop.
const Patience = 5 * time.Second
