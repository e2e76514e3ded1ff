package user

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/program/middlebox/middleboxtest"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/lookup"
	"github.com/inalab/inalab/switchd/trio/mem"
	"github.com/inalab/inalab/topo/gen"
)

var (
	_ dataplane.Engine  = (*Engine)(nil)
	_ dataplane.Matched = (*Engine)(nil)
	_ dataplane.Holding = (*Engine)(nil)
)

// turn forwards each packet to the number that word 1 of its table holds, and counts it.
const turn = `
counter seen;
sram table[4];
policer bucket[2];
dram far[2];
register packet_work_t r_work @ WORK_REGISTER;
lmem u64 hop;
packet entry start;
timer tick entry fire;
start: begin CounterIncPhys(seen, r_work.pkt_len); end
begin MemRead(table + 1, &hop, 8); end
begin Forward(hop[31:0]); exit; end
fire: begin CounterIncPhys(seen, 0); exit; end
`

func config() Config {
	return Config{Name: "turn", Node: "mx480/pfe1", File: "turn.mc", Text: turn}
}

// A program forwards to routing, to ports, and to hosts, by numbers that its initial memory
// holds, also when it crosses processes as JSON.
func TestHops(t *testing.T) {
	host := Hop{Number: 2, Ports: []sansio.Port{5}, Dst: inet.MAC{2, 9}, Src: inet.MAC{2, 8}}
	for number, want := range []struct {
		to   []sansio.Port
		ends string // of the Ethernet addresses
	}{
		{[]sansio.Port{middleboxtest.Port}, "as they were"},
		{[]sansio.Port{4, 6}, "as they were"},
		{[]sansio.Port{5}, "of the host"},
	} {
		cfg := config()
		cfg.Hops = []Hop{{Number: 0, Routing: true}, {Number: 1, Ports: []sansio.Port{4, 6}}, host}
		cfg.Memory = []Initial{{Symbol: "table", At: 1, Values: []uint64{uint64(number)}}}
		text, err := json.Marshal(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var read Config
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(cfg, read, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
			t.Errorf("as JSON it differs (-want +got):\n%s", diff)
		}
		e, err := New(read)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		pfe := middleboxtest.New(e, func(_ units.Time, s *sansio.Send) {
			n++
			h := inet.Ether(s.Train.Header)
			ends := "as they were"
			if h.Dst() == host.Dst && h.Src() == host.Src {
				ends = "of the host"
			}
			if diff := cmp.Diff(want.to, s.To); diff != "" || ends != want.ends {
				t.Errorf("hop %d: by %v, addresses %s", number, s.To, ends)
			}
		})
		pfe.Send(1, 2, 100)
		if got := pfe.Count("turn-seen"); n != 1 || got != 1 {
			t.Errorf("hop %d: %d packets sent and %d counted, want 1", number, n, got)
		}
		if diff := cmp.Diff([]sansio.Port{4, 5, 6}, e.Ports()); diff != "" {
			t.Errorf("ports differ (-want +got):\n%s", diff)
		}
	}
}

// A program forwards by destination, with the routes of its configuration, to the ports that
// their next hops stand for.
func TestRoutes(t *testing.T) {
	const source = `
struct ipv4_t { : 240; dst : 32; };
virtual ipv4_t *pkt = HEAD_START;
register route_reply_t way;
route ROUTES[4];
packet entry start;
start: begin way = RouteLookup(ROUTES, pkt->dst); end
begin Forward(way.nexthop); exit; end
`
	to := func(prefix string, hop uint32) lookup.Route {
		return lookup.Route{Prefix: netip.MustParsePrefix(prefix), NextHop: hop}
	}
	cfg := Config{
		Name: "router", File: "router.mc", Text: source,
		Hops:   []Hop{{Number: 1, Ports: []sansio.Port{4}}, {Number: 2, Ports: []sansio.Port{5}}},
		Tables: []trio.Table{{Name: "ROUTES", Routes: []lookup.Route{to("10.0.0.0/8", 1), to("10.0.0.7/32", 2)}}},
	}
	text, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var read Config
	if err := strictjson.Decode(text, &read); err != nil {
		t.Fatal(err)
	}
	e, err := New(read)
	if err != nil {
		t.Fatal(err)
	}
	var by []sansio.Port
	pfe := middleboxtest.New(e, func(_ units.Time, s *sansio.Send) { by = append(by, s.To...) })
	pfe.Send(1, 2, 10)
	pfe.Send(1, 7, 10)
	if diff := cmp.Diff([]sansio.Port{4, 5}, by); diff != "" {
		t.Errorf("ports differ (-want +got):\n%s", diff)
	}
}

// The program has as much shared memory as it declares, to the word. What it does beyond is a fault
// that is counted.
func TestMemoryIsItsOwn(t *testing.T) {
	const source = "sram words[4];\ndram far[2];\nlmem u64 value;\npacket entry start;\n" +
		"start: begin MemWrite(AT, &value, 8); end\nbegin Forward(0); exit; end"
	for at, faults := range map[string]uint64{
		"words": 0, "words + 3": 0, "words + 4": 1, "words + 0x5000": 1, "far + 1": 0, "far + 2": 1, "far - 1": 1,
		"HASH_RECORDS": 0, fmt.Sprintf("HASH_RECORDS + 8 * %d - 1", DefaultRecords): 0, fmt.Sprintf("HASH_RECORDS + 8 * %d", DefaultRecords): 1,
	} {
		cfg := Config{Name: "own", File: "own.mc", Text: strings.Replace(source, "AT", at, 1), Hops: []Hop{{Routing: true}}}
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		l := e.Memory().Layout() // the compiler leaves two words out, so that no address is 0
		if l.SRAM.Bytes() != (2+4)*mem.WordBytes || l.Records.Bytes() != DefaultRecords*mem.RecordBytes || l.DRAM.Bytes() != 2*mem.WordBytes {
			t.Errorf("it has %v of SRAM, %v of records, %v of DRAM", l.SRAM.Bytes(), l.Records.Bytes(), l.DRAM.Bytes())
		}
		sent := uint64(0)
		pfe := middleboxtest.New(e, func(units.Time, *sansio.Send) { sent++ })
		pfe.Send(1, 2, 100)
		if got := pfe.Count("pfe-memory-address-out-of-range"); got != faults || sent != 1-faults {
			t.Errorf("%s: %d faults, and %d packets sent; want %d faults", at, got, sent, faults)
		}
	}
}

// An endless thread of a packet ends at the default limit, one of a timer at that of the machine, and a limit that is
// set is that of both.
func TestInstructionLimits(t *testing.T) {
	const endless = "packet entry start;\ntimer tick entry start;\nstart: begin goto start; end"
	for set, want := range map[uint64][2]uint64{0: {DefaultInstructions, trio.DefaultInstructions}, 1000: {1000, 1000}} {
		var got [2]uint64
		for i := range got {
			cfg := Config{Name: "endless", File: "endless.mc", Text: endless, Instructions: set}
			if i == 1 {
				cfg.Timers = []trio.Timer{{Name: "tick", Period: units.Second}}
			}
			e, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				e.Expire(0, &sansio.Effects{})
			} else {
				pfe := middleboxtest.New(e, func(units.Time, *sansio.Send) {})
				pfe.Send(1, 2, 100)
			}
			got[i] = e.Snapshot().Most
		}
		if got != want {
			t.Errorf("instructions %d: a packet's and a timer's thread executed %d, want %d", set, got, want)
		}
	}
}

// Faults are also counted by where they are in the source, and packets that do nothing wrong go on.
func TestFaultsHaveTheirPlace(t *testing.T) {
	const source = `
struct ipv4_t { : 240; dst : 32; };
register ipv4_t *pkt = HEAD_START;
sram words[4];
packet entry start;
start: begin if (pkt->dst[7:0] == 7) goto loop; if (pkt->dst[7:0] == 8) goto far; end
begin Forward(0); exit; end
far: begin MaskedWrite(words + 0x100000, 1, 1); exit; end
loop: begin goto loop; end
`
	e, err := New(Config{Name: "wrong", File: "wrong.mc", Text: source, Hops: []Hop{{Routing: true}}})
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	pfe := middleboxtest.New(e, func(units.Time, *sansio.Send) { sent++ })
	for _, to := range []byte{2, 7, 8, 8, 2} {
		pfe.Send(1, to, 10)
	}
	for name, want := range map[string]uint64{
		"pfe-instruction-limit": 1, "pfe-instruction-limit at wrong.mc:9:7": 1,
		"pfe-memory-address-out-of-range": 2, "pfe-memory-address-out-of-range at wrong.mc:8:6": 2,
	} {
		if got := pfe.Count(name); got != want {
			t.Errorf("%s: %d, want %d; %v", name, got, want, e.Counters())
		}
	}
	if sent != 2 {
		t.Errorf("%d packets are sent on, want 2", sent)
	}
}

// The two sides ask for frames at different places, and ARP comes where all frames do.
func TestSides(t *testing.T) {
	image, err := microcode.Compile("turn.mc", turn)
	if err != nil {
		t.Fatal(err)
	}
	dns := dataplane.Match{Protocol: inet.ProtoUDP, Port: 53}
	for _, tc := range []struct {
		side  Side
		match dataplane.Match
		want  dataplane.Wants
	}{
		{"", dataplane.Match{}, dataplane.Wants{Transit: true, ARP: true}},
		{Ingress, dns, dataplane.Wants{Transit: true}},
		{Egress, dns, dataplane.Wants{Leaving: true}},
	} {
		e, err := New(Config{Name: "turn", Image: image, Side: tc.side, Match: tc.match})
		if err != nil {
			t.Fatal(err)
		}
		if e.Wants() != tc.want || e.Match() != tc.match {
			t.Errorf("%q: wants %+v of %v", tc.side, e.Wants(), e.Match())
		}
		arp := dataplane.Frame{Header: make([]byte, 60), Problem: inet.NotIPv4}
		if claims := e.Claims(arp) == dataplane.InTransit; claims != tc.match.All() {
			t.Errorf("%q: claims another frame: %v", tc.side, claims)
		}
	}
}

// What cannot be is refused with the program's name, and what to do.
func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`loading program "": it has no name: give it one`: func(c *Config) { c.Name = "" },
		`side "both": it must be ingress or egress`:       func(c *Config) { c.Side = "both" },
		`turn.mc:1:9: `: func(c *Config) { c.Text = "nonsense" },
		`next hop 3 has neither routing nor a port`:                                                          func(c *Config) { c.Hops = []Hop{{Number: 3}} },
		`next hop 3 is routing, and has ports`:                                                               func(c *Config) { c.Hops = []Hop{{Number: 3, Routing: true, Ports: []sansio.Port{1}}} },
		`next hop 0 is given twice`:                                                                          func(c *Config) { c.Hops = []Hop{{Routing: true}, {Routing: true}} },
		`timer "tock": program turn.mc has no such entry`:                                                    func(c *Config) { c.Timers = []trio.Timer{{Name: "tock", Period: units.Second}} },
		`program turn.mc has no "tabel" in shared memory: it has`:                                            func(c *Config) { c.Memory = []Initial{{Symbol: "tabel"}} },
		`did you mean "table"?`:                                                                              func(c *Config) { c.Memory = []Initial{{Symbol: "tabel"}} },
		`turn.mc:3:6: table has 4 elements of 1 words: 3 values from element 2`:                              func(c *Config) { c.Memory = []Initial{{Symbol: "table", At: 2, Values: make([]uint64, 3)}} },
		`turn.mc:2:9: seen has elements of 2 words, and 1 values are not whole`:                              func(c *Config) { c.Memory = []Initial{{Symbol: "seen", Values: make([]uint64, 1)}} },
		`table is no policer`:                                                                                func(c *Config) { c.Memory = []Initial{{Symbol: "table", Rate: 1}} },
		`bucket is a policer: give it rate and burst`:                                                        func(c *Config) { c.Memory = []Initial{{Symbol: "bucket"}} },
		`bucket has 2 elements: there is no element 2`:                                                       func(c *Config) { c.Memory = []Initial{{Symbol: "bucket", At: 2, Rate: 1e6, Burst: 1000}} },
		`program turn.mc declares no route ROUTES`:                                                           func(c *Config) { c.Tables = []trio.Table{{Name: "ROUTES", Routes: make([]lookup.Route, 1)}} },
		`program turn.mc needs 64.008MiB on the chip, 64MiB of them for 1048576 hash records: at most 64MiB`: func(c *Config) { c.Records = 1 << 20 },
		`match: port 53 of protocol 1`:                                                                       func(c *Config) { c.Match = dataplane.Match{Protocol: 1, Port: 53} },
	} {
		cfg := config()
		change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\nwant %s", err, want)
		}
	}
}

// Names of hops are those of ports and hosts; hosts elsewhere are behind the next switch.
func TestResolveHop(t *testing.T) {
	p := chassistest.Plan(t, "dumbbell", gen.Params{Hosts: 4})
	sw, _ := p.Switch(p.Hosts[0].Switch)
	far := &p.Hosts[len(p.Hosts)-1]
	if far.Switch == sw.Name {
		t.Fatal("all hosts are on one switch")
	}
	for to, want := range map[string]Hop{
		Routing:          {Number: 7, Routing: true},
		sw.Ports[1].Name: {Number: 7, Ports: []sansio.Port{1}},
		p.Hosts[0].Name:  {Number: 7, Ports: []sansio.Port{sansio.Port(p.Hosts[0].SwitchPort)}, Dst: inet.MAC(p.Hosts[0].MAC), Src: inet.MAC(sw.MAC)},
	} {
		got, err := ResolveHop(p, sw, 7, to)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v, (-want +got):\n%s", to, err, diff)
		}
	}
	got, err := ResolveHop(p, sw, 7, far.Name)
	if err != nil || len(got.Ports) != 1 || sw.Ports[got.Ports[0]].PeerSwitch < 0 || got.Dst != inet.MAC(sw.Ports[got.Ports[0]].PeerMAC) {
		t.Errorf("%s: %+v, %v: want the port to another switch", far.Name, got, err)
	}
	if _, err := ResolveHop(p, sw, 7, "h99"); err == nil || !strings.Contains(err.Error(), `next hop 7: "h99" is neither routing, nor a wired port of`) {
		t.Errorf("error %v", err)
	}
}
