package experiment

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/inalab/inalab/reports/claims"
)

// Printed is what the papers print, for experiments that compute one number of a
// paper from others. The first value that is not there is kept as the error, so
// that arithmetic reads as arithmetic; whoever is done asks for it.
type Printed struct {
	Ledger *claims.Ledger
	errs   []error
}

// NewPrinted returns what the ledger has.
func NewPrinted() *Printed {
	l, err := claims.Load()
	if err != nil {
		return &Printed{Ledger: &claims.Ledger{}, errs: []error{err}}
	}
	return &Printed{Ledger: l}
}

// Err returns what was asked for and is not there.
func (p *Printed) Err() error { return errors.Join(p.errs...) }

// Value returns the value of a claim, or of one of its fields.
func (p *Printed) Value(id claims.ID, field ...string) claims.Value {
	c, err := p.Ledger.Lookup(id)
	if err != nil {
		p.errs = append(p.errs, err)
		return claims.Value{}
	}
	return p.field(id, c.Value, field)
}

// Fact returns the value of a fact, or of one of its fields.
func (p *Printed) Fact(id claims.ID, field ...string) claims.Value {
	for _, f := range p.Ledger.Facts {
		if f.ID == id {
			return p.field(id, f.Value, field)
		}
	}
	p.errs = append(p.errs, fmt.Errorf("the ledger has no fact %s", id))
	return claims.Value{}
}

func (p *Printed) field(id claims.ID, v claims.Value, path []string) claims.Value {
	for _, name := range path {
		next, ok := v.Fields().Get(name)
		if !ok {
			p.errs = append(p.errs, fmt.Errorf("the value of %s has no field %q", id, name))
			return claims.Value{}
		}
		v = next
	}
	return v
}

// Number returns a value that must be a number, or be written as one, as 1e8 is;
// what says which it is, for the error.
func (p *Printed) Number(v claims.Value, what string) float64 {
	x, ok := v.Number()
	if !ok {
		var err error
		if x, err = strconv.ParseFloat(v.String(), 64); err != nil {
			p.errs = append(p.errs, fmt.Errorf("%s is %s, not a number", what, v))
		}
	}
	return x
}

// Claimed is number of value.
func (p *Printed) Claimed(id claims.ID, field ...string) float64 {
	return p.Number(p.Value(id, field...), fmt.Sprint(id, field))
}

// Known is number of fact.
func (p *Printed) Known(id claims.ID, field ...string) float64 {
	return p.Number(p.Fact(id, field...), fmt.Sprint(id, field))
}

// Given returns a condition of a claim, which must be a number.
func (p *Printed) Given(id claims.ID, name string) float64 {
	c, err := p.Ledger.Lookup(id)
	if err != nil {
		p.errs = append(p.errs, err)
		return 0
	}
	v, ok := c.Conditions.Get(name)
	if !ok {
		p.errs = append(p.errs, fmt.Errorf("claim %s has no condition %q", id, name))
		return 0
	}
	return p.Number(v, fmt.Sprint(id, " ", name))
}
