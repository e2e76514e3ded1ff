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

// EngineForward is the engine of a switch that runs no program of a system, in the words of topology files.
const EngineForward = "forward"

// Engined is a system with programs in switches: it says which engines they can run on, in the words of
// topology files.
type Engined interface {
	System
	Engines() []string
}

// OnEngine is the configuration of a switch's program that says which engine runs it, as [Engined] does.
type OnEngine interface{ Engine() string }

// EngineOn returns the engine that the job's program on a switch needs; empty: it has none there.
func (j *Job) EngineOn(node string) string {
	sw, known := j.Plan.Switch(node)
	if !known || sw.Index >= len(j.Layout.Programs) {
		return ""
	}
	for _, p := range j.Layout.Programs[sw.Index] {
		if e, ok := p.(OnEngine); ok {
			return e.Engine()
		}
	}
	return ""
}
