package claims

import "github.com/inalab/inalab/reports/render"

// tally counts claims by evidence and verdict; every kind of evidence and every verdict
// has an entry. What has no evidence, as claims that nothing can check, is not in it, nor is what
// no paper says.
func (r Report) tally() Tally {
	out := NewTally()
	for i := range r.Results {
		if res := &r.Results[i]; res.Origin != Own {
			out.Add(res.Evidence, res.Verdict)
		}
	}
	return out
}

// Tally counts claims by evidence and verdict.
type Tally map[Evidence]map[Verdict]int

// NewTally returns a tally with an entry for every kind of evidence and every verdict.
func NewTally() Tally {
	out := Tally{}
	for _, e := range Evidences {
		out[e] = map[Verdict]int{}
		for _, v := range Verdicts {
			out[e][v] = 0
		}
	}
	return out
}

// Add counts a claim; one without evidence is not counted.
func (t Tally) Add(e Evidence, v Verdict) {
	if by := t[e]; by != nil {
		by[v]++
	}
}

// Table shows how many claims have each verdict, by what it rests on, and in a column of its own
// what is of this project. Verdicts that no claim has are left away.
func (by Tally) Table(ours map[Verdict]int) render.Table {
	t := render.Table{Title: "Totals by evidence", Columns: []render.Column{{Name: "verdict"}}}
	sums := make([]render.Cell, 1, 2+len(Evidences))
	sums[0] = render.Text("all")
	for _, e := range Evidences {
		t.Columns = append(t.Columns, render.Column{Name: string(e), Align: render.Right})
		n := 0
		for _, k := range by[e] {
			n += k
		}
		sums = append(sums, render.Int(n))
	}
	own := 0
	for _, n := range ours {
		own += n
	}
	if own > 0 {
		t.Columns = append(t.Columns, render.Column{Name: "of this project", Align: render.Right})
		sums = append(sums, render.Int(own))
	}
	for _, v := range Verdicts {
		row, n := []render.Cell{render.Text(string(v))}, ours[v]
		for _, e := range Evidences {
			n += by[e][v]
			row = append(row, render.Int(by[e][v]))
		}
		if own > 0 {
			row = append(row, render.Int(ours[v]))
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
