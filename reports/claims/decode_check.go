package claims

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/yamldoc"
)

// check reads the check of a claim, or returns nil after a fault.
func check(claim *yamldoc.Mapping) Check {
	n, ok := claim.Need("check", "write {op: ...}")
	if !ok {
		return nil
	}
	return checkIn(n, texts(ops))
}

// checkIn reads a check of one of the forms that are allowed.
func checkIn(n yamldoc.Node, allowed []string) Check {
	before := n.Doc.Faults()
	m := n.Mapping()
	if m == nil {
		return nil
	}
	op, ok := m.Need("op", "allowed are "+strings.Join(allowed, ", "))
	if !ok {
		return nil
	}
	word := op.Word(allowed)
	if word == "" {
		return nil
	}
	c := form(m, Op(word))
	m.Close()
	if n.Doc.Faults() > before {
		return nil
	}
	return c
}

// form reads what belongs to an op.
func form(m *yamldoc.Mapping, op Op) Check {
	switch op {
	case OpWithin:
		return within(m)
	case OpRange:
		return fields(m, Range{}, func(c Range) {
			if c.Min > c.Max {
				m.FaultAt("max", "%s is below min, %s", digits(c.Max), digits(c.Min))
			}
		})
	case OpMin:
		return fields(m, Min{}, nil)
	case OpMax:
		return fields(m, Max{}, nil)
	case OpEqual:
		return fields(m, Equal{}, func(c Equal) { measurable(m, c.Value) })
	case OpOrder:
		return fields(m, Order{Strict: true}, func(c Order) {
			if len(c.Groups) < 2 {
				m.FaultAt("names", "an order takes two or more groups")
			}
		})
	case OpMonotone:
		return fields(m, Monotone{}, func(c Monotone) { monotone(m, c) })
	case OpParts:
		return partsOf(m)
	}
	return None{}
}

// fields reads a check whose fields are its keys, and lets more look at it.
func fields[C Check](m *yamldoc.Mapping, c C, more func(C)) Check {
	if m.Read(&c) && more != nil {
		more(c)
	}
	return c
}

func within(m *yamldoc.Mapping) Check {
	var raw struct {
		Of  float64  `yaml:"of"`
		Abs *float64 `yaml:"abs,omitempty"`
		Rel *float64 `yaml:"rel,omitempty"`
	}
	if !m.Read(&raw) {
		return nil
	}
	margin, key := raw.Abs, "abs"
	if raw.Rel != nil {
		margin, key = raw.Rel, "rel"
	}
	switch {
	case raw.Abs != nil && raw.Rel != nil:
		m.FaultAt("rel", "abs is there too: one of them is needed")
	case margin == nil:
		m.Fault("abs, or rel for a fraction, is missing")
	case *margin < 0:
		m.FaultAt(key, "%s: a margin is zero or more", digits(*margin))
	case raw.Of == 0 && key == "rel":
		m.FaultAt("rel", "a fraction of 0 is 0: write abs")
	default:
		return Within{raw.Of, *margin, key == "rel"}
	}
	return nil
}

// measurable refuses values that no experiment can measure.
func measurable(m *yamldoc.Mapping, v Value) {
	scalar := func(v Value) bool { return v.kind == valueNumber || v.kind == valueWord }
	switch {
	case v.kind == valueFields:
		m.FaultAt("value", "named values are compared one by one: write {op: parts, ...}")
	case v.kind == valueList && slices.ContainsFunc(v.list, func(v Value) bool { return !scalar(v) }):
		m.FaultAt("value", "a list of numbers or words is needed here")
	}
}

// ReadYAML reads a list of names, each a group of its own, or of lists.
func (g *Groups) ReadYAML(n yamldoc.Node) {
	var all []string
	for _, item := range n.List() {
		group := []yamldoc.Node{item}
		if _, ok := item.Node.(*ast.SequenceNode); ok {
			group = item.List()
		}
		if len(group) == 0 {
			item.Fault("the group is empty")
		}
		for _, name := range group {
			s, ok := name.Text()
			if !ok || s == "" || slices.Contains(all, s) {
				name.Fault("%q: names are needed here, each once", name.GetToken().Value)
			}
			all = append(all, s)
		}
		*g = append(*g, all[len(all)-len(group):])
	}
}

func monotone(m *yamldoc.Mapping, c Monotone) {
	switch hasRho := m.Has("rho"); {
	case hasRho && c.Strict:
		m.FaultAt("rho", "strict is there too: one of them is needed")
	case hasRho && (c.Rho <= 0 || c.Rho > 1):
		m.FaultAt("rho", "%s: allowed are correlations above 0, up to 1; direction says which way", digits(c.Rho))
	case !hasRho && !c.Strict:
		m.Fault("rho, or strict: true, is missing")
	}
}

// partsOf reads named checks. Parts have no parts.
func partsOf(m *yamldoc.Mapping) Check {
	var c Parts
	n, ok := m.Need("parts", "write {name: {op: ...}, ...}")
	if !ok {
		return nil
	}
	in := n.Mapping()
	if in == nil {
		return nil
	}
	for _, name := range in.Keys {
		part, _ := in.Get(name)
		part.What = m.What + ": " + name
		c.Parts = append(c.Parts, Part{name, checkIn(part, texts(ops[:slices.Index(ops, OpParts)]))})
	}
	if len(c.Parts) == 0 {
		n.Fault("one part or more is needed")
	}
	m.Read(&c)
	for _, name := range c.Inputs {
		if !c.has(name) {
			m.FaultAt("inputs", "%q is no part of the check%s", name, suggest.DidYouMean(name, c.names()))
		}
	}
	return c
}
