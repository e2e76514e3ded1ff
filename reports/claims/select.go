package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
)

// Selection is a part of the ledger, in its order.
type Selection struct {
	Claims []*Claim
	Unseen []*Unseen
}

// Lookup returns the claim of an id.
func (l *Ledger) Lookup(id ID) (*Claim, error) {
	for _, c := range l.Claims {
		if c.ID == id {
			return c, nil
		}
	}
	return nil, fmt.Errorf("unknown claim %q%s", id, suggest.DidYouMean(string(id), l.ids()))
}

// All selects the whole ledger.
func (l *Ledger) All() Selection { return Selection{l.Claims, l.Unseen} }

// Select selects claims and unseen values by id, or by what ids begin with up
// to a point: "trio.fig13.vgg11.p16" is one claim, "trio.fig13" a figure, "trio"
// a paper. Each is selected once, however many names it has.
func (l *Ledger) Select(names ...string) (Selection, error) {
	for _, name := range names {
		if s := l.under(name); len(s.Claims)+len(s.Unseen) == 0 {
			return Selection{}, fmt.Errorf("unknown claim %q%s; inalab reproduce --list prints all", name, suggest.DidYouMean(name, l.names()))
		}
	}
	return l.under(names...), nil
}

// under returns what any of the names is of or stands above.
func (l *Ledger) under(names ...string) Selection {
	selected := func(id ID) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return name != "" && (string(id) == name || strings.HasPrefix(string(id), name+"."))
		})
	}
	var s Selection
	for _, c := range l.Claims {
		if selected(c.ID) {
			s.Claims = append(s.Claims, c)
		}
	}
	for _, w := range l.Unseen {
		if selected(w.ID) {
			s.Unseen = append(s.Unseen, w)
		}
	}
	return s
}

// ids lists the ids of the claims.
func (l *Ledger) ids() (out []string) {
	for _, c := range l.Claims {
		out = append(out, string(c.ID))
	}
	return out
}

// names lists what [Ledger.Select] takes: papers and figures before ids, so that
// a short word is answered with a short one.
func (l *Ledger) names() []string {
	var out []string
	ids := l.ids()
	for _, w := range l.Unseen {
		ids = append(ids, string(w.ID))
	}
	for depth := 1; len(ids) > 0; depth++ {
		var deeper []string
		for _, id := range ids {
			parts := strings.SplitN(id, ".", depth+1)
			name := strings.Join(parts[:min(depth, len(parts))], ".")
			if len(out) == 0 || out[len(out)-1] != name {
				out = append(out, name)
			}
			if len(parts) > depth {
				deeper = append(deeper, id)
			}
		}
		ids = deeper
	}
	return out
}
