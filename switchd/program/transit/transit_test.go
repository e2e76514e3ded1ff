package transit

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/dataplane"
)

var _ chassis.NewEngine = Maker("", nil)

// Every program is made by its name from its configuration, and has frames in transit.
func TestMaker(t *testing.T) {
	configs := map[string]string{
		"filter": "", "police": `{"Rate":"1Gbit/s"}`,
		"telemetry": `{"PFE":{"Leaving":true},"Collector":{"Src":"10.0.0.1","Dst":"10.0.0.2"},"Reports":[1]}`,
	}
	made := Maker("", nil)
	for _, p := range All() {
		config, ok := configs[p.Name]
		if !ok || p.Description == "" {
			t.Fatalf("%q: %q is not tested, or has no description", p.Name, p.Description)
		}
		e, err := made(p.Name, json.RawMessage(config), nil)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		f := dataplane.Frame{Header: make([]byte, 60)}
		if w := e.Wants(); !w.InTransit() || w.ARP || e.Claims(f) != dataplane.InTransit {
			t.Errorf("%s wants %+v", p.Name, w)
		}
	}
}

// The system's programs are made as the system says, also where it is called as a program
// here; what neither knows is refused by name.
func TestMakerOfASystem(t *testing.T) {
	var got string
	made := Maker("police", func(config json.RawMessage, _ trace.Sink) (dataplane.Engine, error) {
		got = string(config)
		return nil, nil
	})
	if _, err := made("police", json.RawMessage(`"mine"`), nil); err != nil || got != `"mine"` {
		t.Errorf("the system was given %s, %v", got, err)
	}
	for name, want := range map[string]string{
		"telemetri": `program of "telemetri" beside that of "police": allowed are filter, telemetry, police, and "microcode" with a program of one's own; did you mean`,
	} {
		if _, err := made(name, nil, nil); err == nil || !strings.Contains(err.Error(), want[:60]) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := Maker("", nil)("filter", json.RawMessage(`{"Rate":1}`), nil); err == nil || !strings.Contains(err.Error(), `filter.Config: json: unknown field "Rate"`) {
		t.Errorf("error %v, want one about the unknown key", err)
	}
	if _, err := Maker("", nil)("", nil, nil); err == nil {
		t.Error("a program without a name is made")
	}
}

// A configuration keeps what it says when its reports get an address; what such an engine sends
// to a collector can be read.
func TestReportsAreAddressed(t *testing.T) {
	var reporters int
	to := inet.Flow{SrcMAC: inet.MAC{2, 1}, DstMAC: inet.MAC{2, 2}, Src: netip.MustParseAddr("10.1.0.1"), Dst: netip.MustParseAddr("10.1.0.2"), SrcPort: 4739, DstPort: 4739}
	for _, p := range All() {
		if p.Reports == nil {
			continue
		}
		reporters++
		config, err := p.Reports.Address(json.RawMessage(`{"pfe":{"threads":7,"period":"20ms"}}`), to, []sansio.Port{3})
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		again, err := p.Reports.Address(config, to, []sansio.Port{3})
		if err != nil || string(again) != string(config) || !strings.Contains(string(config), `"Threads":7`) {
			t.Errorf("%s: %v, %s, and again %s", p.Name, err, config, again)
		}
		e, err := p.NewEngine(config)
		if err != nil || !slices.Equal(e.Ports(), []sansio.Port{3}) {
			t.Fatalf("%s: %v, ports of %s", p.Name, err, config)
		}
		if _, ok := p.Reports.Read([]byte("no report")); ok {
			t.Errorf("%s reads what is no report", p.Name)
		}
		if _, err := p.Reports.Address(json.RawMessage(`{"threads":7}`), to, nil); err == nil || !strings.Contains(err.Error(), `unknown field "threads"`) {
			t.Errorf("%s: error %v, want one about the unknown key", p.Name, err)
		}
	}
	if reporters == 0 {
		t.Error("no program reports")
	}
}
