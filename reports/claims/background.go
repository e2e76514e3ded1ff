package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/yamldoc"
)

// Fact is what a paper says of its system, its set-up or its hardware.
type Fact struct {
	ID    ID     `yaml:"id"`
	Paper Paper  `yaml:"paper"`
	Where string `yaml:"where"`
	What  string `yaml:"what"`
	Value Value  `yaml:"value"`
	Unit  string `yaml:"unit,omitempty"` // "" where none is given
	Note  string `yaml:"note,omitempty"`
}

// Severity is how much a reading can move results.
type Severity string

// The severities.
const (
	SeverityLow    Severity = "low"
	SeverityMedium Severity = "medium"
	SeverityHigh   Severity = "high"
)

// Words lists the severities.
func (Severity) Words() []string { return texts([]Severity{SeverityLow, SeverityMedium, SeverityHigh}) }

// Ambiguity is what a paper leaves open or says in two ways.
type Ambiguity struct {
	ID                ID       `yaml:"id"`
	Papers            []Paper  `yaml:"papers"`
	Where             string   `yaml:"where"`
	Issue             string   `yaml:"issue"`
	Evidence          string   `yaml:"evidence"`
	SuggestedHandling string   `yaml:"suggested_handling"`
	Severity          Severity `yaml:"severity"`
	Reading           string   `yaml:"reading,omitempty"` // the reading that experiments take, a sentence; "" where none had to be taken
	Choices           []string `yaml:"choices,omitempty"` // names that --reading takes; nil where there is no knob
	Default           string   `yaml:"default,omitempty"` // one of Choices; "" where there is no knob
}

// ArithmeticCheck is a number of a paper computed again from others of it.
type ArithmeticCheck struct {
	ID          ID     `yaml:"id"`
	What        string `yaml:"what"`
	Computation string `yaml:"computation"`
	Result      string `yaml:"result"`
	Consistent  bool   `yaml:"consistent"` // whether the paper agrees with itself
}

func (d *decoder) facts(top yamldoc.Node) {
	var file struct {
		Facts []yamldoc.Node `yaml:"facts"`
	}
	top.Read(&file, "meta")
	d.ledger.Facts = entries[Fact](d, file.Facts, spaceFacts, nil)
}

func (d *decoder) unseen(top yamldoc.Node) {
	var file struct {
		Unseen []yamldoc.Node `yaml:"unseen"`
	}
	top.Read(&file, "meta")
	d.ledger.Unseen = entries(d, file.Unseen, spaceClaims, func(n yamldoc.Node, w *Unseen) { ofPaper(n, w.ID, w.Paper) })
}

// ambiguities reads both lists of the file.
func (d *decoder) ambiguities(top yamldoc.Node) {
	var file struct {
		Ambiguities []yamldoc.Node `yaml:"ambiguities"`
		Arithmetic  []yamldoc.Node `yaml:"arithmetic_checks"`
	}
	top.Read(&file, "meta")
	d.ledger.Ambiguities = entries(d, file.Ambiguities, spaceAmbiguities, func(n yamldoc.Node, a *Ambiguity) {
		switch {
		case (len(a.Choices) == 0) != (a.Default == ""):
			n.Fault("choices and default go together")
		case a.Default != "" && !slices.Contains(a.Choices, a.Default):
			n.FaultAt("default", "%q: choices are %s%s", a.Default, strings.Join(a.Choices, ", "), suggest.DidYouMean(a.Default, a.Choices))
		case a.Default != "" && a.Reading == "":
			n.Fault("reading is missing: say what %q stands for", a.Default)
		}
	})
	d.ledger.Arithmetic = entries[ArithmeticCheck](d, file.Arithmetic, spaceArithmetic, nil)
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
