package trio

import (
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/lookup"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// program compiles one of the programs beside the compiler.
func program(t *testing.T, name string) *isa.Program {
	t.Helper()
	src, err := os.ReadFile("../microcode/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := microcode.Compile(name, string(src))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func route(prefix string, hop uint32) lookup.Route {
	return lookup.Route{Prefix: netip.MustParsePrefix(prefix), NextHop: hop}
}

// newRouter loads router.mc: 10.0.1.0/24 by ports 4 to 7, 10.0.0.0/8 by ports 8 to 11, and no
// packets to UDP port 53.
func newRouter(t *testing.T, timing *Timing) *bench {
	prog := program(t, "router.mc")
	var hops []NextHop
	for i := range uint32(16) {
		hops = append(hops, NextHop{Index: i, To: []sansio.Port{sansio.Port(i)}})
	}
	b := newBench(t, Config{Program: prog, Timing: timing, NextHops: hops, Tables: []Table{
		{Name: "ROUTES", Routes: []lookup.Route{route("10.0.0.0/8", 8), route("10.0.1.0/24", 4)}},
		{Name: "REFUSED", Terms: []lookup.Term{
			{Name: "chargen", Match: []lookup.Match{{}, {}, {}, {}, {Value: 19, Mask: 0xffff}}},
			{Name: "dns", Match: []lookup.Match{{}, {}, {Value: 17, Mask: 0xff}, {}, {Value: 53, Mask: 0xffff}}},
		}},
	}})
	neighbors, _ := prog.Symbol("NEIGHBORS")
	for i := range 16 {
		b.p.Memory().Write(mem.Addr(int(neighbors.Value)+2*i), []byte{6, 0, 0, 0, 0, byte(i), 4, 0, 0, 0, 0, byte(i), 0, 0, 0, 0})
	}
	return b
}

// packetTo is a packet to an address and port.
func packetTo(dst string, from, to uint16) sansio.Arrival {
	f := flowOf(1)
	f.Dst, f.SrcPort, f.DstPort = netip.MustParseAddr(dst), from, to
	header, body := inet.UDPHeader(f), payload(0, 0, 0, 50)
	inet.SetUDPBody(header, len(body))
	sansio.FillPartial(header, len(body))
	return sansio.Arrival{Port: 1, Train: sansio.Train{Header: header, Body: body, Checksum: sansio.ChecksumPartial}}
}

// The router sends by the longest prefix, rewrites the headers, and spreads flows over the
// four next hops of the group, all packets of one by the same.
func TestRouter(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newRouter(t, timing)
		used := map[sansio.Port]int{}
		for flow := range uint16(64) {
			got := b.handle(packetTo("10.0.1.9", 1000+flow, 80), packetTo("10.0.1.9", 1000+flow, 80)).idle().take()
			if len(got) != 2 || got[0].port != got[1].port || got[0].port < 4 || got[0].port > 7 {
				t.Fatalf("flow %d: sent %v, want both by one of ports 4 to 7", flow, frames(got))
			}
			used[got[0].port]++
			frame := []byte(got[0].frame)
			eth, ip := inet.Ether(frame), inet.IPv4(frame[inet.EtherLen:])
			if n := byte(got[0].port); eth.Dst() != (inet.MAC{6, 0, 0, 0, 0, n}) || eth.Src() != (inet.MAC{4, 0, 0, 0, 0, n}) {
				t.Errorf("port %d: from %v to %v", n, eth.Src(), eth.Dst())
			}
			if ip.TTL() != 63 || !ip.ChecksumOK() {
				t.Errorf("IP header %x", frame[14:34])
			}
		}
		for port := sansio.Port(4); port < 8; port++ {
			if used[port] < 4 || used[port] > 28 {
				t.Errorf("of 64 flows %d go by port %d", used[port], port)
			}
		}
		if got := b.handle(packetTo("10.9.1.9", 1, 80)).idle().take(); len(got) != 1 || got[0].port < 8 || got[0].port > 11 {
			t.Errorf("sent %v, want it by ports 8 to 11", frames(got))
		}
	})
}

// What the router does not send on is counted by its reason, and by the term that refused it.
func TestRouterRefuses(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newRouter(t, timing)
		expired := packetTo("10.0.1.9", 1, 80)
		inet.IPv4(expired.Train.Header[inet.EtherLen:]).SetTTL(1)
		arp := packetTo("10.0.1.9", 1, 80)
		inet.Ether(arp.Train.Header).Put(inet.MAC{}, inet.MAC{}, inet.TypeARP)
		b.handle(packetTo("10.0.1.9", 1, 53), packetTo("10.0.1.9", 1, 19), packetTo("10.0.1.9", 2, 19),
			packetTo("11.0.1.9", 1, 80), expired, arp).idle()
		if got := b.take(); len(got) != 0 {
			t.Errorf("sent %v", frames(got))
		}
		for name, want := range map[string]uint64{
			"router-refused": 3, "router-refusals-0": 2, "router-refusals-1": 1,
			"router-no-route": 1, "router-expired": 1, "router-not-routed": 1,
		} {
			b.wantCount(name, want)
		}
	})
}

// The control plane changes tables while the program runs, and packets see it.
func TestTablesChange(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newRouter(t, timing)
		routes, err := b.p.Routes("ROUTES")
		if err != nil {
			t.Fatal(err)
		}
		port := func(dst string) sansio.Port {
			got := b.handle(packetTo(dst, 1, 80)).idle().take()
			if len(got) != 1 {
				return -1
			}
			return got[0].port &^ 3
		}
		if got := port("11.0.0.1"); got != -1 {
			t.Errorf("without a route a packet leaves by port %d", got)
		}
		if err := routes.Set(route("0.0.0.0/0", 12)); err != nil {
			t.Fatal(err)
		}
		routes.Remove(netip.MustParsePrefix("10.0.1.0/24"))
		if a, b := port("11.0.0.1"), port("10.0.1.9"); a != 12 || b != 8 {
			t.Errorf("ports %d and %d, want 12 and 8", a, b)
		}
		filter, err := b.p.Filter("REFUSED")
		if err != nil {
			t.Fatal(err)
		}
		if err := filter.SetTerms([]lookup.Term{{Name: "all"}}); err != nil {
			t.Fatal(err)
		}
		if got := port("10.0.1.9"); got != -1 {
			t.Errorf("a refused packet leaves by port %d", got)
		}
	})
}

// Replies have the parts that the prelude gives them.
func TestRepliesOfLookups(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "replies", `register route_reply_t way; register filter_reply_t term;
fields F { pkt->ip.dst };
route R[4];
filter A[4] on F;
packet entry start;
start: begin way = RouteLookup(R, pkt->ip.dst); end
begin term = Filter(A); end
begin pkt->body.count = way.bits; pkt->body.value = way.nexthop; end
begin pkt->body.arg = term.term; pkt->body.kind = way.found + term.matched; end
begin pkt->udp.sport = term.value; Forward(1); exit; end`), Tables: []Table{
			{Name: "R", Routes: []lookup.Route{route("10.0.0.0/15", 0xfedcba98), route("0.0.0.0/0", 3)}},
			{Name: "A", Terms: []lookup.Term{{Match: []lookup.Match{{Value: 12 << 24, Mask: 255 << 24}}}, {Value: 0x1234}}},
		}})
		got := b.handle(packetTo("10.1.2.3", 1, 80), packetTo("11.1.2.3", 1, 80)).idle().take()
		for i, want := range []string{"\x02\x01\x00\x0f\xfe\xdc\xba\x98", "\x02\x01\x00\x00\x00\x00\x00\x03"} {
			if body := got[i].frame[inet.UDPHeaders:]; body[:8] != want {
				t.Errorf("packet %d: replies %x, want %x", i, body[:8], want)
			}
		}
	})
}

// What does not fit the tables of the program is refused by name.
func TestTableErrorsNameTheTable(t *testing.T) {
	for want, table := range map[string]Table{
		`program router.mc declares no route ROUTE; did you mean "ROUTES"`: {Name: "ROUTE", Routes: []lookup.Route{route("0.0.0.0/0", 1)}},
		"declares no route REFUSED":                                        {Name: "REFUSED", Routes: []lookup.Route{route("0.0.0.0/0", 1)}},
		"declares no filter ROUTES":                                        {Name: "ROUTES", Terms: []lookup.Term{{}}},
		"table ROUTES: route 10.0.0.1/8: the address has bits":             {Name: "ROUTES", Routes: []lookup.Route{route("10.0.0.1/8", 1)}},
		"table REFUSED: 129 terms: the filter holds 128: leave":            {Name: "REFUSED", Terms: make([]lookup.Term, 129)},
	} {
		_, err := New(Config{Node: "pfe7", Program: program(t, "router.mc"), Memory: small(), Tables: []Table{table}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "pfe7") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// With time, a thread waits for each lookup as long as the timing says.
func TestLookupsTakeTheirTime(t *testing.T) {
	left := func(change func(*lookup.Timing)) units.Time {
		b := newRouter(t, timed(func(c *Timing) { change(&c.Lookup) }))
		return b.handle(packetTo("10.0.1.9", 1, 80)).idle().take()[0].at
	}
	none := left(func(c *lookup.Timing) { *c = lookup.Timing{} })
	all := left(func(*lookup.Timing) {})
	const want = lookup.FilterLatency + lookup.RouteLatency + lookup.HashLatency + 2*lookup.HashStep // 13 bytes
	if got := all.Sub(none); got != want {
		t.Errorf("three lookups take %v, want %v", got, want)
	}
}

// A field that is not within local memory ends the thread, as one in an instruction does.
func TestFieldsOutOfRange(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "far", `register packet_t *far = 1200; register u32 n;
fields FAR { far->udp.sport, far->rest[100] };
filter TERMS[1] on FAR;
packet entry start;
start: begin if (pkt->body.kind == 1) goto filtered; n = FieldHash(FAR, 0); exit; end
filtered: begin n = Filter(TERMS); exit; end`)})
		b.handle(train(1, payload(0, 0, 0, 10)), train(1, payload(1, 0, 0, 10))).idle()
		b.wantCount("pfe-lmem-out-of-range", 2)
		b.wantCount(CountConsumed, 0)
	})
}

// The logic sees what its instruction assigns, as an XTXN that reads local memory does.
func TestFieldsAreAsTheInstructionLeavesThem(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "now", `register u32 n; register u32 hash;
fields N { n };
packet entry start;
start: begin n = pkt->body.arg; hash = FieldHash(N, 0); end
begin pkt->body.value = hash; Forward(1); exit; end`)})
		for arg := range byte(3) {
			got := b.handle(train(1, payload(0, arg, 0, 10))).idle().take()
			var k lookup.Key
			k.Add(uint64(arg), 32)
			want := k.Hash(0)
			if frame := got[0].frame; uint32(frame[46])<<24|uint32(frame[47])<<16|uint32(frame[48])<<8|uint32(frame[49]) != want {
				t.Errorf("%d: hash %x, want %08x", arg, frame[46:50], want)
			}
		}
	})
}
