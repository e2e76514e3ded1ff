package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/inalab/inalab/reports/render"
)

// Link is one row of bench links --format json: what a link does, beside what was asked of it.
type Link struct {
	What     string  `json:"what"`     // rate, delay-p50, loss, burst-length, ...
	Link     string  `json:"link"`     // that was asked for, as in a file
	Asked    float64 `json:"asked"`    // in unit
	Measured float64 `json:"measured"` // in unit
	Unit     string  `json:"unit"`
	Least    float64 `json:"least"` // that is allowed
	Most     float64 `json:"most"`
	N        int     `json:"n"` // frames or bursts that were looked at
	OK       bool    `json:"ok"`
	Note     string  `json:"note,omitempty"`
}

// Within has a row allow what differs by so much from what was asked for, and judges it.
func (l Link) Within(margin float64) Link {
	l.Least, l.Most = l.Asked-margin, l.Asked+margin
	l.OK = l.Measured >= l.Least && l.Measured <= l.Most // NaN is outside
	return l
}

// Sigmas99 is how many standard deviations hold 99% of a normal distribution.
const Sigmas99 = 2.576

// BinomialMargin returns by how much the share of hits in n trials of probability p may differ from p: the 99%
// interval, by the normal distribution with its correction of half a trial.
func BinomialMargin(p float64, n int) float64 {
	return Sigmas99*math.Sqrt(p*(1-p)/float64(n)) + 0.5/float64(n)
}

// Outside returns how many rows are outside what is allowed.
func Outside(rows []Link) (n int) {
	for _, r := range rows {
		if !r.OK {
			n++
		}
	}
	return n
}

// linksTable is for people.
func linksTable(rows []Link) render.Table {
	t := render.Table{
		ID: "bench.links", Title: "Links on real packets",
		Columns: []render.Column{
			{Key: "what", Name: "what"}, {Key: "link", Name: "link"},
			{Key: "asked", Name: "asked", Align: render.Right}, {Key: "measured", Name: "measured", Align: render.Right},
			{Key: "least", Name: "least", Align: render.Right}, {Key: "most", Name: "most", Align: render.Right},
			{Key: "unit", Name: "unit"}, {Key: "n", Name: "n", Align: render.Right}, {Key: "verdict", Name: "verdict"},
		},
		Notes: []string{"allowed: 2% of a rate; 100 us or 2% of a delay's median, whichever is more, above that of the path; the 99% interval of a share, and of the mean length of a burst"},
	}
	for _, r := range rows {
		verdict := "ok"
		if !r.OK {
			verdict = "outside"
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(r.What), render.Text(r.Link), number(r.Asked), number(r.Measured), number(r.Least), number(r.Most),
			render.Text(r.Unit), render.Int(r.N), render.Text(verdict),
		})
		if r.Note != "" {
			t.Notes = append(t.Notes, fmt.Sprintf("%s of %s: %s", r.What, r.Link, r.Note))
		}
	}
	if n := Outside(rows); n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d of %d rows are outside", n, len(rows)))
	}
	return t
}

func number(v float64) render.Cell { return render.Text(strconv.FormatFloat(v, 'g', 5, 64)) }

// WriteLinks writes bench links in any format.
func WriteLinks(w io.Writer, rows []Link, o render.Options) error {
	if o.Format != render.FormatJSON {
		return render.Write(w, linksTable(rows), o)
	}
	return render.WriteJSON(w, struct {
		SchemaVersion int    `json:"schema_version"`
		Rows          []Link `json:"rows"`
		Outside       int    `json:"outside"`
	}{render.SchemaVersion, rows, Outside(rows)})
}
