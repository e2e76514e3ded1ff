package bench

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/inalab/inalab/reports/render"
)

func TestLinkWithin(t *testing.T) {
	for _, c := range []struct {
		asked, measured, margin float64
		ok                      bool
	}{
		{100, 102, 2, true}, {100, 98, 2, true}, {100, 102.001, 2, false}, {100, 97.999, 2, false}, {100, math.NaN(), 2, false}, {100, 0, 2, false},
	} {
		if got := (Link{Asked: c.asked, Measured: c.measured}).Within(c.margin); got.OK != c.ok || got.Least != c.asked-c.margin || got.Most != c.asked+c.margin {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// Of all counts of hits, those within the margin have 99% of the binomial distribution together: at least, and
// without the outermost ones less.
func TestBinomialMargin(t *testing.T) {
	for _, c := range []struct {
		p float64
		n int
	}{{0.001, 100_000}, {0.01, 20_000}, {0.1, 10_000}, {0.5, 400}} {
		inside, narrower := 0.0, 0.0
		for k := range c.n + 1 {
			lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
			prob := math.Exp(lg(c.n) - lg(k) - lg(c.n-k) + float64(k)*math.Log(c.p) + float64(c.n-k)*math.Log(1-c.p))
			off := math.Abs(float64(k)/float64(c.n) - c.p)
			if off <= BinomialMargin(c.p, c.n) {
				inside += prob
			}
			if off <= 0.9*BinomialMargin(c.p, c.n) {
				narrower += prob
			}
		}
		if inside < 0.989 || narrower > 0.988 {
			t.Errorf("%+v: %.4f is inside, %.4f of a margin that is a tenth narrower; want 0.99", c, inside, narrower)
		}
	}
}

func TestWriteLinks(t *testing.T) {
	rows := []Link{
		Link{What: "rate", Link: "rate: 10Mbit/s", Asked: 10, Measured: 10.01, Unit: "Mbit/s", N: 100}.Within(0.2),
		Link{What: "loss", Link: "loss: 1%", Asked: 1, Measured: 3, Unit: "%", N: 1000, Note: "why"}.Within(0.5),
	}
	var text, data bytes.Buffer
	if err := WriteLinks(&text, rows, render.Options{Format: render.FormatTable}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"rate: 10Mbit/s", "10.01", "ok", "outside", "loss of loss: 1%: why", "1 of 2 rows are outside"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("%q is missing in\n%s", part, &text)
		}
	}
	if err := WriteLinks(&data, rows, render.Options{Format: render.FormatJSON}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		SchemaVersion int `json:"schema_version"`
		Rows          []Link
		Outside       int
	}
	if err := json.Unmarshal(data.Bytes(), &got); err != nil || got.SchemaVersion == 0 || len(got.Rows) != 2 || got.Outside != 1 || !got.Rows[0].OK || got.Rows[1].OK {
		t.Errorf("%v: %s", err, &data)
	}
}
