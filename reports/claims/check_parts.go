package claims

import (
	"slices"
	"strings"
)

// Parts is met where each named part meets the check of its own.
type Parts struct {
	Parts PartList `yaml:"parts"`
	// Inputs are the parts that an experiment is fed with. They are never shown
	// as results and need not be measured; one that is must still be the paper's.
	Inputs []string `yaml:"inputs,omitempty"`
}

// PartList are the parts of a check.
type PartList []Part

// Part is one part of a check, in the order of the ledger.
type Part struct {
	Name  string
	Check Check
}

// Short is "comm_pct 67 ±3; batch_ms 1677 ±1%".
func (c Parts) Short() string {
	var words []string
	for _, p := range c.Parts {
		words = append(words, p.Name+" "+p.Check.Short())
	}
	return strings.Join(words, "; ")
}

// Meets implements [Check]. The reason names every part that fails.
func (c Parts) Meets(m Measured) (bool, string) {
	got, ok := m.outcome.(parts)
	if !ok {
		return false, wrongKind(m, "named parts")
	}
	var bad, good []string
	for _, p := range c.Parts {
		value, measured := got.get(p.Name)
		switch {
		case !measured && c.isInput(p.Name):
			good = append(good, p.Name+": input")
		case !measured:
			bad = append(bad, p.Name+" was not measured")
		default:
			ok, why := p.Check.Meets(value)
			if ok {
				good = append(good, p.Name+": "+c.reasonFor(p.Name, why))
			} else {
				bad = append(bad, p.Name+": "+why)
			}
		}
	}
	for _, p := range got {
		if !c.has(p.name) {
			bad = append(bad, p.name+" is no part of the check")
		}
	}
	if len(bad) > 0 {
		return false, strings.Join(bad, "; ")
	}
	return true, strings.Join(good, "; ")
}

// reasonFor keeps the number of an input out of the reasons of a pass.
func (c Parts) reasonFor(name, why string) string {
	if c.isInput(name) {
		return "input"
	}
	return why
}

func (c Parts) isInput(name string) bool { return slices.Contains(c.Inputs, name) }

func (c Parts) has(name string) bool {
	return slices.ContainsFunc(c.Parts, func(p Part) bool { return p.Name == name })
}

func (c Parts) names() []string {
	out := make([]string, len(c.Parts))
	for i, p := range c.Parts {
		out[i] = p.Name
	}
	return out
}
