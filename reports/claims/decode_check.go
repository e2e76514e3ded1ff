package claims

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/yamldoc"
)

// rawCheck reads a check of any form.
type rawCheck struct{ Check }

// Wanted says what to write for a check.
func (rawCheck) Wanted() string { return "write {op: ...}" }

// ReadYAML reads a check. After a fault there is none.
func (c *rawCheck) ReadYAML(n yamldoc.Node) { c.Check = checkIn(n, texts(ops)) }

// checkIn reads a check of one of the forms that are allowed.
func checkIn(n yamldoc.Node, allowed []string) Check {
	op, ok := n.Get("op")
	switch {
	case n.Type() != ast.MappingType:
		n.Fault("keys with values are needed here")
	case !ok:
		n.Fault("op is missing: allowed are %s", strings.Join(allowed, ", "))
	default:
		return form(n, Op(op.Word(allowed)))
	}
	return nil
}

// form reads what belongs to an op.
func form(n yamldoc.Node, op Op) Check {
	switch op {
	case OpWithin:
		return within(n)
	case OpRange:
		return fields(n, Range{}, func(c Range) {
			if c.Min > c.Max {
				n.FaultAt("max", "%s is below min, %s", digits(c.Max), digits(c.Min))
			}
		})
	case OpMin:
		return fields(n, Min{}, nil)
	case OpMax:
		return fields(n, Max{}, nil)
	case OpEqual:
		return fields(n, Equal{}, func(c Equal) { measurable(n, c.Value) })
	case OpOrder:
		return fields(n, Order{Strict: true}, func(c Order) {
			if len(c.Groups) < 2 {
				n.FaultAt("names", "an order takes two or more groups")
			}
		})
	case OpMonotone:
		return fields(n, Monotone{}, func(c Monotone) { monotone(n, c) })
	case OpParts:
		return fields(n, Parts{}, func(c Parts) { inputs(n, c) })
	case OpNone:
		return fields(n, None{}, nil)
	}
	return nil // the op was a fault
}

// fields reads a check whose fields are its keys, and lets agree look at it.
func fields[C Check](n yamldoc.Node, c C, agree func(C)) Check {
	if n.Read(&c, "op") && agree != nil {
		agree(c)
	}
	return c
}

func within(n yamldoc.Node) Check {
	var raw struct {
		Of  float64  `yaml:"of"`
		Abs *float64 `yaml:"abs,omitempty"`
		Rel *float64 `yaml:"rel,omitempty"`
	}
	if !n.Read(&raw, "op") {
		return nil
	}
	margin, key := raw.Abs, "abs"
	if raw.Rel != nil {
		margin, key = raw.Rel, "rel"
	}
	switch {
	case raw.Abs != nil && raw.Rel != nil:
		n.FaultAt("rel", "abs is there too: one of them is needed")
	case margin == nil:
		n.Fault("abs, or rel for a fraction, is missing")
	case *margin < 0:
		n.FaultAt(key, "%s: a margin is zero or more", digits(*margin))
	case raw.Of == 0 && key == "rel":
		n.FaultAt("rel", "a fraction of 0 is 0: write abs")
	default:
		return Within{raw.Of, *margin, key == "rel"}
	}
	return nil
}

// measurable refuses values that no experiment can measure.
func measurable(n yamldoc.Node, v Value) {
	scalar := func(v Value) bool { return v.kind == valueNumber || v.kind == valueWord }
	switch {
	case v.kind == valueFields:
		n.FaultAt("value", "named values are compared one by one: write {op: parts, ...}")
	case v.kind == valueList && slices.ContainsFunc(v.list, func(v Value) bool { return !scalar(v) }):
		n.FaultAt("value", "a list of numbers or words is needed here")
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

func monotone(n yamldoc.Node, c Monotone) {
	_, hasRho := n.Get("rho")
	switch {
	case hasRho && c.Strict:
		n.FaultAt("rho", "strict is there too: one of them is needed")
	case hasRho && (c.Rho <= 0 || c.Rho > 1):
		n.FaultAt("rho", "%s: allowed are correlations above 0, up to 1; direction says which way", digits(c.Rho))
	case !hasRho && !c.Strict:
		n.Fault("rho, or strict: true, is missing")
	}
}

// Wanted says what to write for parts.
func (PartList) Wanted() string { return "write {name: {op: ...}, ...}" }

// ReadYAML reads named checks. Parts have no parts.
func (l *PartList) ReadYAML(n yamldoc.Node) {
	for _, name := range n.Keys() {
		part, _ := n.Get(name)
		part.What = strings.TrimSuffix(n.What, "parts") + name
		*l = append(*l, Part{name, checkIn(part, texts(ops[:slices.Index(ops, OpParts)]))})
	}
	if len(*l) == 0 {
		n.Fault("one part or more is needed")
	}
}

func inputs(n yamldoc.Node, c Parts) {
	for _, name := range c.Inputs {
		if !c.has(name) {
			n.FaultAt("inputs", "%q is no part of the check%s", name, suggest.DidYouMean(name, c.names()))
		}
	}
}
