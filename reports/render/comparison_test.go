package render

import (
	"testing"

	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/reports/compare"
)

func TestComparisonGolden(t *testing.T) {
	single := []result.Cell{cell("trioml", 0.16, 0.1)}
	for name, c := range map[string]struct {
		cells []result.Cell
		o     Options
	}{
		"sweep-120.txt":     {sweep(), Options{}},
		"sweep-unicode.txt": {sweep(), Options{Unicode: true}},
		"sweep-80.txt":      {sweep(), Options{Width: 80}},
		"sweep-wide.txt":    {sweep(), Options{Format: FormatWide, Unicode: true}},
		"sweep.md":          {sweep(), Options{Format: FormatMarkdown}},
		"sweep.csv":         {sweep(), Options{Format: FormatCSV}},
		"sweep.json":        {sweep(), Options{Format: FormatJSON}},
		"troubled.txt":      {troubled(), Options{}},
		"troubled-wide.txt": {troubled(), Options{Format: FormatWide}},
		"troubled.md":       {troubled(), Options{Format: FormatMarkdown}},
		"troubled.csv":      {troubled(), Options{Format: FormatCSV}},
		"single.txt":        {single, Options{}},
		"single.csv":        {single, Options{Format: FormatCSV}},
		"empty.txt":         {nil, Options{}},
		"empty.md":          {nil, Options{Format: FormatMarkdown}},
		"empty.csv":         {nil, Options{Format: FormatCSV}},
		"empty.json":        {nil, Options{Format: FormatJSON}},
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, name, write(t, Comparison(compare.Rows(c.cells)), c.o))
		})
	}
}
