package render

import (
	"fmt"
	"strings"
)

// Format is one way to write a table.
type Format string

// The formats of --format.
const (
	FormatTable    Format = "table"    // for people; what fits the width
	FormatWide     Format = "wide"     // for people; every column
	FormatJSON     Format = "json"     // one object with schema_version and rows
	FormatCSV      Format = "csv"      // keys, then rows; no notes
	FormatMarkdown Format = "markdown" // for people; GitHub's dialect
)

// Formats lists what [ParseFormat] accepts.
var Formats = []Format{FormatTable, FormatWide, FormatJSON, FormatCSV, FormatMarkdown}

// ParseFormat reads the value of --format.
func ParseFormat(text string) (Format, error) {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		if string(f) == text {
			return f, nil
		}
		names[i] = string(f)
	}
	return "", fmt.Errorf("unknown format %q: allowed are %s", text, strings.Join(names, ", "))
}

const (
	defaultWidth = 120
	minWidth     = 40 // on a line shorter than this nothing is readable: lines may then overflow
)

// Options says how a table is written. The zero value is a table in ASCII, 120
// columns wide.
type Options struct {
	Format  Format // "" is [FormatTable]
	Unicode bool   // lines, ± and ≤ instead of ASCII, for a terminal
	Width   int    // columns that a table, and the notes under wide, may take; 0 is 120
}

func (o Options) width() int {
	if o.Width == 0 {
		return defaultWidth
	}
	return max(o.Width, minWidth)
}

// inASCII replaces the few characters beyond ASCII that this package writes.
var inASCII = strings.NewReplacer("±", "+-", "≤", "<=", "≥", ">=", "×", "x")
