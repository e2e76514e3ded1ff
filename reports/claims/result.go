package claims

import (
	"fmt"
	"math"
)

// Run is what is known of how a value came about. All of it may be zero.
type Run struct {
	Seed    uint64   // 0 where the experiment draws nothing
	Seconds float64  // of the wall clock
	Dir     string   // of the results
	Quick   string   // how the experiment was cut: "10 of 100 iterations"; "" in full
	Switch  []Switch // that aggregated, where the measured value does not say so
}

// Result is one claim in reproduce --format json, and a row of its tables.
// What does not apply is null, or "" if it is text.
type Result struct {
	ID         ID        `json:"id"`
	Paper      Paper     `json:"paper"`
	Where      string    `json:"where"`
	PaperValue Value     `json:"paper_value"` // null where it is predicted
	Measured   Value     `json:"measured"`    // parts that were fed in are "(input)"
	Unit       string    `json:"unit"`
	CI95       *float64  `json:"ci95"` // half-width
	N          *int      `json:"n"`
	Tolerance  string    `json:"tolerance"` // the check, short
	Verdict    Verdict   `json:"verdict"`
	Reason     string    `json:"reason"`
	Reading    string    `json:"reading"`
	Expected   bool      `json:"expected"`
	PassMeans  PassMeans `json:"pass_means"`
	Method     Method    `json:"method"`
	Evidence   Evidence  `json:"evidence"` // "" of what nothing can check
	Switch     string    `json:"switch"`   // what aggregated, joined by commas; "" of what did not run
	Seed       *uint64   `json:"seed"`
	Seconds    float64   `json:"seconds"`
	RunDir     string    `json:"run_dir"`

	Accept     string      `json:"accept"`         // the tolerance in the words of the ledger
	Ends       []EndResult `json:"ends,omitempty"` // measured with what is assumed at the ends of its range
	Model      string      `json:"model"`
	Constants  []string    `json:"constants,omitempty"`
	Note       string      `json:"note"`
	Quick      string      `json:"quick"` // how the experiment was cut
	SameAs     []ID        `json:"same_as,omitempty"`
	NullPasses bool        `json:"null_passes"` // a model without the effect passes too
	Origin     Origin      `json:"origin"`      // how the claim comes from its paper; own: no paper says it; "" of what is predicted

	people   string        // measured, for people
	shown    Value         // likewise, parts by name
	failed   *KnownFailure // of the ledger
	declared *Declared     // likewise

	undecided string // why the run says nothing about the claim; "": it does
}

// fedIn stands where a number would be that is an input.
const fedIn = "(input)"

// Result joins a claim, its judgement and its run.
func (c *Claim) Result(j Judgement, run Run) Result {
	r := Result{
		ID: c.ID, Paper: c.Paper, Where: c.Where, PaperValue: c.Value, Unit: c.Unit,
		Tolerance: c.Check.Short(), Accept: c.Tolerance.Accept,
		Verdict: j.Verdict, Reason: j.Reason, Expected: j.Expected,
		PassMeans: c.PassMeans, Method: c.Method, Evidence: c.Evidence, SameAs: c.SameAs, NullPasses: c.NullPasses, Origin: c.Origin,
		Model: j.Measured.Model, Reading: j.Measured.Reading, Constants: j.Measured.Constants, Note: j.Measured.Note,
		Ends: c.endResults(j.Measured), failed: c.KnownFailure, declared: c.Undetermined,
	}
	if !c.tells(j.Measured, j.Pass) {
		r.undecided = j.Measured.undecided
	}
	r.setRun(run)
	switch {
	case c.Evidence == EvidenceArithmetic:
		r.Switch = string(SwitchNone) // whatever else its experiment runs
	case j.Measured.Switch != nil:
		r.Switch = SwitchText(j.Measured.Switch)
	}
	r.Measured, r.shown = c.show(j.Measured)
	r.people = r.shown.String()
	if n, ok := j.Measured.outcome.(number); ok && c.PassMeans != MeansInput {
		if !math.IsNaN(n.ci95) && !math.IsInf(n.ci95, 0) {
			r.CI95 = &n.ci95
		}
		if n.n > 0 {
			r.N = &n.n
		}
	}
	return r
}

// Shown is what was measured as people see it, with intervals: a word, or a word for each part.
func (r *Result) Shown() Value { return r.shown }

func (r *Result) setRun(run Run) {
	r.Seconds, r.RunDir, r.Quick, r.Switch = run.Seconds, run.Dir, run.Quick, SwitchText(run.Switch)
	if run.Seed != 0 {
		r.Seed = &run.Seed
	}
}

// show returns what was measured for programs and for people, without what was
// fed in.
func (c *Claim) show(m Measured) (record, people Value) {
	if m.outcome == nil {
		return Value{}, Value{}
	}
	if c.PassMeans == MeansInput {
		return WordValue(fedIn), WordValue(fedIn)
	}
	group, ok := m.outcome.(parts)
	check, isParts := c.Check.(Parts)
	if !ok || !isParts {
		return m.outcome.record(), WordValue(m.String())
	}
	record = Value{kind: valueFields}
	people = Value{kind: valueFields} // with intervals
	for _, name := range group.namesAsIn(check) {
		part, _ := group.get(name)
		if check.isInput(name) {
			part = Text(fedIn)
		}
		value := Value{}
		if part.outcome != nil {
			value = part.outcome.record()
		}
		record.fields = append(record.fields, Field{name, value})
		people.fields = append(people.fields, Field{name, WordValue(part.String())})
	}
	return record, people
}

// namesAsIn lists the parts in the order of the check, others behind.
func (p parts) namesAsIn(c Parts) []string {
	var names []string
	for _, name := range c.names() {
		if _, ok := p.get(name); ok || c.isInput(name) {
			names = append(names, name)
		}
	}
	for _, part := range p {
		if !c.has(part.name) {
			names = append(names, part.name)
		}
	}
	return names
}

// Result gives a value its predicted interval.
func (w *Unseen) Result(p Prediction, run Run) (Result, error) {
	if err := p.validate(); err != nil {
		return Result{}, fmt.Errorf("predict %s: %w", w.ID, err)
	}
	j := Judgement{Verdict: Predicted, Reason: "predicted, not compared", Expected: true}
	r := w.Judged(j, run)
	r.Model, r.Reading, r.Constants, r.Note = p.Model, p.Reading, p.Constants, p.Note
	r.Measured = Value{kind: valueFields, fields: Fields{{"low", NumberValue(p.Low)}, {"high", NumberValue(p.High)}}}
	r.people = Range{p.Low, p.High}.Short()
	r.shown = WordValue(r.people)
	return r, nil
}

// Judged is the result of a value without an interval.
func (w *Unseen) Judged(j Judgement, run Run) Result {
	r := Result{
		ID: w.ID, Paper: w.Paper, Where: w.Where, Unit: w.Unit, Evidence: w.Evidence,
		Verdict: j.Verdict, Reason: j.Reason, Expected: j.Expected, people: "-",
	}
	r.setRun(run)
	return r
}
