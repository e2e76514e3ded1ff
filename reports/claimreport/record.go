package claimreport

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
)

// RecordName is the file of a [Record] in the directory of a check.
const RecordName = "claims.json.gz"

// RecordVersion is its schema_version. It grows when a key changes its meaning or goes away.
const RecordVersion = 1

// Record is what the page of a check is made of. Text is as people read it.
type Record struct {
	SchemaVersion int          `json:"schema_version"` // [RecordVersion]
	Asked         []string     `json:"asked"`          // claims, as the command named them; none: every claim
	Quick         bool         `json:"quick"`
	Varied        bool         `json:"sensitivity"`          // each constant was at both ends of its range too
	Incomplete    string       `json:"incomplete,omitempty"` // why the check did not come to its end
	Claims        []Claim      `json:"claims"`               // in the order of the ledger
	Experiments   []Experiment `json:"experiments"`          // that ran, in their order
	Constants     []Constant   `json:"constants"`
	Readings      []Reading    `json:"readings"`
	Notes         []string     `json:"notes"` // of the whole check
}

// Claim is a claim, or a predicted value, and what came of it.
type Claim struct {
	ID         string           `json:"id"`
	Paper      string           `json:"paper"`
	Where      string           `json:"where"`
	Statement  string           `json:"statement"`
	Conditions string           `json:"conditions,omitempty"`
	How        string           `json:"how,omitempty"` // it is checked
	Headline   bool             `json:"headline,omitempty"`
	Printed    string           `json:"printed,omitempty"` // "" where it is predicted
	Measured   string           `json:"measured,omitempty"`
	Unit       string           `json:"unit,omitempty"`
	Parts      []Part           `json:"parts,omitempty"` // of a claim that is of several values
	Scale      *Scale           `json:"scale,omitempty"` // of a claim that is of one number
	Tolerance  string           `json:"tolerance,omitempty"`
	Accept     string           `json:"accept,omitempty"` // the tolerance in words
	Why        string           `json:"why,omitempty"`    // that tolerance
	Verdict    claims.Verdict   `json:"verdict"`
	Reason     string           `json:"reason"`
	Declared   string           `json:"declared,omitempty"` // why the ledger expects a failure, or nothing decided
	Expected   bool             `json:"expected"`
	Evidence   claims.Evidence  `json:"evidence,omitempty"`
	Origin     claims.Origin    `json:"origin,omitempty"` // how it comes from its paper
	PassMeans  claims.PassMeans `json:"pass_means,omitempty"`
	Switch     string           `json:"switch,omitempty"`
	Experiment string           `json:"experiment,omitempty"`
	Reading    string           `json:"reading,omitempty"`
	Model      string           `json:"model,omitempty"`
	Constants  []string         `json:"constants,omitempty"` // assumed ones that it rests on
	Note       string           `json:"note,omitempty"`
	Quick      string           `json:"quick,omitempty"` // how the experiment was cut
	SameAs     []string         `json:"same_as,omitempty"`
	Weak       bool             `json:"weak,omitempty"` // a model without the effect passes too
	Seconds    float64          `json:"seconds,omitempty"`
	Ends       []End            `json:"ends,omitempty"`
	Influences []Influence      `json:"influences,omitempty"` // of --sensitivity, the largest first
}

// Part is one value of a claim of several.
type Part struct {
	Name      string `json:"name"`
	Printed   string `json:"printed,omitempty"`
	Measured  string `json:"measured,omitempty"`
	Tolerance string `json:"tolerance,omitempty"`
}

// Scale is the numbers of a claim on one axis. What is not there is nil.
type Scale struct {
	Printed  *float64 `json:"printed,omitempty"`
	Measured *float64 `json:"measured,omitempty"`
	Half     *float64 `json:"half,omitempty"` // of the 95% interval of what was measured
	Low      *float64 `json:"low,omitempty"`  // of what counts as a pass
	High     *float64 `json:"high,omitempty"`
	From     *float64 `json:"from,omitempty"` // of what was predicted
	To       *float64 `json:"to,omitempty"`
}

// End is what was measured with something assumed at an end of its range.
type End struct {
	At       string `json:"at"`
	Measured string `json:"measured"`
	Meets    bool   `json:"meets"` // the check
}

// Influence is what one assumed constant does to one number of a claim.
type Influence struct {
	Part     string            `json:"part,omitempty"`
	Constant string            `json:"constant"`
	Range    string            `json:"range"`
	Low      string            `json:"low,omitempty"`  // the number with the constant at its lower end
	High     string            `json:"high,omitempty"` // likewise, the upper
	Effect   string            `json:"effect,omitempty"`
	Verdicts [2]claims.Verdict `json:"verdicts"` // at both ends
}

// Experiment is what measured claims, with what it drew and wrote.
type Experiment struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Seconds float64  `json:"seconds"`
	Failed  string   `json:"failed,omitempty"` // why it has no values
	Figures []Figure `json:"figures,omitempty"`
	Tables  []Table  `json:"tables,omitempty"`
}

// Figure is a figure that an experiment drew.
type Figure struct {
	File    string         `json:"file"` // without .svg and .pdf, below the directory of the check
	Data    *figure.Figure `json:"data,omitempty"`
	Undrawn string         `json:"undrawn,omitempty"` // why it could not be drawn; then there is no data
}

// Table is a table that an experiment wrote, with every point.
type Table struct {
	File  string `json:"file"` // without .csv and so on
	Title string `json:"title"`
}

// Constant is a number of hosts, links, switches or models.
type Constant struct {
	Name    string `json:"name"`
	Value   string `json:"value"` // with its unit
	Assumed bool   `json:"assumed"`
	Range   string `json:"range,omitempty"` // of what is assumed
	Source  string `json:"source"`
	UsedBy  string `json:"used_by,omitempty"` // experiments of this check
}

// Reading is how something is read that a paper leaves open.
type Reading struct {
	ID      string `json:"id"`
	Where   string `json:"where"`
	Issue   string `json:"issue"`
	Reading string `json:"reading,omitempty"`
	Choice  string `json:"choice,omitempty"` // "" where there is no knob
	Default string `json:"default,omitempty"`
	Choices string `json:"choices,omitempty"`
	UsedBy  string `json:"used_by,omitempty"`
}

// Write writes the record into the directory of a check.
func (r *Record) Write(d *archive.Dir) error {
	r.SchemaVersion = RecordVersion
	return d.WriteZipped(RecordName, r)
}

// Is reports whether a directory is that of a check of claims, of this or an earlier version.
func Is(p *archive.Past) bool { return p.HasFile(RecordName) || p.HasFile("readings.csv") }

// ReadRecord reads the record of a check.
func ReadRecord(p *archive.Past) (*Record, error) {
	var r Record
	switch err := p.ReadZipped(RecordName, RecordVersion, &r); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s has no %s: it is a check of an earlier version of inalab; run it again", p.Path, RecordName)
	case err != nil:
		return nil, err
	}
	return &r, nil
}
