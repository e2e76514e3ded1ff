package experiment

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
)

// Experiment measures claims.
type Experiment struct {
	ID       string          // as figures are called: "trio.fig13"
	Title    string          // what is run, in a line
	Switch   []claims.Switch // that aggregates; what other claims of it ran on stands in [claims.Measured]
	Claims   []claims.ID     // that it measures
	Predicts []claims.ID     // unseen values that it predicts
	Live     bool            // it moves real packets, for which it needs privileges
	Quick    string          // how a quick run is cut; "" where there is nothing to cut
	Run      func(ctx context.Context, env *Env) (Findings, error)
}

// Steps returns the Run of an experiment of several parts that take no time; it ends
// with the first error.
func Steps(parts ...func(*Findings, *Env) error) func(context.Context, *Env) (Findings, error) {
	return func(_ context.Context, e *Env) (f Findings, err error) {
		for _, part := range parts {
			if err = part(&f, e); err != nil {
				break
			}
		}
		return f, err
	}
}

// Findings is what an experiment found: a value for each of its claims and an
// interval for each of its predictions, the tables of all points, and figures of
// those that are worth a look, what the papers state beside them.
type Findings struct {
	Measured  map[claims.ID]claims.Measured
	Predicted map[claims.ID]claims.Prediction
	Tables    []claims.Table
	Figures   []figure.Figure
}

// Set notes a measured value.
func (f *Findings) Set(id claims.ID, m claims.Measured) {
	if f.Measured == nil {
		f.Measured = map[claims.ID]claims.Measured{}
	}
	f.Measured[id] = m
}

// Predict notes an interval for a value that is predicted and not compared.
func (f *Findings) Predict(id claims.ID, p claims.Prediction) {
	if f.Predicted == nil {
		f.Predicted = map[claims.ID]claims.Prediction{}
	}
	f.Predicted[id] = p
}

// Complete reports the first claim or prediction that an experiment owes, or has
// no right to, or a row that ran on another switch than the experiment says.
func (f *Findings) Complete(x *Experiment) error {
	for _, id := range x.Claims {
		if m, ok := f.Measured[id]; !ok || m.IsZero() {
			return fmt.Errorf("experiment %s measured nothing for %s", x.ID, id)
		}
	}
	for _, id := range x.Predicts {
		if _, ok := f.Predicted[id]; !ok {
			return fmt.Errorf("experiment %s predicted nothing for %s", x.ID, id)
		}
	}
	for id := range f.Measured {
		if !slices.Contains(x.Claims, id) {
			return fmt.Errorf("experiment %s measured %s, which it does not list", x.ID, id)
		}
	}
	return f.ranOn(x)
}

// ranOn reports a row whose switch is none of those that the experiment says. Rows of systems
// that do without one have hosts.
func (f *Findings) ranOn(x *Experiment) error {
	for _, t := range f.Tables {
		for _, s := range t.Words("switch") {
			if claims.Switch(s) != claims.SwitchHosts && !slices.Contains(x.Switch, claims.Switch(s)) {
				return fmt.Errorf("table %s has a row with switch %q, and experiment %s says %s: name what ran", t.ID, s, x.ID, claims.SwitchText(x.Switch))
			}
		}
	}
	return nil
}
