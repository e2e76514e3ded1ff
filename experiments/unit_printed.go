package experiments

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/reports/claims"
)

// printed is what the papers print, for experiments that compute one number of a
// paper from others. The first value that is not there is kept as the error, so
// that arithmetic reads as arithmetic; whoever is done asks for it.
type printed struct {
	ledger *claims.Ledger
	errs   []error
}

func newPrinted() (*printed, error) {
	l, err := claims.Load()
	if err != nil {
		return nil, err
	}
	return &printed{ledger: l}, nil
}

func (p *printed) err() error { return errors.Join(p.errs...) }

// value returns the value of a claim, or of one of its fields.
func (p *printed) value(id claims.ID, field ...string) claims.Value {
	c, err := p.ledger.Lookup(id)
	if err != nil {
		p.errs = append(p.errs, err)
		return claims.Value{}
	}
	return p.field(id, c.Value, field)
}

// fact returns the value of a fact, or of one of its fields.
func (p *printed) fact(id claims.ID, field ...string) claims.Value {
	for _, f := range p.ledger.Facts {
		if f.ID == id {
			return p.field(id, f.Value, field)
		}
	}
	p.errs = append(p.errs, fmt.Errorf("the ledger has no fact %s", id))
	return claims.Value{}
}

// condition returns a condition of a claim.
func (p *printed) condition(id claims.ID, name string) claims.Value {
	c, err := p.ledger.Lookup(id)
	if err != nil {
		p.errs = append(p.errs, err)
		return claims.Value{}
	}
	v, ok := c.Conditions.Get(name)
	if !ok {
		p.errs = append(p.errs, fmt.Errorf("claim %s has no condition %q", id, name))
	}
	return v
}

func (p *printed) field(id claims.ID, v claims.Value, path []string) claims.Value {
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

// number returns a value that must be a number; what says which, for the error.
func (p *printed) number(v claims.Value, what string) float64 {
	x, ok := v.Number()
	if !ok {
		p.errs = append(p.errs, fmt.Errorf("%s is %s, not a number", what, v))
	}
	return x
}

// claimed is number of value.
func (p *printed) claimed(id claims.ID, field ...string) float64 {
	return p.number(p.value(id, field...), fmt.Sprint(id, field))
}

// known is number of fact.
func (p *printed) known(id claims.ID, field ...string) float64 {
	return p.number(p.fact(id, field...), fmt.Sprint(id, field))
}

// given is number of condition.
func (p *printed) given(id claims.ID, name string) float64 {
	return p.number(p.condition(id, name), fmt.Sprint(id, " ", name))
}
