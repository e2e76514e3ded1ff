package sim_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/trio"
)

// transitConfigs are of programs that let all traffic of a run pass.
var transitConfigs = map[string]string{
	"filter":    `{"PFE":{"ARP":true,%}}`,
	"telemetry": `{"PFE":{"Leaving":true,%},"HeavyBytes":"4GB","Collector":{"Src":"10.9.9.1","Dst":"10.9.9.2"},"Reports":[0]}`,
	"police":    `{"PFE":{%},"Rate":"400Gbit/s","Burst":"1GB"}`,
	"microcode": `{"Name":"pass","File":"pass.mc","Text":"packet entry start;\nstart: begin Forward(0); exit; end","Hops":[{"Routing":true}],"Timing":$}`,
}

// inTransit puts a program on every PFE of a job.
func inTransit(t *testing.T, j *job.Job, program string, timing *trio.Timing) {
	t.Helper()
	text, err := json.Marshal(timing)
	if err != nil {
		t.Fatal(err)
	}
	pfe := `"Memory":{"SRAM":"8MiB","DRAM":"8MiB","Records":256},"Timing":` + string(text)
	config := json.RawMessage(strings.NewReplacer("%", pfe, "$", string(text)).Replace(transitConfigs[program]))
	j.Transit = nil
	for _, sw := range j.Plan.Switches {
		n := 1
		if sw.Chassis != nil {
			n = len(sw.Chassis.PFEs)
		}
		var list []chassis.Program
		for i := range n {
			list = append(list, chassis.Program{PFE: i, System: program, Config: config})
		}
		j.Transit = append(j.Transit, list)
	}
}

func packetsOf(c result.Cell, program string) (n uint64) {
	for _, counter := range c.Counters {
		if strings.HasSuffix(counter.Name, "/"+program+"/pfe-forwarded") {
			n += counter.N
		}
	}
	return n
}

// Systems that aggregate and systems over TCP run through the Microcode programs: those
// that take no time change no sample, and those that do lose nothing.
func TestProgramsInTransit(t *testing.T) {
	long(t)
	im := images(t)
	slow := trio.DefaultTiming()
	for _, j := range jobs(t, "iterations=2", "stragglers.p=[0%]") { // on a rack, and on a chassis
		plain := run(t, j, im)
		for program := range transitConfigs {
			inTransit(t, j, program, nil)
			c := run(t, j, im)
			if diff := cmp.Diff(plain.Samples, c.Samples); diff != "" || c.Wrong != 0 || c.Checked != plain.Checked {
				t.Errorf("%s with %s: %d wrong, samples (-without +with):\n%s", j.System.Name(), program, c.Wrong, diff)
			}
			n := packetsOf(c, program)
			inTransit(t, j, program, &slow)
			c = run(t, j, im)
			if m := packetsOf(c, program); c.Wrong != 0 || c.Checked != plain.Checked || n == 0 || m == 0 || len(c.Samples) != len(plain.Samples) {
				t.Errorf("%s with %s: %d wrong, %d packets at once and %d with time", j.System.Name(), program, c.Wrong, n, m)
			}
			if slices.EqualFunc(c.Samples, plain.Samples, func(a, b result.Sample) bool { return a.End == b.End }) {
				t.Errorf("%s with %s: the time of the PFE shows nowhere", j.System.Name(), program)
			}
		}
	}
}
