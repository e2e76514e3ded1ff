package atpps

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/strictjson"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

func TestRefusedConfigurations(t *testing.T) {
	for want, change := range map[string]func(c *Config){
		"0 workers: 1 to 256":                     func(c *Config) { c.Workers = 0 },
		"257 workers: 1 to 256":                   func(c *Config) { c.Workers = 257 },
		"the second the group":                    func(c *Config) { c.Flow.Dst = netip.MustParseAddr("10.0.0.1") },
		"65537 aggregators: 0 to 65536":           func(c *Config) { c.Aggregators = 65537 },
		"-1 places in windows":                    func(c *Config) { c.Places = -1 },
		"re-hashing of kind 4":                    func(c *Config) { c.Rehash = 4 },
		"they can with ByPlace only":              func(c *Config) { c.Rehash = Recycle },
		"neither may be negative":                 func(c *Config) { c.Ring = -1 },
		"0 streams with 4 packets":                func(c *Config) { c.Streams = nil },
		"1 streams with 0 packets":                func(c *Config) { c.Span = 0 },
		"the first is at least 1":                 func(c *Config) { c.Streams[0].First = 0 },
		"even in number":                          func(c *Config) { c.Streams[0].Size = 61 },
		"the last below 16777216":                 func(c *Config) { c.Streams[0] = wire.Numbers{First: 1 << 24, Size: 64} },
		"it needs 4 times as many numbers":        func(c *Config) { c.Span = 16 },
		"streams 0 and 1 share numbers":           func(c *Config) { c.Streams = append(c.Streams, wire.Numbers{First: 62, Size: 40}) },
		"half of which must be more than the 31":  func(c *Config) { c.Aggregators = 31 },
		"rack 1 has bit 0":                        func(c *Config) { c.Racks[1].Bit = 0 },
		"rack 1 has bit 32":                       func(c *Config) { c.Racks[1].Bit = 32 },
		"rack 0 has 2 workers":                    func(c *Config) { c.Racks[0].Direct = true },
		"rack 2 has 0 workers":                    func(c *Config) { c.Racks[2].Workers = nil },
		"rack 1 has worker 1 of 5: each has one":  func(c *Config) { c.Racks[1].Workers[0] = 1 },
		"rack 2 has worker 5 of 5: each has one":  func(c *Config) { c.Racks[2].Workers[0] = 5 },
		"racks have 4 of 5 workers: each has one": func(c *Config) { c.Racks = c.Racks[:2] },
	} {
		c := twoRacks()
		change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	for _, c := range []Config{twoRacks(), {}} {
		if _, err := New(c); (err == nil) != (c.Workers > 0) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A configuration is the same for the process that it is handed to.
func TestRoundTrip(t *testing.T) {
	full := twoRacks()
	full.Rehash, full.Superset, full.Copy, full.Ring = Never, true, copyRate, 1<<20
	full.Used, full.Places, full.ByPlace = true, 12, true
	for _, want := range []Config{twoRacks(), full} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Config
		if err := strictjson.Decode(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
	}
}

// What is for other hosts, or no ATP, is counted.
func TestForeignPackets(t *testing.T) {
	r := newRig(t, twoRacks())
	cfg := twoRacks()
	for i, change := range []func(header []byte){
		func(h []byte) { h[33]++ },   // address
		func(h []byte) { h[37]++ },   // port
		func(h []byte) { h[23] = 6 }, // protocol
	} {
		a := whole(&cfg, 1, false).arrival()
		change(a.Train.Header)
		r.feed.Arrive(0, a)
		if n := r.counted(DropForeign); n != uint64(i+1) || len(r.sent) > 0 {
			t.Errorf("%d foreign packets counted, want %d", n, i+1)
		}
	}
}

// What comes from nobody's address who works for the job is counted and not added, whatever it says.
func TestStrangers(t *testing.T) {
	cfg := twoRacks()
	cfg.From = []netip.Addr{netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("10.0.0.3")}
	r := newRig(t, cfg)
	r.give(whole(&cfg, 1, false))
	if n := r.counted(DropStranger); n != 1 || len(r.sent) > 0 || len(r.server.Open(9)) > 0 {
		t.Errorf("%d packets of strangers, want 1; %d were sent", n, len(r.sent))
	}
	a := whole(&cfg, 1, false).arrival()
	inet.IPv4(a.Train.Header[inet.EtherLen:]).SetSrc(cfg.From[1])
	r.feed.Arrive(0, a)
	if n := r.counted(DropStranger); n != 1 || len(r.sent) != 1 {
		t.Errorf("of a worker: %d strangers, %d packets were sent", n, len(r.sent))
	}
}
