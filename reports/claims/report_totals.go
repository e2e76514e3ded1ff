package claims

import "github.com/inalab/inalab/reports/render"

// tally counts claims by evidence and verdict; every kind of evidence and every verdict
// has an entry. What has no evidence, as claims that nothing can check, is not in it.
func (r Report) tally() map[Evidence]map[Verdict]int {
	out := map[Evidence]map[Verdict]int{}
	for _, e := range Evidences {
		out[e] = map[Verdict]int{}
		for _, v := range Verdicts {
			out[e][v] = 0
		}
	}
	for i := range r.Results {
		if by := out[r.Results[i].Evidence]; by != nil {
			by[r.Results[i].Verdict]++
		}
	}
	return out
}

// totals shows how many claims have each verdict, by what it rests on. Verdicts that no claim
// has are left away.
func (r Report) totals(s Summary) render.Table {
	t := render.Table{Title: "Totals by evidence", Columns: []render.Column{{Name: "verdict"}}}
	sums := make([]render.Cell, 1, 1+len(Evidences))
	sums[0] = render.Text("all")
	for _, e := range Evidences {
		t.Columns = append(t.Columns, render.Column{Name: string(e), Align: render.Right})
		n := 0
		for _, k := range s.Evidence[e] {
			n += k
		}
		sums = append(sums, render.Int(n))
	}
	for _, v := range Verdicts {
		row, n := []render.Cell{render.Text(string(v))}, 0
		for _, e := range Evidences {
			n += s.Evidence[e][v]
			row = append(row, render.Int(s.Evidence[e][v]))
		}
		if n > 0 {
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) > 0 {
		t.Rows = append(t.Rows, sums)
	}
	return t
}
