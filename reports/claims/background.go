package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
)

// Fact is what a paper says of its system, its set-up or its hardware.
type Fact struct {
	ID    ID
	Paper Paper
	Where string
	What  string
	Value Value
	Unit  string // "" where none is given
	Note  string
}

// Severity is how much a reading can move results.
type Severity string

// The severities.
const (
	SeverityLow    Severity = "low"
	SeverityMedium Severity = "medium"
	SeverityHigh   Severity = "high"
)

var severities = []Severity{SeverityLow, SeverityMedium, SeverityHigh}

// Ambiguity is what a paper leaves open or says in two ways.
type Ambiguity struct {
	ID                ID
	Papers            []Paper
	Where             string
	Issue             string
	Evidence          string
	SuggestedHandling string
	Severity          Severity
	Reading           string   // the reading that experiments take, a sentence; "" where none had to be taken
	Choices           []string // names that --reading takes; nil where there is no knob
	Default           string   // one of Choices; "" where there is no knob
}

// ArithmeticCheck is a number of a paper computed again from others of it.
type ArithmeticCheck struct {
	ID          ID
	What        string
	Computation string
	Result      string
	Consistent  bool // whether the paper agrees with itself
}

func (d *decoder) facts(top *mapping) {
	for _, n := range top.list("facts") {
		m := top.src.mapping(n, spaceFacts)
		if m == nil {
			continue
		}
		f := &Fact{ID: d.id(m, spaceFacts)}
		f.Paper = word(m, "paper", Papers)
		f.Where = m.text("where")
		f.What = m.text("what")
		f.Value = m.value("value")
		f.Unit = m.textIf("unit")
		f.Note = m.textIf("note")
		m.close()
		d.ledger.Facts = append(d.ledger.Facts, f)
	}
}

func (d *decoder) withheld(top *mapping) {
	for _, n := range top.list("withheld") {
		m := top.src.mapping(n, spaceClaims)
		if m == nil {
			continue
		}
		w := &Withheld{ID: d.id(m, spaceClaims)}
		w.Paper = paperOf(m, w.ID)
		w.Where = m.text("where")
		w.Statement = m.text("statement")
		w.Metric = m.text("metric")
		w.Unit = m.text("unit")
		w.Needs = m.text("needs")
		w.How = m.text("how")
		m.close()
		d.ledger.Withheld = append(d.ledger.Withheld, w)
	}
}

// ambiguities reads both lists of the file.
func (d *decoder) ambiguities(top *mapping) {
	for _, n := range top.list("ambiguities") {
		if m := top.src.mapping(n, spaceAmbiguities); m != nil {
			d.ledger.Ambiguities = append(d.ledger.Ambiguities, d.ambiguity(m))
			m.close()
		}
	}
	for _, n := range top.list("arithmetic_checks") {
		m := top.src.mapping(n, spaceArithmetic)
		if m == nil {
			continue
		}
		a := &ArithmeticCheck{ID: d.id(m, spaceArithmetic)}
		a.What = m.text("what")
		a.Computation = m.text("computation")
		a.Result = m.text("result")
		a.Consistent = m.flag("consistent")
		m.close()
		d.ledger.Arithmetic = append(d.ledger.Arithmetic, a)
	}
}

func (d *decoder) ambiguity(m *mapping) *Ambiguity {
	a := &Ambiguity{ID: d.id(m, spaceAmbiguities)}
	for _, p := range m.texts("papers") {
		if !slices.Contains(Papers, Paper(p)) {
			m.fault("papers", "%q: allowed are %s", p, listed(Papers))
		}
		a.Papers = append(a.Papers, Paper(p))
	}
	a.Where = m.text("where")
	a.Issue = m.text("issue")
	a.Evidence = m.text("evidence")
	a.SuggestedHandling = m.text("suggested_handling")
	a.Severity = word(m, "severity", severities)
	a.Reading = m.textIf("reading")
	a.Choices = m.textsIf("choices")
	a.Default = m.textIf("default")
	switch {
	case (len(a.Choices) == 0) != (a.Default == ""):
		m.src.fault(m.pos, "%s: choices and default go together", m.what)
	case a.Default != "" && !slices.Contains(a.Choices, a.Default):
		m.fault("default", "%q: choices are %s%s", a.Default, strings.Join(a.Choices, ", "), suggest.DidYouMean(a.Default, a.Choices))
	case a.Default != "" && a.Reading == "":
		m.src.fault(m.pos, "%s: reading is missing: say what %q stands for", m.what, a.Default)
	}
	return a
}

func listed[T ~string](words []T) string {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	return strings.Join(names, ", ")
}

// Readings are the choices of a run where papers are ambiguous.
type Readings struct {
	ledger *Ledger
	chosen map[ID]string
}

// Readings reads the values of --reading, each "ID=choice". What is not named
// keeps its default.
func (l *Ledger) Readings(set []string) (Readings, error) {
	r := Readings{l, map[ID]string{}}
	for _, s := range set {
		id, choice, ok := strings.Cut(s, "=")
		if !ok || id == "" || choice == "" {
			return Readings{}, fmt.Errorf("--reading %q: write ID=choice, as in --reading trio.wake=naive", s)
		}
		a, err := l.knob(ID(id))
		if err != nil {
			return Readings{}, fmt.Errorf("--reading %q: %w", s, err)
		}
		if !slices.Contains(a.Choices, choice) {
			return Readings{}, fmt.Errorf("--reading %q: unknown choice %q: allowed are %s%s",
				s, choice, strings.Join(a.Choices, ", "), suggest.DidYouMean(choice, a.Choices))
		}
		if before, ok := r.chosen[a.ID]; ok && before != choice {
			return Readings{}, fmt.Errorf("--reading %q: %s is set to %q too: one reading at a time", s, a.ID, before)
		}
		r.chosen[a.ID] = choice
	}
	return r, nil
}

// knob returns an ambiguity that has choices.
func (l *Ledger) knob(id ID) (*Ambiguity, error) {
	var ids []string
	for _, a := range l.Ambiguities {
		switch {
		case a.ID == id && a.Default == "":
			return nil, fmt.Errorf("ambiguity %s has no choices", id)
		case a.ID == id:
			return a, nil
		case a.Default != "":
			ids = append(ids, string(a.ID))
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("unknown ambiguity %q: none has choices", id)
	}
	return nil, fmt.Errorf("unknown ambiguity %q: allowed are %s%s", id, strings.Join(ids, ", "), suggest.DidYouMean(string(id), ids))
}

// Choice returns what is chosen for an ambiguity, its default if nothing else.
// An id that has no choices is an error of the program that asks.
func (r Readings) Choice(id ID) (string, error) {
	if c, ok := r.chosen[id]; ok {
		return c, nil
	}
	a, err := r.ledger.knob(id)
	if err != nil {
		return "", err
	}
	return a.Default, nil
}

// Changed returns the readings that are not the default, "id=choice" each, in
// the order of the ledger.
func (r Readings) Changed() []string {
	var out []string
	for _, a := range r.ledger.Ambiguities {
		if c, ok := r.chosen[a.ID]; ok && c != a.Default {
			out = append(out, string(a.ID)+"="+c)
		}
	}
	return out
}
