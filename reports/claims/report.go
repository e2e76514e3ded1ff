package claims

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/inalab/inalab/reports/render"
)

// SchemaVersion stands in the JSON of [Report]. It grows when a key changes its
// meaning or goes away. In 1 the summary counted what is of this project with the claims of the papers.
const SchemaVersion = 2

// Report is what reproduce has to say: results in the order of the ledger.
type Report struct {
	Results []Result
	Notes   []string // of the whole run: models, cuts
	// Tables follow the summary where people read, and stand under "tables" in JSON;
	// CSV is the claims alone.
	Tables []render.Table
}

// Summary counts results.
type Summary struct {
	Verdicts   map[Verdict]int // of the papers: every verdict has an entry; claims that restate another are counted too
	Evidence   Tally           // likewise, by what verdicts rest on
	Own        map[Verdict]int // likewise, of what this project says and no paper
	Unexpected int             // failures that are not known, and passes of known failures
	Restated   int             // results with same_as
	Weak       int             // passes that a model without the effect would have too
}

// Summary counts the results.
func (r Report) Summary() Summary {
	s := Summary{Verdicts: map[Verdict]int{}, Evidence: r.tally(), Own: map[Verdict]int{}}
	for _, v := range Verdicts {
		s.Verdicts[v], s.Own[v] = 0, 0
	}
	for i := range r.Results {
		res := &r.Results[i]
		if res.Origin == Own {
			s.Own[res.Verdict]++
		} else {
			s.Verdicts[res.Verdict]++
		}
		s.Unexpected += count(!res.Expected)
		s.Restated += count(len(res.SameAs) > 0)
		s.Weak += count(res.weak())
	}
	return s
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// weak reports whether a pass says little.
func (r *Result) weak() bool {
	switch r.Verdict {
	case Reproduced, WithinBand, DirectionOnly:
		return r.NullPasses
	}
	return false
}

// Write writes the report: for people the claims, the known failures, the
// predictions and the summary one below the other; for programs one table or
// one object.
func (r Report) Write(w io.Writer, o render.Options) error {
	switch o.Format {
	case render.FormatJSON:
		return r.writeJSON(w)
	case render.FormatCSV:
		return render.Write(w, r.Table(), o)
	}
	text := cut
	if o.Format == render.FormatWide || o.Format == render.FormatMarkdown {
		text = full
	}
	for i, t := range append(r.pages(text), r.Tables...) {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return fmt.Errorf("write report: %w", err)
			}
		}
		if err := render.Write(w, t, o); err != nil {
			return err
		}
	}
	return nil
}

func (r Report) writeJSON(w io.Writer) error {
	s := r.Summary()
	doc := struct {
		SchemaVersion int               `json:"schema_version"`
		Summary       map[Verdict]int   `json:"summary"`
		Evidence      Tally             `json:"evidence"`
		Own           map[Verdict]int   `json:"own"`
		Unexpected    int               `json:"unexpected"`
		Restated      int               `json:"restated"`
		Weak          int               `json:"weak"`
		Claims        []Result          `json:"claims"`
		Notes         []string          `json:"notes,omitempty"`
		Tables        []json.RawMessage `json:"tables,omitempty"`
	}{SchemaVersion, s.Verdicts, s.Evidence, s.Own, s.Unexpected, s.Restated, s.Weak, r.Results, r.Notes, nil}
	if doc.Claims == nil {
		doc.Claims = []Result{}
	}
	for _, t := range r.Tables {
		var b bytes.Buffer
		if err := render.Write(&b, t, render.Options{Format: render.FormatJSON}); err != nil {
			return err
		}
		doc.Tables = append(doc.Tables, b.Bytes())
	}
	return render.WriteJSON(w, doc)
}

// String is "reproduced 9, within-band 3, ...; of this project, no paper's: reproduced 2",
// verdicts that there are none of left away.
func (s Summary) String() string {
	papers, own := counted(s.Verdicts), counted(s.Own)
	switch {
	case papers == "" && own == "":
		return "nothing was checked"
	case own == "":
		return papers
	case papers == "":
		return "of this project, no paper's: " + own
	}
	return papers + "; of this project, no paper's: " + own
}

// counted is "reproduced 12, within-band 3".
func counted(verdicts map[Verdict]int) string {
	var words []string
	for _, v := range Verdicts {
		if n := verdicts[v]; n > 0 {
			words = append(words, fmt.Sprintf("%s %d", v, n))
		}
	}
	return strings.Join(words, ", ")
}
