package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Order is met by named numbers that rise from group to group. Within a group
// any order will do; names that no group holds are not looked at.
type Order struct {
	Groups Groups `yaml:"names"`
	Strict bool   `yaml:"strict,omitempty"` // equal numbers of two groups are not in order
}

// Groups are groups of names. Each group holds one name or more.
type Groups [][]string

// Short is "ina < ps, ring < x", or with ≤ where equal numbers are in order.
func (c Order) Short() string {
	words := make([]string, len(c.Groups))
	for i, g := range c.Groups {
		words[i] = strings.Join(g, ", ")
	}
	return strings.Join(words, " "+c.sign()+" ")
}

func (c Order) sign() string {
	if c.Strict {
		return "<"
	}
	return "≤"
}

// Meets implements [Check].
func (c Order) Meets(m Measured) (bool, string) {
	got, ok := m.outcome.(ranking)
	if !ok {
		return false, wrongKind(m, "named numbers")
	}
	var last named // the largest of the groups so far
	for i, group := range c.Groups {
		smallest, largest, err := got.extremes(group)
		switch {
		case err != nil:
			return false, err.Error()
		case i > 0 && (c.Strict && !(last.value < smallest.value) || !atMost(last.value, smallest.value)):
			return false, fmt.Sprintf("%s %s is not %s %s %s", last.name, digits(last.value), c.sign(), smallest.name, digits(smallest.value))
		}
		last = largest // not below that of the group before, or it would have failed
	}
	return true, "in the order " + c.Short()
}

// extremes returns the smallest and the largest of a group.
func (r ranking) extremes(group []string) (smallest, largest named, err error) {
	for i, name := range group {
		at := slices.IndexFunc(r, func(n named) bool { return n.name == name })
		if at < 0 {
			return named{}, named{}, fmt.Errorf("%s was not measured", name)
		}
		n := r[at]
		if math.IsNaN(n.value) || math.IsInf(n.value, 0) {
			return named{}, named{}, fmt.Errorf("%s: %v is no result", name, n.value)
		}
		if i == 0 || n.value < smallest.value {
			smallest = n
		}
		if i == 0 || n.value > largest.value {
			largest = n
		}
	}
	return smallest, largest, nil
}

// Direction is the way that a series goes as x grows.
type Direction string

// The ways.
const (
	Increasing Direction = "increasing"
	Decreasing Direction = "decreasing"
)

// Words lists the ways.
func (Direction) Words() []string { return texts([]Direction{Increasing, Decreasing}) }

// Monotone is met by a series that goes one way: with Strict, from each point to
// the next; else, if its Spearman rank correlation reaches Rho that way.
type Monotone struct {
	Direction Direction `yaml:"direction"`
	Rho       float64   `yaml:"rho,omitempty"` // above 0, up to 1; not used with Strict
	Strict    bool      `yaml:"strict,omitempty"`
}

// Short is "increasing, rho ≥0.9" or "strictly increasing".
func (c Monotone) Short() string {
	if c.Strict {
		return "strictly " + string(c.Direction)
	}
	return string(c.Direction) + ", rho ≥" + digits(c.Rho)
}

// Meets implements [Check].
func (c Monotone) Meets(m Measured) (bool, string) {
	points, ok := m.outcome.(series)
	if !ok {
		return false, wrongKind(m, "a series")
	}
	if len(points) < 2 {
		return false, fmt.Sprintf("a series of %d points goes no way", len(points))
	}
	points = slices.SortedStableFunc(slices.Values(points), func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	for _, p := range points {
		if !p.finite() {
			return false, fmt.Sprintf("the point at %s is no result: %v", digits(p.X), p.Y)
		}
	}
	if c.Strict {
		return c.meetsStrictly(points)
	}
	rho := spearman(points)
	if c.Direction == Decreasing {
		rho = -rho
	}
	if math.IsNaN(rho) {
		return false, "all values are the same"
	}
	if !atMost(c.Rho, rho) {
		return false, fmt.Sprintf("not %s: rank correlation %s that way, below %s", c.Direction, digits(rho), digits(c.Rho))
	}
	return true, fmt.Sprintf("%s: rank correlation %s that way", c.Direction, digits(rho))
}

func (c Monotone) meetsStrictly(points series) (bool, string) {
	for i, p := range points[1:] {
		before := points[i]
		if before.X == p.X {
			return false, fmt.Sprintf("two values at %s", digits(p.X))
		}
		if c.Direction == Increasing && p.Y <= before.Y || c.Direction == Decreasing && p.Y >= before.Y {
			return false, fmt.Sprintf("not %s: %s at %s, %s at %s", c.Short(), digits(before.Y), digits(before.X), digits(p.Y), digits(p.X))
		}
	}
	return true, c.Short()
}

// spearman is the correlation of the ranks of x and y, equal values sharing the
// mean of theirs (Spearman 1904); NaN where all of one are equal.
func spearman(points series) float64 {
	x, y := make([]float64, len(points)), make([]float64, len(points))
	for i, p := range points {
		x[i], y[i] = p.X, p.Y
	}
	return stat.Correlation(ranks(x), ranks(y), nil)
}

func ranks(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		for _, w := range values {
			switch {
			case w < v:
				out[i]++
			case w == v:
				out[i] += 0.5 // itself included: half a rank more than the mean, for all alike
			}
		}
	}
	return out
}
