package export

import (
	"encoding/json"
	"fmt"

	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/junit"
)

// claimsFile is what of report.json is needed here.
type claimsFile struct {
	SchemaVersion int         `json:"schema_version"`
	Claims        []claimLine `json:"claims"`
}

type claimLine struct {
	ID         string          `json:"id"`
	Paper      string          `json:"paper"`
	Where      string          `json:"where"`
	PaperValue json.RawMessage `json:"paper_value"`
	Measured   json.RawMessage `json:"measured"`
	Unit       string          `json:"unit"`
	Tolerance  string          `json:"tolerance"`
	Verdict    claims.Verdict  `json:"verdict"`
	Reason     string          `json:"reason"`
	Expected   bool            `json:"expected"`
	Evidence   string          `json:"evidence"`
	Seconds    float64         `json:"seconds"`
}

// ofClaims reports a check of claims.
func ofClaims(p *archive.Past, text []byte) (*Report, error) {
	var f claimsFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", claimsName, err)
	}
	if f.SchemaVersion < 1 || f.SchemaVersion > claims.SchemaVersion {
		return nil, fmt.Errorf("%s: its schema_version is %d, and this version of inalab reads 1 to %d", claimsName, f.SchemaVersion, claims.SchemaVersion)
	}
	r := newReport(p)
	for _, c := range f.Claims {
		r.Checks = append(r.Checks, c.check())
	}
	r.Checks = append(r.Checks, ending(p))
	return r, nil
}

// check is one claim. It passes where it came out as the ledger says, so that a known failure is none here;
// the verdict stands in the output.
func (c claimLine) check() junit.Case {
	out := junit.Case{Class: c.Paper, Name: c.ID, Seconds: c.Seconds, Output: fmt.Sprintf(
		"%s\npaper: %s %s, measured: %s\ntolerance: %s\nevidence: %s\n%s: %s",
		c.Where, c.PaperValue, c.Unit, c.Measured, c.Tolerance, c.Evidence, c.Verdict, c.Reason)}
	switch c.Verdict {
	case claims.NotCheckable, claims.NeedsRoot, claims.NotYet, claims.Predicted:
		out.Status, out.Message = junit.Skipped, string(c.Verdict)+": "+c.Reason
	}
	if !c.Expected {
		out.Status, out.Message = junit.Failed, string(c.Verdict)+": "+c.Reason
	}
	return out
}
