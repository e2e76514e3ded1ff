package scenarios

import (
	"strings"
	"testing"
)

func TestExpectations(t *testing.T) {
	s := mustShort(t, `
systems: [{system: ring}]
sweep: [link.loss: [0%, 1%]]
expect:
  - {column: inflation, where: {system: ring, link.loss: 1%}, min: 1.1}
  - {column: speedup_switchml, where: {straggle_p: 0.16}, max: 1}
  - {table: flows, column: delivered, where: {flow: a, link.loss: 1%}, max: 0}
`)
	var got []string
	for _, c := range s.Expect {
		got = append(got, c.String())
	}
	want := "inflation where system=ring link.loss=1%, 1.1 at least\nspeedup_switchml where straggle_p=0.16, 1 at most\nflows: delivered where flow=a link.loss=1%, 0 at most"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	for rest, want := range map[string]string{
		"expect: [{column: inflaton, min: 1}]\n":                      `expect[0]: "inflaton" is no column of summary.csv`,
		"expect: [{column: wrong}]\n":                                 "expect[0]: wrong: say what is expected",
		"expect: [{column: wrong, where: {link.loss: 1%}, max: 1}]\n": `expect[0]: "link.loss" is no column`,
		"expect: [{column: wrong, min: few}]\n":                       "a number is needed here",
		"expect: [{table: flow, column: sent, min: 1}]\n":             `expect[0].table: "flow": allowed are flows, transit, reports, tallies; did you mean "flows"?`,
		"expect: [{table: flows, column: sents, min: 1}]\n":           `expect[0]: "sents" is no column of flows.csv: there are system, `,
		"expect: [{columns: wrong, max: 0}]\n":                        `unknown key "columns"`,
		"expect: [{column: wrong, min: 2, max: 1}]\n":                 "nothing is in between",
	} {
		if _, err := loadShort(t, "systems: [{system: ring}]\n"+rest); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s got %v\nwant %s", rest, err, want)
		}
	}
}
