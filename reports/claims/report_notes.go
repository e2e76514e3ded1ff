package claims

import (
	"fmt"
	"slices"
)

// meaning is what each verdict says, for the notes below the tables.
var meaning = map[Verdict]string{
	Reproduced:    "the printed number, rule or bound holds within the tolerance",
	WithinBand:    "the printed number is inside a wide band around it",
	DirectionOnly: "sign, order or a loose bound hold; the printed number is not reproduced",
	ByArithmetic:  "it follows from printed numbers, so that no behaviour of the code can fail it",
	Input:         "the number was fed in, so that a match says nothing",
	Predicted:     "predicted, not compared; the interval rests on the constants that are named",
	Undetermined:  "what is assumed decides whether it holds, or the run did not tell, as the reason says: never counted as reproduced",
	NotReproduced: "outside the tolerance",
	KnownFail:     "outside the tolerance, as the ledger says, for the reason that is given",
	NotCheckable:  "not without the paper's hardware or data",
	NeedsRoot:     "a live claim, which takes root; inalab doctor says what else",
	NotYet:        "of a system that is not built",
}

// Meaning is what a verdict says, in a clause.
func (v Verdict) Meaning() string { return meaning[v] }

// meanings explains the verdicts that are there.
func (r Report) meanings(s Summary) []string {
	var notes []string
	for _, v := range Verdicts {
		if s.Verdicts[v]+s.Own[v] > 0 {
			notes = append(notes, string(v)+": "+meaning[v])
		}
	}
	return notes
}

// unexpectedNotes names each claim that did not come out as expected, and why.
func (r Report) unexpectedNotes(s Summary) []string {
	if s.Unexpected == 0 {
		return []string{"nothing unexpected"}
	}
	notes := []string{"!: unexpected, " + claimsOf(s.Unexpected)}
	for i := range r.Results {
		if res := &r.Results[i]; !res.Expected {
			notes = append(notes, fmt.Sprintf("! %s: %s: %s", res.ID, res.Verdict, res.Reason))
		}
	}
	return notes
}

// restated lists "id as id" of the claims that restate others.
func (r Report) restated() []string {
	var out []string
	for i := range r.Results {
		if res := &r.Results[i]; len(res.SameAs) > 0 {
			out = append(out, fmt.Sprintf("%s as %s", res.ID, idList(res.SameAs)))
		}
	}
	return out
}

// divided names claims that restate another and have a verdict of the other kind: one
// measurement passes as one claim and not as the other.
func (r Report) divided() []string {
	byID := map[ID]*Result{}
	for i := range r.Results {
		byID[r.Results[i].ID] = &r.Results[i]
	}
	var notes []string
	for i := range r.Results {
		a := &r.Results[i]
		for _, id := range a.SameAs {
			if b := byID[id]; b != nil && a.passes()+b.passes() == 1 {
				notes = append(notes, fmt.Sprintf("stated twice, with two tolerances: %s is %s (%s), %s is %s (%s)",
					a.ID, a.Verdict, a.Tolerance, b.ID, b.Verdict, b.Tolerance))
			}
		}
	}
	return notes
}

// passes is 1 of a verdict that counts as a pass, 0 of one that counts as none, and 2 of what
// was not judged.
func (r *Result) passes() int {
	switch r.Verdict {
	case Reproduced, WithinBand, DirectionOnly:
		return 1
	case NotReproduced, KnownFail, Undetermined:
		return 0
	}
	return 2
}

// quickNotes says how experiments were cut, each way once.
func (r Report) quickNotes() []string {
	var notes []string
	for i := range r.Results {
		if q := r.Results[i].Quick; q != "" && !slices.Contains(notes, "q: quick, "+q) {
			notes = append(notes, "q: quick, "+q)
		}
	}
	return notes
}

// claimsOf is "1 claim" or "2 claims".
func claimsOf(n int) string {
	if n == 1 {
		return "1 claim"
	}
	return fmt.Sprintf("%d claims", n)
}
