package scenarios

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
)

// eventful is a scenario with a program that declares events.
const eventful = `
systems: [{system: ring}]
transit:
  - program: own.mc
    source: |
      packet entry start;
      event reset entry start;
      counter seen;
      counter heard;
      statistics seen every 5 packets entry start;
      start: begin Forward(0); exit; end
`

// An event is raised on a switch at its time.
func TestRaise(t *testing.T) {
	s := mustShort(t, eventful+"at: [{time: 1s, raise: reset, on: tor, value: 0x10, program: own}]\n")
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	want := job.Action{At: units.Second, Verb: job.Raise, Node: "tor", Event: "reset", Value: 16, Program: "own"}
	if got := jobs[0].Actions; len(got) != 1 || got[0] != want || got[0].String() != "raise reset 16 on tor at 1s" {
		t.Errorf("actions %v", got)
	}
	text, err := s.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := mustShort(t, strings.SplitN(string(text), "name: short\n", 2)[1]).Jobs(true); err != nil || again[0].Actions[0] != want {
		t.Errorf("behind writing and reading: %v, %v", again, err)
	}
}

// What cannot be raised is refused where it stands, before the run; so are thresholds.
func TestBadRaise(t *testing.T) {
	for rest, want := range map[string]string{
		eventful + "at: [{time: 1s, raise: rest, on: tor}]":                         `at[0].raise: no program of tor has an entry for event rest: there are reset; did you mean "reset"?`,
		eventful + "at: [{time: 1s, raise: reset}]":                                 "at[0].raise: it says on no switch: name one, as in on: tor",
		eventful + "at: [{time: 1s, raise: reset, on: tar}]":                        `no process of the lab is called "tar": there are h0, h1, h2, h3, h4, h5, tor; did you mean "tor"?`,
		eventful + "at: [{time: 1s, raise: reset, on: h1}]":                         "h1 is a worker: events are raised on switches",
		eventful + "at: [{time: 1s, raise: reset, on: tor, value: -1}]":             "at[0].value",
		eventful + "at: [{time: 1s, raise: reset, on: tor, program: other}]":        "at[0].raise: no program of tor has an entry for event reset: own are there",
		eventful + "at: [{time: 1s, stop: tor, value: 1}]":                          "stop takes neither value nor program",
		eventful + "at: [{time: 1s, stop: tor}, {time: 2s, raise: reset, on: tor}]": "tor does not run then",
		"systems: [{system: ring}]\nat: [{time: 1s, raise: reset, on: tor}]":        "at[0].on: no program of one's own runs on tor",
		eventful + "    memory: [{name: seen.every, value: 0}]":                     `"0" is no number of packets`,
		eventful + "    memory: [{name: heard.every, value: 1}]":                    "has no statistics entry of counter heard, which is declared at own.mc:4:9",
		eventful + "    memory: [{name: saen.every, value: 1}]":                     `did you mean "seen"?`,
	} {
		s, err := loadShort(t, rest+"\n")
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", rest, err, want)
		}
	}
}
