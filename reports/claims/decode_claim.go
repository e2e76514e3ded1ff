package claims

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/yamldoc"
)

// entries reads entries that have an id. Agree looks at one that went well.
func entries[T any](d *decoder, list []yamldoc.Node, space string, agree func(n yamldoc.Node, entry *T)) (out []*T) {
	for _, n := range list {
		n.What = "a " + space
		if n.Type() == ast.MappingType {
			n.What = space
		}
		id, _ := n.Get("id")
		if name, _ := id.Text(); strings.TrimSpace(name) != "" {
			n.What += " " + name
		}
		entry := new(T)
		ok := n.Read(entry)
		d.unique(n, space)
		if ok && agree != nil {
			agree(n, entry)
		}
		out = append(out, entry)
	}
	return out
}

// claims reads the claims of one paper's file.
func (d *decoder) claims(paper Paper, top yamldoc.Node) {
	type rawClaim struct {
		Claim
		Check rawCheck `yaml:"check"`
	}
	var file struct {
		Claims []yamldoc.Node `yaml:"claims"`
	}
	top.Read(&file, "meta")
	for _, raw := range entries(d, file.Claims, spaceClaims, func(n yamldoc.Node, raw *rawClaim) {
		c := &raw.Claim
		c.Check = raw.Check.Check
		ofPaper(n, c.ID, c.Paper)
		if c.Paper != paper {
			n.FaultAt("paper", "%s: the claims of this file are of %s", c.Paper, paper)
		}
		d.sameAs(n, c)
		agree(n, c)
	}) {
		d.ledger.Claims = append(d.ledger.Claims, &raw.Claim)
	}
}

// ofPaper checks that an id begins with its paper.
func ofPaper(n yamldoc.Node, id ID, p Paper) {
	if !strings.HasPrefix(string(id), string(p)+".") {
		n.FaultAt("id", "%q: the id must begin with %q, as the paper says", id, string(p)+".")
	}
}

// sameAs notes which claims this one restates. Whether they exist is known when
// all files are read.
func (d *decoder) sameAs(n yamldoc.Node, c *Claim) {
	if list, ok := n.Get("same_as"); ok {
		for i, id := range list.List() {
			d.references = append(d.references, reference{id, c.ID, c.SameAs[i]})
		}
	}
}

// agree checks what the fields of a claim must say of each other.
func agree(n yamldoc.Node, c *Claim) {
	_, unchecked := c.Check.(None)
	none := c.Method == NoWay
	switch {
	case c.Difficulty < 1 || c.Difficulty > 5:
		n.FaultAt("difficulty", "%d: allowed are whole numbers from 1 to 5", c.Difficulty)
	case none != (c.PassMeans == MeansNotCheckable):
		n.FaultAt("pass_means", "%s does not go with method %s: %s goes with %s, and with nothing else", c.PassMeans, c.Method, MeansNotCheckable, NoWay)
	case none != unchecked:
		n.FaultAt("check", "the method is %s: {op: %s} goes with method %s, and with nothing else", c.Method, OpNone, NoWay)
	case none && c.KnownFailure != nil:
		n.FaultAt("known_failure", "what is not checked cannot fail")
	case none && c.Undetermined != nil:
		n.FaultAt("undetermined", "nothing that is assumed decides what is not checked")
	case c.KnownFailure != nil && c.Undetermined != nil:
		n.FaultAt("undetermined", "known_failure is there too: a claim fails whatever is assumed, or what is assumed decides")
	}
	agreeEvidence(n, c)
	agreeNull(n, c)
	fed := c.PassMeans == MeansInput || c.PassMeans == MeansNumberPartInput
	if fed && c.InputReason == "" {
		n.Fault("input_reason is missing: say which numbers are fed in, as pass_means is %s", c.PassMeans)
	}
	if !fed && c.InputReason != "" {
		n.FaultAt("input_reason", "nothing is fed in where pass_means is %s", c.PassMeans)
	}
}
