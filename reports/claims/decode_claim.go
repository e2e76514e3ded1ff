package claims

import (
	"strings"

	"github.com/inalab/inalab/internal/yamldoc"
)

// entries reads a list of entries that have an id. Finish reads and checks what
// the tags of T do not say; ok tells that all of them went well.
func entries[T any](d *decoder, top *yamldoc.Mapping, key, space string, finish func(m *yamldoc.Mapping, entry *T, ok bool)) []*T {
	var out []*T
	for _, n := range top.Items(key) {
		n.What = "a " + space
		m := n.Mapping()
		if m == nil {
			continue
		}
		m.What = space
		id, _ := m.Get("id")
		if name, _ := id.Text(); strings.TrimSpace(name) != "" {
			m.What += " " + name
		}
		entry := new(T)
		ok := m.Read(entry)
		d.unique(m, space)
		if finish != nil {
			finish(m, entry, ok)
		}
		m.Close()
		out = append(out, entry)
	}
	return out
}

// claims reads the claims of one paper's file.
func (d *decoder) claims(paper Paper, top *yamldoc.Mapping) {
	list := entries(d, top, "claims", spaceClaims, func(m *yamldoc.Mapping, c *Claim, ok bool) {
		c.Check = check(m)
		if !ok || c.Check == nil {
			return
		}
		ofPaper(m, c.ID, c.Paper)
		if c.Paper != paper {
			m.FaultAt("paper", "%s: the claims of this file are of %s", c.Paper, paper)
		}
		d.sameAs(m, c)
		agree(m, c)
	})
	d.ledger.Claims = append(d.ledger.Claims, list...)
}

// ofPaper checks that an id begins with its paper.
func ofPaper(m *yamldoc.Mapping, id ID, p Paper) {
	if !strings.HasPrefix(string(id), string(p)+".") {
		m.FaultAt("id", "%q: the id must begin with %q, as the paper says", id, string(p)+".")
	}
}

// sameAs notes which claims this one restates. Whether they exist is known when
// all files are read.
func (d *decoder) sameAs(m *yamldoc.Mapping, c *Claim) {
	if len(c.SameAs) == 0 {
		return
	}
	for i, n := range m.Items("same_as") {
		d.references = append(d.references, reference{n, c.ID, c.SameAs[i]})
	}
}

// agree checks what the fields of a claim must say of each other.
func agree(m *yamldoc.Mapping, c *Claim) {
	_, unchecked := c.Check.(None)
	none := c.Method == NoWay
	switch {
	case c.Difficulty < 1 || c.Difficulty > 5:
		m.FaultAt("difficulty", "%d: allowed are whole numbers from 1 to 5", c.Difficulty)
	case none != (c.PassMeans == MeansNotCheckable):
		m.FaultAt("pass_means", "%s does not go with method %s: %s goes with %s, and with nothing else", c.PassMeans, c.Method, MeansNotCheckable, NoWay)
	case none != unchecked:
		m.FaultAt("check", "the method is %s: {op: %s} goes with method %s, and with nothing else", c.Method, OpNone, NoWay)
	case none && c.KnownFailure != nil:
		m.FaultAt("known_failure", "what is not checked cannot fail")
	}
	fed := c.PassMeans == MeansInput || c.PassMeans == MeansNumberPartInput
	if fed && c.InputReason == "" {
		m.Fault("input_reason is missing: say which numbers are fed in, as pass_means is %s", c.PassMeans)
	}
	if !fed && c.InputReason != "" {
		m.FaultAt("input_reason", "nothing is fed in where pass_means is %s", c.PassMeans)
	}
}
