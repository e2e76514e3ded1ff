package claimreport

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/provenance"
	"github.com/inalab/inalab/reports/render"
)

// howToRead explains the words of a card.
func howToRead() []page.Block {
	verdicts := page.List{}
	for _, v := range claims.Verdicts {
		verdicts = append(verdicts, page.Item{Name: string(v), Value: v.Meaning()})
	}
	return []page.Block{
		page.Paragraph{Text: "On the line of a claim the grey band is what counts as a pass, the upright stroke what the paper prints, " +
			"and the dot what was measured, with its 95% interval. In figures black is what the text of the paper states. The mean decides; the interval is shown and not used."},
		verdicts,
		page.Paragraph{Text: "The evidence says what a verdict rests on. What no behaviour of the code can fail is arithmetic or an input, and never counted as reproduced."},
		page.List{
			{Name: string(claims.EvidenceSimulated), Value: "whole runs, or a chip with its timing, under the virtual clock"},
			{Name: string(claims.EvidenceLive), Value: "real packets between network namespaces"},
			{Name: string(claims.EvidenceUnit), Value: "a program of a switch, a host or a planner, driven by hand"},
			{Name: string(claims.EvidenceArithmetic), Value: "a calculation on printed numbers"},
			{Name: string(claims.EvidenceInput), Value: "a number that was fed in"},
		},
		page.Paragraph{Text: "The switch is what aggregated: pipeline is an emulated Tofino, microcode a program on an emulated PFE of Trio, both also with time; " +
			"reference is the protocol in Go, hosts are programs on hosts, and with none nothing aggregated."},
	}
}

// readings are the ambiguities of the papers: those that this check asked for, then all.
func (c *check) readings() []page.Block {
	var used, all []Reading
	for _, r := range c.Record.Readings {
		if r.UsedBy != "" {
			used = append(used, r)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil
	}
	out := []page.Block{page.Paragraph{Text: fmt.Sprintf("The papers leave %s open, or say them in two ways. Experiments of this check asked for %d.", plural(len(all), "thing"), len(used))}}
	for _, r := range used {
		out = append(out, page.Details{Summary: r.ID + " = " + r.Choice, Blocks: []page.Block{r.list()}})
	}
	rest := page.Details{Summary: "All others"}
	for _, r := range all {
		if r.UsedBy == "" {
			rest.Blocks = append(rest.Blocks, page.Paragraph{Text: r.ID, Strong: true}, r.list())
		}
	}
	if rest.Blocks != nil {
		out = append(out, rest)
	}
	return out
}

func (r *Reading) list() page.List {
	var out page.List
	for _, i := range []page.Item{
		{Name: "Where", Value: r.Where}, {Name: "What is open", Value: r.Issue}, {Name: "Reading", Value: r.Reading},
		{Name: "Choice", Value: r.Choice}, {Name: "Choices", Value: r.Choices}, {Name: "Asked for by", Value: r.UsedBy},
	} {
		if i.Value != "" {
			out = append(out, i)
		}
	}
	return out
}

// constants are the numbers that experiments of this check asked for: assumed ones, then those with a source.
func (c *check) constants() (out []page.Block) {
	for _, assumed := range []bool{true, false} {
		t := render.Table{Title: "From the papers and their sources", Columns: []render.Column{{Name: "constant"}, {Name: "value"}, {Name: "range"}, {Name: "source", Wrap: true}}}
		if assumed {
			t.Title = "Assumed: no paper prints them"
		}
		for _, k := range c.Record.Constants {
			if k.UsedBy != "" && k.Assumed == assumed {
				t.Rows = append(t.Rows, []render.Cell{render.Text(k.Name), render.Text(k.Value), render.Text(k.Range), render.Text(k.Source)})
			}
		}
		if len(t.Rows) > 0 {
			out = append(out, page.Details{Summary: fmt.Sprintf("%s (%d)", t.Title, len(t.Rows)), Blocks: []page.Block{page.Table{Table: t, Plain: true}}})
		}
	}
	if out == nil {
		return nil
	}
	return append([]page.Block{page.Paragraph{Text: "What hosts, links, switches and models cost, as far as experiments of this check asked for it. None was fitted to a result, " +
		"but for the fixed cost of a packet in an emulated PFE, which is an input."}}, out...)
}

// provenance says what made the numbers, and how to make them again.
func (c *check) provenance() []page.Block {
	m := &c.Manifest
	asked := page.Item{Name: "Asked for", Value: cmp.Or(strings.Join(c.Record.Asked, ", "), "every claim")}
	how := page.Item{Name: "Sensitivity"}
	if c.Record.Varied {
		how.Value = "each assumed constant also at both ends of its range"
	}
	out := []page.Block{provenance.List(c.Name, m, asked, how)}
	if typed := provenance.Typed(m); len(typed) > 0 {
		out = append(out, page.Paragraph{Text: "To run it again:"}, page.Text{Text: provenance.Quoted(typed), Command: true})
	}
	var failed []string
	for _, x := range c.Record.Experiments {
		if x.Failed != "" {
			failed = append(failed, x.ID+": "+x.Failed)
		}
	}
	if failed != nil {
		out = append(out, page.Paragraph{Text: "Experiments that ended with an error:"}, page.Bullets{Level: page.Bad, Text: failed})
	}
	return out
}
