package claimreport

import (
	"bytes"
	"fmt"
	"path"

	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/page"
)

// figures are those of a place, each with the file of its points. What cannot be drawn is named.
func (c *check) figures(s *spot) (out []page.Block) {
	for _, f := range s.figures {
		out = append(out, c.figure(f))
	}
	return out
}

func (c *check) figure(f drawn) page.Block {
	var svg bytes.Buffer
	why := f.Undrawn
	switch {
	case f.Data != nil:
		if err := figure.WriteInline(&svg, *f.Data); err != nil {
			why = err.Error()
		}
	case why == "":
		why = "its data are missing"
	}
	if why != "" {
		return page.Bullets{Level: page.Doubt, Text: []string{fmt.Sprintf("Not drawn: %s: %s", f.File, why)}}
	}
	caption := "Measured by the experiment " + f.by.ID + "."
	if i := tableOf(f); i >= 0 {
		caption += " Every point is in " + f.by.Tables[i].File + ".csv."
	}
	return page.Figure{SVG: svg.Bytes(), Title: f.Data.Title, Width: figure.WidthOf(*f.Data), File: path.Join(c.Files, f.File+".svg"), Caption: caption}
}

// tableOf finds the table of a figure's name, or else the first; -1 where there is none.
func tableOf(f drawn) int {
	for i, t := range f.by.Tables {
		if t.File == f.File {
			return i
		}
	}
	return min(len(f.by.Tables), 1) - 1
}
