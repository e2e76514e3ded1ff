package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/topo"
)

// Limits of a chassis: as many as the largest that Juniper sells (MX2020: 20 cards) has, with room for
// cards to come (assumed).
const (
	maxCards = 32
	maxPFEs  = 16  // of a card
	maxPorts = 256 // of a PFE
)

// chassis makes that of a node. PFEs are counted from 1 over the whole chassis, and ports are called
// et-<slot>-<PFE of the card>-<port>, as in topo/gen.
func (r *resolver) chassis(m *made, kind, own Traits) *topo.Chassis {
	cards, path := own.Cards, m.path
	if cards == nil && kind.Cards != nil {
		cards, path = kind.Cards, strings.TrimSuffix(r.saidAt(m, false, ""), ".")
	}
	c := &topo.Chassis{Fabric: r.base.Fabric}
	if kind.Fabric != nil {
		c.Fabric = r.link(r.saidAt(m, false, "fabric"), *kind.Fabric, c.Fabric)
	}
	if own.Fabric != nil {
		c.Fabric = r.link(m.path+".fabric", *own.Fabric, c.Fabric)
	}
	if len(cards) == 0 {
		r.wrong(m.path, "a chassis has line cards: write them, as in cards: [{pfes: 3, ports: 4}, {pfes: 3, ports: 4}]")
	}
	if len(cards) > maxCards {
		r.wrong(path+".cards", "%d cards: at most %d are allowed", len(cards), maxCards)
		cards = cards[:maxCards]
	}
	for i := range cards {
		r.card(c, fmt.Sprintf("%s.cards[%d]", path, i), i, cards[i])
	}
	r.top(c, m, kind.Top, own.Top)
	return c
}

// card adds the PFEs of a line card.
func (r *resolver) card(c *topo.Chassis, path string, i int, card Card) {
	slot := i
	if card.Slot != nil {
		slot = *card.Slot
		r.within(path+".slot", slot, 0, 99)
	}
	if !r.within(path+".pfes", card.PFEs, 1, maxPFEs) || !r.within(path+".ports", card.Ports, 1, maxPorts) {
		return
	}
	for k := range card.PFEs {
		pfe := topo.PFE{Name: fmt.Sprintf("pfe%d", len(c.PFEs)+1), FPC: slot, Index: k}
		for port := range card.Ports {
			pfe.Ports = append(pfe.Ports, fmt.Sprintf("et-%d-%d-%d", slot, k, port))
		}
		c.PFEs = append(c.PFEs, pfe)
	}
}

// top finds the PFE that aggregates at top level: the first, where none is named.
func (r *resolver) top(c *topo.Chassis, m *made, kind, own string) {
	name, path := own, m.path+".top"
	if own == "" {
		name, path = kind, r.saidAt(m, false, "top")
	}
	if name == "" || len(c.PFEs) == 0 {
		return
	}
	var names []string
	for _, p := range c.PFEs {
		names = append(names, p.Name)
	}
	if c.Top = slices.Index(names, name); c.Top < 0 {
		c.Top = 0
		r.wrong(path, "there is no PFE %q: the chassis has %s%s", name, strings.Join(names, ", "), suggest.DidYouMean(name, names))
	}
}

// within reports a number that is not allowed, or a fraction.
func (r *resolver) within(path string, n, lo, hi int) bool {
	if err := r.Whole(path); err != nil {
		r.errs = append(r.errs, err)
		return false
	}
	if n < lo || n > hi {
		r.wrong(path, "%d: allowed are %d to %d", n, lo, hi)
		return false
	}
	return true
}
