package claimreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/page"
)

// New returns the page of a check.
func New(s *Source) *page.Page {
	c := newCheck(s)
	return &page.Page{
		Title: c.title(), Kind: "inalab · check of claims", Subtitle: c.subtitle(), Verdict: c.banner(), Lead: c.lead(),
		Search: c.search(), Sections: c.sections(), Foot: c.foot(), Book: true,
	}
}

// check is a source, sorted.
type check struct {
	*Source
	papers    []*paper
	addresses map[*Claim]string // on the page; looked up
}

func newCheck(s *Source) *check {
	c := &check{Source: s, papers: outline(s.Record), addresses: map[*Claim]string{}}
	taken := map[string]int{}
	for _, k := range c.all() {
		c.addresses[k] = address(k.ID, taken)
	}
	return c
}

// names are those of the papers, and where they appeared.
var names = map[string]struct{ name, source string }{
	"trio":     {"Trio-ML", "SIGCOMM 2022"},
	"switchml": {"SwitchML", "NSDI 2021"},
	"atp":      {"ATP", "NSDI 2021"},
	"xagg":     {"XAgg", "IEEE/ACM Transactions on Networking 2023"},
}

// name is that of a paper; one that is not known here has its id.
func (p *paper) name() string { return cmp.Or(names[p.id].name, p.id) }

func (c *check) title() string {
	var words []string
	for _, p := range c.papers {
		words = append(words, p.name())
	}
	if len(words) == 0 {
		return "No claims"
	}
	return "Claims of " + listed(words)
}

// listed joins words as a sentence does.
func listed(words []string) string {
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " and " + words[n]
	}
	return strings.Join(words, "")
}

func (c *check) subtitle() string {
	text := "What the papers print, what was measured here, and what came of each claim"
	if c.Record.Quick {
		text += "; a quick check, for which experiments are cut short"
	}
	return text + "."
}

// sections are the totals, the papers, and what all rests on.
func (c *check) sections() (out []page.Section) {
	out = append(out, page.Section{ID: "totals", Title: "Totals", Blocks: c.totals()})
	for _, p := range c.papers {
		out = append(out, c.paper(p))
	}
	out = append(out,
		page.Section{ID: "verdicts", Title: "How to read a claim", Blocks: howToRead()},
		page.Section{ID: "readings", Title: "Readings", Blocks: c.readings()},
		page.Section{ID: "constants", Title: "Constants", Blocks: c.constants()},
		page.Section{ID: "provenance", Title: "Provenance", Blocks: c.provenance()},
	)
	return slices.DeleteFunc(out, func(s page.Section) bool { return len(s.Blocks)+len(s.Sections) == 0 })
}

// paper is the section of a paper, with one below for each place.
func (c *check) paper(p *paper) page.Section {
	prefix := page.SectionID(p.id)
	out := page.Section{ID: prefix, Title: p.name()}
	if source := names[p.id].source; source != "" {
		out.Title += ", " + source
	}
	out.Blocks = append(out.Blocks, page.Paragraph{Text: sentence(counts(p.claims))})
	if t := tally(ofPapers(p.claims)).Table(ours(p.claims)); len(t.Rows) > 0 {
		out.Blocks = append(out.Blocks, page.Details{Summary: "Totals of " + p.name() + " by evidence", Blocks: []page.Block{page.Table{Table: titled(t, p.name()), Plain: true}}})
	}
	for _, s := range p.places {
		sub := page.Section{ID: prefix + "-" + s.id(), Title: s.title(), Blocks: c.figures(s)}
		for _, claim := range s.claims {
			sub.Blocks = append(sub.Blocks, c.card(claim))
		}
		out.Sections = append(out.Sections, sub)
	}
	return out
}

// counts is "12 claims: 7 reproduced, 5 known-failure".
func counts(list []*Claim) string {
	n := map[claims.Verdict]int{}
	for _, c := range list {
		n[c.Verdict]++
	}
	var words []string
	for _, v := range claims.Verdicts {
		if n[v] > 0 {
			words = append(words, fmt.Sprintf("%d %s", n[v], v))
		}
	}
	return plural(len(list), "claim") + ": " + strings.Join(words, ", ")
}

// sentence ends text with a point.
func sentence(text string) string { return strings.TrimRight(text, ".") + "." }

// address returns an address for an id: each once, whatever the ids are.
func address(id string, taken map[string]int) string {
	a := page.CardID(id)
	if taken[a]++; taken[a] > 1 || !strings.Contains(a, ".") {
		return fmt.Sprintf("%s.claim-%d", a, taken[a]) // those of sections have no point
	}
	return a
}

func (c *check) foot() string {
	return "Made from the directory " + c.Name + ", recorded by inalab " + c.Manifest.Version + "."
}
