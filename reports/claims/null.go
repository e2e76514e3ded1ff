package claims

import (
	"slices"

	"github.com/inalab/inalab/internal/yamldoc"
)

// called reports whether a pass may be called a number of the paper.
func (p PassMeans) called() bool {
	return p == MeansNumber || p == MeansNumberCoarse || p == MeansNumberPartInput
}

// compares reports whether a claim is of a factor or a share: then something is measured
// without the effect, too.
func (c *Claim) compares() bool { return c.Kind == KindRatio || c.Unit == "x" }

// nullMeets reports whether the check holds for what is measured without the effect. Of a
// check of parts those count that null_value names; why is the name of one that is no
// number, or that the check does not have.
func (c *Claim) nullMeets() (meets bool, why string) {
	parts, named := c.Check.(Parts)
	fields := c.NullValue.Fields()
	if x, ok := c.NullValue.Number(); ok && !named {
		meets, _ = c.Check.Meets(Number(x))
		return meets, ""
	}
	if !named || len(fields) == 0 {
		return false, c.NullValue.String()
	}
	meets = true
	for _, f := range fields {
		i := slices.Index(parts.names(), f.Name)
		x, ok := f.Value.Number()
		if i < 0 || !ok {
			return false, f.Name
		}
		part, _ := parts.Parts[i].Check.Meets(Number(x))
		meets = meets && part
	}
	return meets, ""
}

// agreeNull refuses a claim whose pass would be called a number although a model without
// the effect passes too, or of which nobody can tell.
func agreeNull(n yamldoc.Node, c *Claim) {
	given := c.NullValue.kind != valueNone
	if !given && c.PassMeans.called() && c.compares() {
		n.Fault("null_value is missing: say what is measured without the effect, as 1 for a speed-up or {part: 1} for a check of parts")
		return
	}
	if given {
		meets, wrong := c.nullMeets()
		switch {
		case wrong != "":
			n.FaultAt("null_value", "%s: allowed are a number, or numbers by the names of parts of the check", wrong)
		case meets != c.NullPasses:
			n.FaultAt("null_value", "the check %s %s for %s: null_passes is %t then", c.Check.Short(), holds(meets), c.NullValue, meets)
		}
	}
	if c.NullPasses && (c.PassMeans.called() || c.PassMeans == MeansProperty || c.PassMeans == MeansBound) {
		n.FaultAt("pass_means", "%s: a model without the effect passes the check %s too: write %s, or narrow the check", c.PassMeans, c.Check.Short(), MeansDirection)
	}
}

func holds(b bool) string {
	if b {
		return "holds"
	}
	return "does not hold"
}
