package render

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
)

// doctor is a table of words, as the other commands have them.
func doctor() Table {
	row := func(cells ...string) []Cell {
		out := make([]Cell, len(cells))
		for i, c := range cells {
			out[i] = Text(c)
		}
		return append(out, Number(12.345, 1), NA())
	}
	return Table{
		Title: "Is this host fit for a run?",
		Columns: []Column{
			{Key: "check", Name: "check"}, {Key: "verdict", Name: "verdict"},
			{Key: "reason", Name: "reason", Wrap: true}, {Key: "fix", Name: "fix", Wrap: true},
			{Key: "took_ms", Name: "took", Unit: "ms", Align: Right}, {Key: "id"},
		},
		Rows: [][]Cell{
			row("veth", "ok", "can be made", ""),
			row("rp_filter", "warn", "strict on 2 interfaces: packets that return by another path would be lost there", "sysctl -w net.ipv4.conf.all.rp_filter=2 | tee /tmp/<log>"),
			row("jitter", "fail", "p99 \t 3 ms", "run on a host that is idle,\nor use --clock virtual"),
		},
		Notes: []string{"≤ 1 ms is what a live run takes to be trusted"},
	}
}

func TestTableGolden(t *testing.T) {
	for name, o := range map[string]Options{
		"doctor-120.txt":      {},
		"doctor-80.txt":       {Width: 80, Unicode: true},
		"doctor-too-slim.txt": {Width: 1},
		"doctor.md":           {Format: FormatMarkdown},
		"doctor.csv":          {Format: FormatCSV},
		"doctor.json":         {Format: FormatJSON},
	} {
		t.Run(name, func(t *testing.T) { golden.Equal(t, name, write(t, doctor(), o)) })
	}
}

// narrowestTable is what the tables of TestLinesOfATable need at least: a name
// of 8, a number of 15 and two texts of [narrowest] columns.
const narrowestTable = 1 + 4*frame + 8 + 15 + 2*narrowest

// Whatever is in a table, its lines are equally long, within the width, and in
// ASCII if nobody asked for more.
func TestLinesOfATable(t *testing.T) {
	words := rapid.StringMatching(`([a-z]{1,9} ){0,12}[a-z|"<]{0,9}`)
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Unicode: rapid.Bool().Draw(t, "unicode"), Width: rapid.IntRange(narrowestTable, 140).Draw(t, "width")}
		table := Table{Columns: []Column{
			{Name: "name"}, {Name: "value", Unit: "ms", Align: Right},
			{Name: "why", Wrap: true}, {Name: "fix", Wrap: true}, {Name: "spare", Spare: 1},
		}}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			table.Rows = append(table.Rows, []Cell{
				Text(rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "name")), Within(rapid.Float64Range(-1, 1e4).Draw(t, "v"), rapid.Float64Range(0, 100).Draw(t, "h"), 1),
				Text(words.Draw(t, "why")), Text(words.Draw(t, "fix")).Suspect(rapid.Bool().Draw(t, "suspect")), Int(7),
			})
		}
		var b strings.Builder
		if err := Write(&b, table, o); err != nil {
			t.Fatal(err)
		}
		grid, _, _ := strings.Cut(b.String(), "\n- ")
		lines := strings.Split(strings.TrimSuffix(grid, "\n"), "\n")
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n != utf8.RuneCountInString(lines[0]) || n > o.Width {
				t.Fatalf("a line of %d columns, the first has %d, allowed are %d:\n%s", n, utf8.RuneCountInString(lines[0]), o.Width, b.String())
			}
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool { return r >= utf8.RuneSelf }); !o.Unicode && i >= 0 {
			t.Fatalf("not ASCII at byte %d:\n%s", i, b.String())
		}
	})
}

// No word of a text is lost by wrapping, and none is moved.
func TestWrapKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z]{1,30}[ \n]{1,2}){0,20}`).Draw(t, "text")
		width := rapid.IntRange(1, 40).Draw(t, "width")
		lines := wrapText(text, width)
		if got, want := strings.Fields(strings.Join(lines, " ")), strings.Fields(text); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%q became %q", want, got)
		}
		for _, line := range lines {
			if len(line) > width && strings.Contains(line, " ") {
				t.Fatalf("line %q of several words is longer than %d", line, width)
			}
		}
	})
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		cell                    Cell
		people, program, asJSON string
	}{
		{NA(), "-", "", "null"},
		{Text(""), "-", "", `""`},
		{Text(`a "<b>"`), `a "<b>"`, `a "<b>"`, `"a \"<b>\""`},
		{Int(-3), "-3", "-3", "-3"},
		{Int(uint64(math.MaxUint64)), "18446744073709551615", "18446744073709551615", "18446744073709551615"},
		{Bool(true), "yes", "true", "true"},
		{Bool(false), "no", "false", "false"},
		{Number(1234.56789012, 1), "1234.6", "1234.56789", "1234.56789"},
		{Number(-1e-9, 0), "-0", "0", "0"},
		{Number(1e21, 0), "1000000000000000000000", "1000000000000000000000", "1000000000000000000000"},
		{Number(math.NaN(), 1), "-", "", "null"},
		{Number(math.Inf(1), 1), "-", "", "null"},
		{Exact(1e-8), "1e-08", "1e-08", "1e-08"},
		{Exact(0.1), "0.1", "0.1", "0.1"},
		{Exact(math.Inf(-1)), "-", "", "null"},
		{Exact(12).As("a dozen"), "a dozen", "12", "12"},
		{Within(2, 0.25, 1), "2.0 ±0.2", "2", "2"},
		{Within(2, math.Inf(1), 1), "2.0", "2", "2"},
		{Within(math.NaN(), 1, 1), "-", "", "null"},
		{Percent(0.04), "4", "0.04", "0.04"},
		{Percent(0.0125), "1.25", "0.0125", "0.0125"},
		{Percent(math.NaN()), "-", "", "null"},
		{Within(2, 1, 1).Suspect(true), "invalid", "2", "2"},
		{NA().Suspect(true), "-", "", "null"},
		{Int(7).Suspect(false), "7", "7", "7"},
		{Int(7).As("seven"), "seven", "7", "7"},
	} {
		people := view{unicode: true}.spell([][]Cell{{c.cell}}, 0)[0]
		asJSON, err := c.cell.MarshalJSON()
		if err != nil || people != c.people || c.cell.program != c.program || string(asJSON) != c.asJSON {
			t.Errorf("got %q, %q, %s, %v; want %q, %q, %s", people, c.cell.program, asJSON, err, c.people, c.program, c.asJSON)
		}
	}
}

// CSV and JSON hold the same values under the same keys.
func TestProgramsAgree(t *testing.T) {
	table := doctor()
	records, err := csv.NewReader(strings.NewReader(write(t, table, Options{Format: FormatCSV}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		SchemaVersion int `json:"schema_version"`
		Rows          []map[string]any
	}
	if err := json.Unmarshal([]byte(write(t, table, Options{Format: FormatJSON})), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.SchemaVersion != SchemaVersion || len(doc.Rows) != len(records)-1 {
		t.Fatalf("schema version %d, %d rows of %d", doc.SchemaVersion, len(doc.Rows), len(records)-1)
	}
	for i, object := range doc.Rows {
		for j, key := range records[0] {
			want := records[i+1][j]
			switch v := object[key].(type) {
			case nil:
				if want != "" {
					t.Errorf("row %d: %s is null, in CSV %q", i, key, want)
				}
			case string:
				if v != want {
					t.Errorf("row %d: %s is %q, in CSV %q", i, key, v, want)
				}
			case float64:
				if trimmed(v, 6) != want {
					t.Errorf("row %d: %s is %v, in CSV %q", i, key, v, want)
				}
			}
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	uneven := Table{Title: "uneven", Columns: []Column{{Key: "a", Name: "a"}}, Rows: [][]Cell{{Int(1)}, {}}}
	if err := Write(&strings.Builder{}, uneven, Options{}); err == nil || err.Error() != `table "uneven": row 1 has 0 cells for 1 columns` {
		t.Errorf("error %v", err)
	}
	want := `unknown format "yaml": allowed are table, wide, json, csv, markdown`
	if err := Write(&strings.Builder{}, Table{}, Options{Format: "yaml"}); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	if _, err := ParseFormat("yaml"); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	for _, f := range Formats {
		if got, err := ParseFormat(string(f)); err != nil || got != f {
			t.Errorf("%s read as %q, %v", f, got, err)
		}
		if err := Write(broken{}, doctor(), Options{Format: f}); !errors.Is(err, errBroken) {
			t.Errorf("%s to a broken pipe: error %v", f, err)
		}
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
