package scenarios

import (
	"fmt"
	"strings"
	"testing"
)

func TestProgramsInTransit(t *testing.T) {
	s := mustShort(t, `
hosts: 4
topology: {generator: chassis-spine, leaves: 2, spines: 1}
systems: [{system: ring}]
transit:
  - {switch: "mx*", pfe: pfe2, program: police, config: {rate: 10Gbit/s, burst: 1MB}}
  - {switch: spine0, program: filter}
`)
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, list := range jobs[0].Transit {
		for _, p := range list {
			got = append(got, fmt.Sprintf("%s %d %s %s", jobs[0].Plan.Switches[i].Name, p.PFE, p.System, p.Config))
		}
	}
	want := `mx0 1 police {"rate": "10Gbit/s", "burst": "1MB"}
mx1 1 police {"rate": "10Gbit/s", "burst": "1MB"}
spine0 0 filter `
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestBadProgramsInTransit(t *testing.T) {
	for rest, want := range map[string]string{
		"[{program: filtre}]":                       `transit[0].program: "filtre": allowed are filter, telemetry, police; did you mean "filter"?`,
		"[{program: police, config: {speed: 1}}]":   `transit[0].config: reading a police.Config: json: unknown field "speed"`,
		"[{program: police, config: {rate: fast}}]": `transit[0].config: reading a police.Config`,
		"[{program: filter, switch: leaf0}]":        `transit[0].switch: no switch of topology rack is "leaf0": there are tor`,
		"[{program: filter, pfe: pfe1}]":            "transit[0].pfe: switch tor is no chassis: leave the PFE out",
	} {
		s, err := loadShort(t, "systems: [{system: ring}]\ntransit: "+rest+"\n")
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", rest, err, want)
		}
	}
	s := mustShort(t, "systems: [{system: ring, topology: mx480}]\ntransit: [{program: filter, pfe: pfe7}]\n")
	if _, err := s.Jobs(true); err == nil || !strings.Contains(err.Error(), `"pfe7": switch mx480 has pfe1, pfe2, pfe3, pfe4, pfe5, pfe6`) {
		t.Errorf("a PFE that is not there: %v", err)
	}
}
