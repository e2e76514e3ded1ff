package claims

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/suggest"
)

// check reads the check of a claim, or returns nil after a fault.
func check(claim *mapping) Check {
	m := claim.inner("check", ": write {op: ...}")
	if m == nil {
		return nil
	}
	return checkIn(m, ops)
}

// checkIn reads a check of one of the forms that are allowed.
func checkIn(m *mapping, allowed []Op) Check {
	before := len(m.src.faults)
	op := word(m, "op", allowed)
	if len(m.src.faults) > before {
		return nil
	}
	c := form(m, op)
	m.close()
	if len(m.src.faults) > before {
		return nil
	}
	return c
}

// form reads what belongs to an op.
func form(m *mapping, op Op) Check {
	switch op {
	case OpWithin:
		return within(m)
	case OpRange:
		c := Range{m.number("min"), m.number("max")}
		if m.has("min") && m.has("max") && c.Min > c.Max {
			m.fault("max", "%s is below min, %s", digits(c.Max), digits(c.Min))
		}
		return c
	case OpMin:
		return Min{m.number("value")}
	case OpMax:
		return Max{m.number("value")}
	case OpEqual:
		return equalTo(m)
	case OpOrder:
		return Order{Groups: groups(m), Strict: m.flagIf("strict", true)}
	case OpMonotone:
		return monotone(m)
	case OpParts:
		return partsOf(m)
	}
	return None{}
}

func within(m *mapping) Check {
	c := Within{Of: m.number("of"), Relative: m.has("rel")}
	switch hasAbs := m.has("abs"); {
	case c.Relative && hasAbs:
		m.fault("rel", "abs is there too: one of them is needed")
	case c.Relative:
		c.Margin = margin(m, "rel")
		if c.Of == 0 {
			m.fault("rel", "a fraction of 0 is 0: write abs")
		}
	case hasAbs:
		c.Margin = margin(m, "abs")
	default:
		m.src.fault(m.pos, "%s: abs, or rel for a fraction, is missing", m.what)
	}
	return c
}

func margin(m *mapping, key string) float64 {
	x := m.number(key)
	if x < 0 {
		m.fault(key, "%s: a margin is zero or more", digits(x))
	}
	return x
}

// equalTo refuses values that no experiment can measure.
func equalTo(m *mapping) Check {
	v := m.value("value")
	scalar := func(v Value) bool { return v.kind == valueNumber || v.kind == valueWord }
	switch {
	case v.kind == valueFields:
		m.fault("value", "named values are compared one by one: write {op: parts, ...}")
	case v.kind == valueList && slices.ContainsFunc(v.list, func(v Value) bool { return !scalar(v) }):
		m.fault("value", "a list of numbers or words is needed here")
	}
	return Equal{v}
}

// groups reads names: a list of names, each a group of its own, or of lists.
func groups(m *mapping) [][]string {
	var out [][]string
	var all []string
	add := func(n ast.Node) {
		s, ok := textOf(n)
		if !ok || s == "" || slices.Contains(all, s) {
			m.src.fault(place(n), "%s: names: %q: names are needed here, each once", m.what, n.GetToken().Value)
		}
		all = append(all, s)
		out[len(out)-1] = append(out[len(out)-1], s)
	}
	for _, n := range m.list("names") {
		out = append(out, nil)
		seq, ok := n.(*ast.SequenceNode)
		if !ok {
			add(n)
			continue
		}
		for _, item := range seq.Values {
			add(item)
		}
		if len(seq.Values) == 0 {
			m.src.fault(place(n), "%s: names: the group is empty", m.what)
		}
	}
	if len(out) < 2 && m.has("names") {
		m.fault("names", "an order takes two or more groups")
	}
	return out
}

func monotone(m *mapping) Check {
	c := Monotone{Direction: word(m, "direction", directions), Strict: m.flagIf("strict", false)}
	switch hasRho := m.has("rho"); {
	case hasRho && c.Strict:
		m.fault("rho", "strict is there too: one of them is needed")
	case hasRho:
		if c.Rho = m.number("rho"); c.Rho <= 0 || c.Rho > 1 {
			m.fault("rho", "%s: allowed are correlations above 0, up to 1; direction says which way", digits(c.Rho))
		}
	case !c.Strict:
		m.src.fault(m.pos, "%s: rho, or strict: true, is missing", m.what)
	}
	return c
}

// partsOf reads named checks. Parts have no parts.
func partsOf(m *mapping) Check {
	var c Parts
	in := m.inner("parts", ": write {name: {op: ...}, ...}")
	if in == nil {
		return c
	}
	for _, p := range in.pairs {
		name := p.Key.GetToken().Value
		of := m.src.mapping(p.Value, m.what+": "+name)
		if of == nil {
			continue
		}
		c.Parts = append(c.Parts, Part{name, checkIn(of, ops[:slices.Index(ops, OpParts)])})
	}
	if len(in.pairs) == 0 {
		m.fault("parts", "one part or more is needed")
	}
	c.Inputs = m.textsIf("inputs")
	for _, name := range c.Inputs {
		if !c.has(name) {
			m.fault("inputs", "%q is no part of the check%s", name, suggest.DidYouMean(name, c.names()))
		}
	}
	return c
}
