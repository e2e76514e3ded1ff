package claims

import (
	"slices"

	"github.com/inalab/inalab/internal/yamldoc"
)

// shares are the units of factors and shares.
var shares = []string{"x", "percent", "%"}

// compares reports whether a comparison decides that something measured without the effect may
// meet too: a factor, a share, or a band of numbers. What is arithmetic or fed in has no effect,
// and equal numbers meet no strict order and no trend.
func (c *Claim) compares() bool {
	if c.Method == NoWay || c.Evidence == EvidenceArithmetic || c.Evidence == EvidenceInput {
		return false
	}
	share := c.Kind == KindRatio || slices.Contains(shares, c.Unit)
	return banded(c.Check) || share && !ordersAlone(c.Check)
}

// ordersAlone reports whether a check is of orders and trends alone.
func ordersAlone(c Check) bool {
	switch c := c.(type) {
	case Order, Monotone:
		return true
	case Parts:
		return !slices.ContainsFunc(c.Parts, func(p Part) bool { return !c.isInput(p.Name) && !ordersAlone(p.Check) })
	}
	return false
}

// banded reports whether more than one number meets the check, or a part of it that is not fed
// in. An order or a trend is no band: equal numbers have none, but for an order that allows them.
func banded(c Check) bool {
	switch c := c.(type) {
	case Within, Range, Min, Max:
		return true
	case Order:
		return !c.Strict
	case Parts:
		return slices.ContainsFunc(c.Parts, func(p Part) bool { return !c.isInput(p.Name) && banded(p.Check) })
	}
	return false
}

// asNull returns what a null value would be as a measured one, if it is of the kind that the
// check takes: for an order it is that of every name, for a trend that of two points.
func asNull(v Value, c Check) (Measured, bool) {
	x, isNumber := v.Number()
	switch c := c.(type) {
	case Equal:
		return Measured{outcome: v}, v.kind == c.Value.kind && (isNumber || v.kind == valueFlag)
	case Order:
		same := map[string]float64{}
		for _, name := range slices.Concat(c.Groups...) {
			same[name] = x
		}
		return Ranking(same), isNumber
	case Monotone:
		return Series(Point{X: 0, Y: x}, Point{X: 1, Y: x}), isNumber
	}
	return Number(x), isNumber
}

// nullMeets reports whether the check holds for what is measured without the effect. Of a
// check of parts those count that null_value names; wrong is what is no value, or the name of
// a part that the check does not have or is fed with.
func (c *Claim) nullMeets() (meets bool, wrong string) {
	parts, named := c.Check.(Parts)
	fields := c.NullValue.Fields()
	if !named || len(fields) == 0 {
		m, ok := asNull(c.NullValue, c.Check)
		if named || !ok {
			return false, c.NullValue.String()
		}
		meets, _ = c.Check.Meets(m)
		return meets, ""
	}
	meets = true
	for _, f := range fields {
		i := slices.Index(parts.names(), f.Name)
		if i < 0 || parts.isInput(f.Name) {
			return false, f.Name
		}
		m, ok := asNull(f.Value, parts.Parts[i].Check)
		if !ok {
			return false, f.Name
		}
		part, _ := parts.Parts[i].Check.Meets(m)
		meets = meets && part
	}
	return meets, ""
}

// agreeNull refuses a claim whose pass would be called more than a direction although a model
// without the effect passes too, or of which nobody can tell.
func agreeNull(n yamldoc.Node, c *Claim) {
	given, compares := c.NullValue.kind != valueNone, c.compares()
	switch {
	case compares && !given && c.NoNull == "":
		n.Fault("null_value is missing: say what is measured without the effect, as 1 for a speed-up or {part: 1} for a check of parts; or no_null, why there is nothing to be measured without it")
		return
	case c.NoNull != "" && given:
		n.FaultAt("no_null", "null_value is there too: one of them is needed")
	case c.NoNull != "" && !compares:
		n.FaultAt("no_null", "the check has no band, and the claim is of no factor or share: nothing is needed here")
	case c.NoNull != "" && c.NullPasses:
		n.FaultAt("null_passes", "no_null says that there is nothing that could pass")
	case given:
		meets, wrong := c.nullMeets()
		switch {
		case wrong != "":
			n.FaultAt("null_value", "%s: allowed are a number, yes or no, or these by the names of parts of the check that are not fed in", wrong)
		case meets != c.NullPasses:
			n.FaultAt("null_value", "the check %s %s for %s: null_passes is %t then", c.Check.Short(), holds(meets), c.NullValue, meets)
		}
	}
	if c.NullPasses && c.PassMeans != MeansDirection {
		n.FaultAt("pass_means", "%s: a model without the effect passes the check %s too: write %s, or narrow the check", c.PassMeans, c.Check.Short(), MeansDirection)
	}
}

func holds(b bool) string {
	if b {
		return "holds"
	}
	return "does not hold"
}
