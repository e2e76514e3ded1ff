package fidelity

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/result"
)

const page = "../../docs/fidelity.md"

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The page calls verdicts by the words that runs print.
func TestPageHasTheVerdicts(t *testing.T) {
	var live []string
	for g := trusted; g <= invalid; g++ {
		live = append(live, g.verdict())
	}
	text := readPage(t)
	live = slices.Insert(live, len(live)-1, result.Caution)
	if row := "| verdicts | " + strings.Join(live, ", ") + " | " + result.Exact + ", " + result.Caution + " |"; !strings.Contains(text, row) {
		t.Errorf("%s lacks the row\n%s", page, row)
	}
	for _, word := range append(live[1:], result.Exact) {
		if !strings.Contains(strings.ToLower(text), "**"+word+"**") {
			t.Errorf("%s does not explain %q", page, word)
		}
	}
}

// The table of limits has the limits of the rules.
func TestPageHasTheLimits(t *testing.T) {
	rows := map[string]string{}
	for line := range strings.Lines(readPage(t)) {
		if cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | "); len(cells) == 4 {
			rows[cells[0]] = cells[2] + " | " + cells[3]
		}
	}
	limit := regexp.MustCompile(`(?:trusted up to|invalid beyond) ([\d.]+(?:%|ms))`)
	for _, c := range []struct {
		row    string
		breaks func(*Inputs)
	}{
		{"lateness of timers of a node", func(in *Inputs) { in.Nodes[0].LateP99 = 2 * lateTrusted }},
		{"packets lost unasked", func(in *Inputs) { in.Nodes[0].UnaskedDrop = 1000 }},
		{"all processors busy, this lab and others", func(in *Inputs) { in.CPUBusy = 0.9 }},
		{"all processors busy, this lab and others", func(in *Inputs) { in.CPUBusy = 1 }},
		{"a node's own thread busy", func(in *Inputs) { in.Nodes[0].BusyShare = 0.95 }},
	} {
		in := Inputs{Nodes: []Node{{Name: "h0", Packets: 1000}}, Iterations: 1}
		c.breaks(&in)
		reasons := strings.Join(Judge(in).Reasons, "; ")
		found := limit.FindAllStringSubmatch(reasons, -1)
		text := strings.ReplaceAll(rows[c.row], " ms", "ms")
		if len(found) == 0 {
			t.Errorf("%s: no limit in %q", c.row, reasons)
		}
		for _, m := range found {
			if !strings.Contains(text, m[1]) {
				t.Errorf("%s: row %q lacks %s of %q", c.row, text, m[1], reasons)
			}
		}
	}
}
