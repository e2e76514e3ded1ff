package scenarios

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

const collected = `
hosts: 4
topology: {generator: chassis-spine, leaves: 2, spines: 1}
systems: [{system: ring}]
transit:
  - {switch: "mx*", program: telemetry, collector: h1, config: {heavybytes: 1MB}}
  - {switch: spine0, program: telemetry, collector: h1}
`

// Reports leave every switch by the port that leads to the collector, to the MAC that is there;
// the collector is on its host once.
func TestCollector(t *testing.T) {
	s := mustShort(t, collected)
	jobs, err := s.Jobs(false)
	if err != nil {
		t.Fatal(err)
	}
	p := jobs[0].Plan
	for i := range p.Switches {
		sw := &p.Switches[i]
		for _, program := range jobs[0].Transit[i] {
			var c struct {
				HeavyBytes json.RawMessage
				Collector  inet.Flow
				Reports    []sansio.Port
				PFE        json.RawMessage
			}
			if err := json.Unmarshal(program.Config, &c); err != nil {
				t.Fatalf("%s: %v", program.Config, err)
			}
			h, _ := p.Host("h1")
			hop := sw.Towards(h)
			want := inet.Flow{SrcMAC: inet.MAC(sw.MAC), DstMAC: inet.MAC(hop.MAC), Src: sw.Router, Dst: h.Addr.Addr(), SrcPort: 4740, DstPort: 4740}
			if c.Collector != want || !slices.Equal(c.Reports, []sansio.Port{sansio.Port(hop.Port)}) {
				t.Errorf("%s: %s, want reports %+v by port %d", sw.Name, program.Config, want, hop.Port)
			}
			if heavy := string(c.HeavyBytes); strings.Contains(heavy, "1000000B") == (sw.Name == "spine0") {
				t.Errorf("%s: heavy from %s on", sw.Name, heavy)
			}
		}
		if len(jobs[0].Transit[i]) == 0 {
			t.Errorf("%s has no program", sw.Name)
		}
	}
	if want := []job.Collector{{Program: "telemetry", Host: "h1", Port: 4740}}; !slices.Equal(jobs[0].Collectors, want) {
		t.Errorf("collectors %+v, want %+v", jobs[0].Collectors, want)
	}
	if text, err := s.MarshalYAML(); err != nil || strings.Count(string(text), "collector: h1") != 2 {
		t.Errorf("as a file, error %v:\n%s", err, text)
	}
}

// Of several jobs, collectors stand with the first, as programs do.
func TestCollectorBesideTenants(t *testing.T) {
	jobs, err := mustShort(t, `systems: [{system: switchml256}]
jobs: [{hosts: [h0, h1]}, {hosts: [h2, h3]}]
transit: [{program: telemetry, collector: h5}]
`).Jobs(true)
	if err != nil || len(jobs) != 2 || len(jobs[0].Collectors) != 1 || len(jobs[1].Collectors) != 0 {
		t.Errorf("%d jobs, error %v", len(jobs), err)
	}
}

func TestBadCollectors(t *testing.T) {
	for rest, want := range map[string]string{
		"[{program: filter, collector: h1}]":                                "transit[0].collector: filter sends no reports: leave the collector out, or take telemetry",
		"[{program: telemetry, collector: h9}]":                             `transit[0].collector: topology rack has no host "h9", its hosts are h0 to h5`,
		"[{program: telemetry}]":                                            "both must be IPv4 addresses; a host that takes its reports is named by collector, as in collector: h5",
		"[{program: telemetry, collector: h5, config: {heavy: 1MB}}]":       `transit[0].config: reading a telemetry.Config: json: unknown field "heavy"`,
		"[{program: telemetry, collector: h5, config: {heavybytes: 8GiB}}]": "transit[0].config: configuring telemetry on : heavy from 8GiB on",
		"[{program: telemetry, collectors: h5}]":                            `unknown key "collectors"`,
	} {
		s, err := loadShort(t, "systems: [{system: ring}]\ntransit: "+rest+"\n")
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", rest, err, want)
		}
	}
}
