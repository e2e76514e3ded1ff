package figure

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
)

// Limits of a figure: what still can be told apart, and read.
const (
	maxPanels  = 12
	maxColumns = 4
	maxSeries  = 16               // names, in all panels
	maxMarks   = len(paperShapes) // names, in all panels
	maxPoints  = 20000            // of a series
)

var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$`)

// check refuses what cannot be drawn, and names it.
func (f *Figure) check() error {
	if err := f.checkFrame(); err != nil {
		return fmt.Errorf("figure %q: %w", f.ID, err)
	}
	for i := range f.Panels {
		if err := f.Panels[i].check(); err != nil {
			return fmt.Errorf("figure %s, panel %d %q: %w", f.ID, i+1, f.Panels[i].Title, err)
		}
	}
	return nil
}

func (f *Figure) checkFrame() error {
	looks := f.looks()
	switch {
	case !fileName.MatchString(f.ID):
		return errors.New(`the id names a file: use letters, digits, "." and "-"`)
	case f.Title == "":
		return errors.New("there is no title")
	case len(f.Panels) == 0 || len(f.Panels) > maxPanels:
		return fmt.Errorf("%d panels: 1 to %d are possible", len(f.Panels), maxPanels)
	case f.Columns < 0 || f.Columns > maxColumns:
		return fmt.Errorf("%d columns: 1 to %d are possible", f.Columns, maxColumns)
	case len(looks.series) > maxSeries:
		return fmt.Errorf("%d names of series: at most %d can be told apart", len(looks.series), maxSeries)
	case len(looks.marks) > maxMarks:
		return fmt.Errorf("%d names of marks: at most %d can be told apart", len(looks.marks), maxMarks)
	}
	return nil
}

func (p *Panel) check() error {
	if err := p.X.check(); err != nil {
		return fmt.Errorf("axis X: %w", err)
	}
	if err := p.Y.check(); err != nil {
		return fmt.Errorf("axis Y: %w", err)
	}
	var names []string
	for i := range p.Series {
		s := &p.Series[i]
		if s.Name == "" || slices.Contains(names, s.Name) {
			return fmt.Errorf("series %d is called %q: a name of its own is needed", i+1, s.Name)
		}
		names = append(names, s.Name)
		if err := p.checkSeries(s); err != nil {
			return fmt.Errorf("series %q, %w", s.Name, err)
		}
	}
	for i := range p.Marks {
		m := &p.Marks[i]
		if err := errors.Join(m.X.check(&p.X), m.Y.check(&p.Y)); err != nil {
			return fmt.Errorf("mark %q: %w", m.name(), err)
		}
		if m.X.All && m.Y.All {
			return fmt.Errorf("mark %q is everywhere and says nothing", m.name())
		}
	}
	return nil
}

func (a *Axis) check() error {
	switch {
	case a.Label == "":
		return errors.New("there is no label")
	case a.Scale < Linear || a.Scale > Log2:
		return fmt.Errorf("unknown scale %d", a.Scale)
	case a.Zero && a.Scale != Linear:
		return errors.New("a logarithmic axis does not reach 0")
	}
	return a.checkValues("tick", a.Ticks...)
}

// checkValues refuses what has no place on the axis.
func (a *Axis) checkValues(what string, values ...float64) error {
	for _, v := range values {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Errorf("%s %v of %q has no place on an axis: leave the point away", what, v, a.Label)
		case v <= 0 && a.Scale != Linear:
			return fmt.Errorf("%s %v of %q: a logarithmic axis shows values above 0 only", what, v, a.Label)
		case math.Abs(v) > maxValue:
			return fmt.Errorf("%s %v of %q: more than %g; take a larger unit", what, v, a.Label, maxValue)
		case v != 0 && math.Abs(v) < 1/maxValue:
			return fmt.Errorf("%s %v of %q: less than %g; take a smaller unit", what, v, a.Label, 1/maxValue)
		}
	}
	return nil
}

// maxValue, and one over it, keep sums and ratios of values finite.
const maxValue = 1e100

func (p *Panel) checkSeries(s *Series) error {
	switch {
	case s.Kind < Line || s.Kind > Steps:
		return fmt.Errorf("unknown kind %d", s.Kind)
	case len(s.Points) > maxPoints:
		return fmt.Errorf("%d points: at most %d can be drawn", len(s.Points), maxPoints)
	}
	for i, pt := range s.Points {
		err := errors.Join(p.X.checkValues("value", pt.X), p.Y.checkValues("value", pt.Y))
		if err == nil {
			err = p.Y.checkValues("end of the interval", pt.Y-pt.Below, pt.Y+pt.Above)
		}
		switch {
		case err != nil:
		case pt.Below < 0 || pt.Above < 0:
			err = fmt.Errorf("the interval reaches %v below and %v above: both are lengths, at least 0", pt.Below, pt.Above)
		case s.Kind == Steps && i > 0 && pt.X < s.Points[i-1].X:
			err = fmt.Errorf("steps go back from %v to %v: sort them", s.Points[i-1].X, pt.X)
		}
		if err != nil {
			return fmt.Errorf("point %d: %w", i+1, err)
		}
	}
	return nil
}

func (s Span) check(a *Axis) error {
	if s.All {
		return nil
	}
	if err := a.checkValues("value", s.Low, s.High); err != nil {
		return err
	}
	if s.Low > s.High {
		return fmt.Errorf("%v to %v of %q: the lower comes first", s.Low, s.High, a.Label)
	}
	return nil
}
