package claims

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// claims reads the claims of one paper's file.
func (d *decoder) claims(paper Paper, top *mapping) {
	for _, n := range top.list("claims") {
		m := top.src.mapping(n, "a claim")
		if m == nil {
			continue
		}
		c := d.claim(m)
		m.close()
		if c.Paper != paper && c.Paper != "" {
			m.fault("paper", "%s: the claims of this file are of %s", c.Paper, paper)
		}
		d.ledger.Claims = append(d.ledger.Claims, c)
	}
}

// claim reads one entry. Whatever is wrong with it has become a fault.
func (d *decoder) claim(m *mapping) *Claim {
	c := &Claim{ID: d.id(m, spaceClaims)}
	c.Paper = paperOf(m, c.ID)
	c.Where = m.text("where")
	c.Statement = m.text("statement")
	c.Kind = word(m, "kind", kinds)
	c.Origin = word(m, "origin", origins)
	c.Metric = m.text("metric")
	c.Value = m.value("value")
	c.Unit = m.text("unit")
	c.Comparator = m.text("comparator")
	c.Conditions = m.fields("conditions")
	c.Method = word(m, "method", methods)
	c.How = m.text("how")
	c.Tolerance = tolerance(m)
	c.Difficulty = m.whole("difficulty", 1, 5)
	c.Headline = m.flag("headline")
	c.PassMeans = word(m, "pass_means", passMeanings)
	c.NullPasses = m.flagIf("null_passes", false)
	c.Note = m.textIf("note")
	c.InputReason = m.textIf("input_reason")
	c.Reason = m.textIf("reason")
	c.Check = check(m)
	c.KnownFailure = knownFailure(m)
	d.sameAs(m, c)
	agree(m, c)
	return c
}

// paperOf reads the paper, with which the id must begin.
func paperOf(m *mapping, id ID) Paper {
	p := word(m, "paper", Papers)
	if id != "" && p != "" && !strings.HasPrefix(string(id), string(p)+".") {
		m.fault("id", "%q: the id must begin with %q, as the paper says", id, string(p)+".")
	}
	return p
}

func tolerance(m *mapping) Tolerance {
	in := m.inner("tolerance", ": write {accept: ..., why: ...}")
	if in == nil {
		return Tolerance{}
	}
	defer in.close()
	return Tolerance{Accept: in.text("accept"), Why: in.text("why")}
}

func knownFailure(m *mapping) *KnownFailure {
	if !m.has("known_failure") {
		return nil
	}
	in := m.inner("known_failure", "")
	if in == nil {
		return nil
	}
	defer in.close()
	return &KnownFailure{Measured: in.value("measured"), Reason: in.text("reason"), QuickPasses: in.flagIf("quick_passes", false)}
}

// sameAs reads which claims this one restates. Whether they exist is known when
// all files are read.
func (d *decoder) sameAs(m *mapping, c *Claim) {
	if !m.has("same_as") {
		return
	}
	ids := m.texts("same_as")
	items := m.get("same_as")
	for i, id := range ids {
		if id == "" {
			continue // a fault already
		}
		n := items
		if seq, ok := items.(*ast.SequenceNode); ok {
			n = seq.Values[i]
		}
		c.SameAs = append(c.SameAs, ID(id))
		d.references = append(d.references, reference{m, n, c.ID, ID(id)})
	}
}

// agree checks what the fields of a claim must say of each other.
func agree(m *mapping, c *Claim) {
	_, unchecked := c.Check.(None)
	none := c.Method == NoWay
	switch {
	case c.Method != "" && c.PassMeans != "" && none != (c.PassMeans == MeansNotCheckable):
		m.fault("pass_means", "%s does not go with method %s: %s goes with %s, and with nothing else", c.PassMeans, c.Method, MeansNotCheckable, NoWay)
	case c.Method != "" && c.Check != nil && none != unchecked:
		m.fault("check", "the method is %s: {op: %s} goes with method %s, and with nothing else", c.Method, OpNone, NoWay)
	case none && c.KnownFailure != nil:
		m.fault("known_failure", "what is not checked cannot fail")
	}
	fed := c.PassMeans == MeansInput || c.PassMeans == MeansNumberPartInput
	if fed && c.InputReason == "" {
		m.src.fault(m.pos, "%s: input_reason is missing: say which numbers are fed in, as pass_means is %s", m.what, c.PassMeans)
	}
	if !fed && c.InputReason != "" && c.PassMeans != "" {
		m.fault("input_reason", "nothing is fed in where pass_means is %s", c.PassMeans)
	}
}
