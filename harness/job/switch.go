package job

import (
	"fmt"
	"slices"
	"strings"
)

// Aggregating is the configuration of a switch's program that says what runs it, as
// [OnSwitch] names it.
type Aggregating interface{ RunsOn() string }

// Reference is what aggregates in a switch that emulates no chip: the protocol in Go.
const Reference = "reference"

// OnSwitch names what runs a program: the word of its knob, and whether it takes the time of
// a chip.
func OnSwitch(word string, timed bool) string {
	if timed {
		return word + " with time"
	}
	return word
}

// runsOn returns what runs programs, each once; empty: nothing aggregates in switches.
func runsOn(programs ...any) (out []string) {
	for _, p := range programs {
		if a, ok := p.(Aggregating); ok {
			out = append(out, a.RunsOn())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// runOn notes what runs the programs of the set's jobs, by switch: of a switch that several share it may
// be another than a job asked for.
func (s *Set) runOn(bySwitch [][]string) {
	for _, j := range s.Jobs {
		var all []string
		for sw, of := range j.Layout.Programs {
			all = append(all, bySwitch[sw]...)
			asked := runsOn(of...)
			if len(asked) == 0 || slices.Equal(asked, bySwitch[sw]) {
				continue
			}
			note := fmt.Sprintf("switch %s runs %s for all jobs, since not all of them can have %s", s.Plan().Switches[sw].Name, strings.Join(bySwitch[sw], ", "), strings.Join(asked, ", "))
			if !slices.Contains(j.Layout.Notes, note) {
				j.Layout.Notes = append(slices.Clip(j.Layout.Notes), note)
			}
		}
		slices.Sort(all)
		j.Switch = strings.Join(slices.Compact(all), ", ")
	}
}
