package claimreport

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/reports/claims"
)

func TestPlaceOf(t *testing.T) {
	for where, want := range map[string]string{
		"§6.2, Fig 13 (scaled-down counterpart)": "Fig 13", "§6.2, Figs 12-13": "Fig 12", "§6.3, Fig 16a": "Fig 16", "App A.1, Fig 17": "Fig 17",
		"§2.2, Table 1": "Table 1", "App D, Tables 2 and 4": "Table 2", "§3, §6.2, Table 2": "Table 2", "§IV-C, §VI-C": "Section IV-C",
		"§1, §5.2.2": "Section 1", "Abstract, §1, §9": "Abstract", "App D.1": "Appendix D.1", "App E, Thm 1": "Appendix E", "§4.5, Alg 3-4": "Section 4.5",
		"nowhere <b>": "Elsewhere",
	} {
		if got := placeOf(where).title(); got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
	if id := placeOf("§VI-B").id(); id != "section-vi-b" {
		t.Errorf("id %q", id)
	}
}

// Figures come first, then tables, then sections and appendices, each by number and not by letters.
func TestPlacesAreSorted(t *testing.T) {
	want := []string{"Fig 2", "Fig 13", "Table 1", "Abstract", "Section 1", "Section 6.2", "Section 6.10", "Section II-A", "Section IV", "Section IX", "Appendix A.2", "Appendix B", "Elsewhere"}
	places := []place{
		placeOf("?"), placeOf("§6.10"), placeOf("Fig 13"), placeOf("App B"), placeOf("§6.2"), placeOf("Table 1"), placeOf("App A.2"), placeOf("Abstract"), placeOf("Fig 2"), placeOf("§1"),
	}
	slices.SortFunc(places, place.compare)
	roman := []place{placeOf("§IX"), placeOf("§IV"), placeOf("§II-A")}
	slices.SortFunc(roman, place.compare)
	var got []string
	for _, p := range slices.Concat(places[:7], roman, places[7:]) {
		got = append(got, p.title())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// Every claim of the ledger has a place.
func TestLedgerHasPlaces(t *testing.T) {
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range l.Claims {
		if placeOf(c.Where).kind == elsewhere {
			t.Errorf("%s: %q is no place", c.ID, c.Where)
		}
	}
	for _, w := range l.Unseen {
		if placeOf(w.Where).kind == elsewhere {
			t.Errorf("%s: %q is no place", w.ID, w.Where)
		}
	}
}

// A figure stands with the number in its name, else with the first claim of its experiment; one of a paper that
// nothing was asked of does not make a section.
func TestFiguresHaveHomes(t *testing.T) {
	r := &Record{
		Claims: []Claim{{ID: "trio.a", Paper: "trio", Where: "§6.3, Fig 15", Experiment: "x"}, {ID: "trio.b", Paper: "trio", Where: "§4", Experiment: "y"}},
		Experiments: []Experiment{
			{ID: "x", Figures: []Figure{{File: "x/trio.fig13.open"}, {File: "x/trio.graceful"}, {File: "x/atp.fig3"}}},
			{ID: "z", Figures: []Figure{{File: "z/atp.fig3"}}},
		},
	}
	var got []string
	for _, p := range outline(r) {
		for _, s := range p.places {
			line := p.id + " " + s.title()
			for _, f := range s.figures {
				line += " " + f.File
			}
			got = append(got, line)
		}
	}
	want := []string{"trio Fig 13 x/trio.fig13.open", "trio Fig 15 x/trio.graceful x/atp.fig3", "trio Section 4"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
