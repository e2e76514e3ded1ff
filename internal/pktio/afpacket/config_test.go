package afpacket

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/pktio"
)

func ports(n int) []PortConfig {
	out := make([]PortConfig, n)
	for i := range out {
		out[i].Iface = "p" + strings.Repeat("x", i%10) + string(rune('0'+i/10))
	}
	return out
}

func TestRingsKeepToTheBudget(t *testing.T) {
	for _, test := range []struct {
		ports, frames, budget, wantFrames, wantMiB int
	}{
		{2, 0, 0, 75, 10},
		{2, 1, 0, 75, 10},
		{2, 200, 0, 210, 28},
		{2, 5000, 0, 270, 36},
		{64, 64, 0, 60, 256},
		{200, 64, 0, 15, 200},
		{512, 64, 0, 7, 256},
		{4, 64, 2 << 20, 7, 2},
	} {
		cfg := Config{Ports: ports(test.ports), RingFrames: test.frames, MemoryBudget: test.budget}.withDefaults()
		if err := cfg.validate(); err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		shape := cfg.ring()
		if mib := test.ports * shape.bytes() >> 20; shape.frames() != test.wantFrames || mib != test.wantMiB {
			t.Errorf("%d ports, %d frames, budget %d: %d frames, %d MiB; want %d, %d",
				test.ports, test.frames, test.budget, shape.frames(), mib, test.wantFrames, test.wantMiB)
		}
		last := shape.offset(shape.frames() - 1)
		if last+ringFrame > shape.bytes() || last/shape.blockBytes != (last+ringFrame-1)/shape.blockBytes {
			t.Errorf("%+v: the last frame at %d crosses the end of a block", shape, last)
		}
	}
}

func TestConfigIsRefused(t *testing.T) {
	for want, cfg := range map[string]Config{
		"no ports: name at least one interface":                                                 {},
		"port 1 has no interface":                                                               {Ports: []PortConfig{{"a"}, {}}},
		`port 1: interface "a" is another port already`:                                         {Ports: []PortConfig{{"a"}, {"a"}}},
		"600 ports need at least 300 MiB of packet rings and MemoryBudget is 256 MiB: raise it": {Ports: make([]PortConfig, 600)},
	} {
		if len(cfg.Ports) == 600 {
			for i := range cfg.Ports {
				cfg.Ports[i].Iface = strings.Repeat("x", i+1)
			}
		}
		if err := cfg.withDefaults().validate(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestMissingFeature(t *testing.T) {
	f := Features{VnetHdr: Feature{Support: pktio.Yes}, GSOSend: Feature{pktio.Inconclusive, "lo is down"}}
	if name, _, found := f.missing(); found {
		t.Errorf("%s counts as missing", name)
	}
	f.GSOSend = Feature{pktio.No, "old"}
	if name, got, found := f.missing(); !found || name != "UDP segmentation offload" || got.Reason != "old" {
		t.Errorf("missing %q: %+v", name, got)
	}
	if s := pktio.Yes.String() + pktio.No.String() + pktio.Inconclusive.String(); s != "yesnoinconclusive" {
		t.Error(s)
	}
}
