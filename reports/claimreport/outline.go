package claimreport

import (
	"slices"
	"strings"
)

// paper is what a check has of one paper.
type paper struct {
	id     string // trio
	claims []*Claim
	places []*spot // in the order of the page
}

// spot is what a check has of one place of a paper.
type spot struct {
	place
	claims  []*Claim
	figures []drawn
}

// drawn is a figure with the experiment that drew it.
type drawn struct {
	*Figure
	by *Experiment
}

// outline sorts a record by paper, the order being that of the record, and by place.
func outline(r *Record) (out []*paper) {
	find := func(id string) *paper {
		i := slices.IndexFunc(out, func(p *paper) bool { return p.id == id })
		if i < 0 {
			i, out = len(out), append(out, &paper{id: id})
		}
		return out[i]
	}
	for i := range r.Claims {
		c := &r.Claims[i]
		p := find(c.Paper)
		p.claims = append(p.claims, c)
		s := p.at(placeOf(c.Where))
		s.claims = append(s.claims, c)
	}
	for i := range r.Experiments {
		x := &r.Experiments[i]
		for j := range x.Figures {
			if id, where, ok := home(r, x, &x.Figures[j]); ok {
				s := find(id).at(where)
				s.figures = append(s.figures, drawn{&x.Figures[j], x})
			}
		}
	}
	for _, p := range out {
		slices.SortStableFunc(p.places, func(a, b *spot) int { return a.compare(b.place) })
	}
	return out
}

// at returns the spot of a place.
func (p *paper) at(where place) *spot {
	for _, s := range p.places {
		if s.compare(where) == 0 {
			return s
		}
	}
	p.places = append(p.places, &spot{place: where})
	return p.places[len(p.places)-1]
}

// home is where a figure stands: with the number in its name, or with the first claim of its experiment. It is
// false of a figure of a paper that nothing was asked of.
func home(r *Record, x *Experiment, f *Figure) (paper string, where place, ok bool) {
	name := f.File[strings.LastIndex(f.File, "/")+1:]
	paper, _, _ = strings.Cut(name, ".")
	first := slices.IndexFunc(r.Claims, func(c Claim) bool { return c.Experiment == x.ID })
	if where, ok = placeOfID(name); ok && slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Paper == paper }) {
		return paper, where, true
	}
	if first < 0 {
		return "", place{}, false
	}
	return r.Claims[first].Paper, placeOf(r.Claims[first].Where), true
}
