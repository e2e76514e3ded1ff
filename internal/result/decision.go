package result

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// Decision is something that a node decided by itself in a run, with the reason: a row of decisions.csv.
type Decision struct {
	At   units.Time `json:"at_ps"`
	Node string     `json:"node"`
	Text string     `json:"text"` // a line for users
}

// Decider is the machine of a server that decides things of which a user should know: who left, and why.
type Decider interface {
	// Decisions returns what was decided, in order. It is called once, at the end of a run; who decided
	// need not be said.
	Decisions() []Decision
}

// Decide adds what a node decided.
func (c *Cell) Decide(list []Decision) {
	c.Decisions = append(c.Decisions, list...)
	slices.SortStableFunc(c.Decisions, func(a, b Decision) int { return cmp.Compare(a.At, b.At) })
}

// DecisionsOf returns what the machine of a node decided; nothing if it is no [Decider].
func DecisionsOf(node string, machine any) []Decision {
	d, ok := machine.(Decider)
	if !ok {
		return nil
	}
	list := d.Decisions()
	for i := range list {
		list[i].Node = node
	}
	return list
}
