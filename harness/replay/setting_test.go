package replay_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/replay"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// limits forwards to the next hop that its table has for the packet's port, or that a record
// has.
const limits = `
counter seen[2];
policer rate[2];
sram hops[4];
virtual FIXED = 3;
register packet_work_t work @ WORK_REGISTER;
register u64 hop;
register hash_reply_t found;
lmem u64 rec[8];
packet entry start;
start:
begin found = HashLookup(pair(0, 5)); end
begin if (found.hit) MemRead(found.paddr, rec, 64); else MemRead(hops + work.port, rec, 8); end
begin hop = Police(rate + 4, work.pkt_len); end
begin if (hop[0:0] != 0) goto gone; end
begin Forward(rec[0][31:0]); exit; end
gone:
begin Drop(1); exit; end`

func settings(t *testing.T, text string) []replay.Setting {
	t.Helper()
	list, err := replay.ParseTable("t.txt", text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What is set stands in shared memory before the first packet.
func TestSettings(t *testing.T) {
	prog := compile(t, "limits.mc", limits)
	got := play(t, replay.Config{Program: prog, Initial: settings(t, `
		seen[1].packets = 3        # and bytes
		seen[1].bytes = 0x40
		rate[1] = 1Mbit/s,100B
		hops[2] = 6`)}, packets(t, "0s if 2 arp\n0s if 2 arp"))
	if len(got.Forwarded) != 1 || got.Forwarded[0] != (replay.HopCount{Hop: 6, Packets: 1}) || len(got.Dropped) != 1 {
		t.Errorf("forwarded %v, dropped %v", got.Forwarded, got.Dropped)
	}
	if n := sansio.CountOf(got.Counters, "limits-seen-1") + sansio.CountOf(got.Counters, "limits-seen-1-bytes"); n != 3+64 {
		t.Errorf("the counter adds up to %d", n)
	}
	got = play(t, replay.Config{Program: prog, Initial: settings(t, "rate[1]=1Mbit/s,100B\nhash 5 = 00000000 0000002a")}, packets(t, "0s arp"))
	if len(got.Forwarded) != 1 || got.Forwarded[0].Hop != 42 {
		t.Errorf("forwarded %v", got.Forwarded)
	}
}

// A setting that does not fit is refused by place, name and what is allowed.
func TestSettingsRefused(t *testing.T) {
	prog := compile(t, "limits.mc", limits)
	small := mem.Config{SRAM: units.MiB, DRAM: units.MiB, Records: 1}
	for text, want := range map[string]string{
		"hops[4]=1":                            "t.txt:1: hops[4]: index 4: hops has 4 elements, from 0 on (declared at limits.mc:4:",
		"\nhop=1":                              "t.txt:2: hop is a register variable: each thread has one of its own, and none outlives its packet (declared at limits.mc:7:",
		"hosp[1]=1":                            `program limits.mc has no "hosp"`,
		"FIXED=1":                              "FIXED is a constant of the compiler (declared at limits.mc:5:",
		"hops[1]=1,2":                          "hops[1]: ",
		"hops[1]=0x10000000000000000":          "hops[1]: ",
		"hops=1":                               "hops has many elements",
		"seen[0].packet=1":                     `did you mean "packets"?`,
		"rate[0]=10":                           "name one of its fields",
		"rate[0]=10,64KiB":                     "rate[0]: ",
		"rate[0]=10bit/s,64":                   "rate[0]: ",
		"rate[0]=1Mbit/s,8GiB":                 "at most 4GiB less 1B are possible",
		"hops":                                 "NAME=VALUE is needed",
		"hops[1=1":                             "is not closed",
		"hash 1 = 00\nhash 2 = 00":             "t.txt:2: the record of key 0x2 does not fit: the hash table has 1 records",
		"hash 1 = 00\nhash 1 = 00":             "there is a record of key 0x1 already",
		"hash 1 = " + strings.Repeat("0", 130): "has 65 bytes: a record has 64",
		"hash 1 = 0":                           "hexadecimal digits are needed",
		"hash x = 00":                          "hash KEY = BYTES is needed",
	} {
		list, err := replay.ParseTable("t.txt", text)
		if err == nil {
			_, err = replay.New(replay.Config{Program: prog, Initial: list, Memory: small})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// router is a program with a filter and a route table.
func router(t *testing.T) *isa.Program {
	t.Helper()
	text, err := os.ReadFile("../../switchd/microcode/testdata/router.mc")
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, "router.mc", string(text))
}

// Routes and terms of filters are in force from the first packet on, and steps name them.
func TestTables(t *testing.T) {
	initial := settings(t, `
		ROUTES[10.0.0.0/8] = 8
		ROUTES[10.2.0.0/16] = 16
		REFUSED[net] = src=10.9.0.0/16 proto=17 value=1
		REFUSED[1] = src=0x0a080001 dst=10.0.0.1/0xffffffff value=2`)
	got := play(t, replay.Config{Program: router(t), Initial: initial, Steps: true}, packets(t, `
		0s udp 10.0.0.1 10.1.0.1 10
		0s udp 10.0.0.1 10.2.0.1 10
		0s udp 10.9.200.1 10.2.0.1 10
		0s udp 10.8.0.1 10.0.0.1 10
		0s udp 10.8.0.1 10.0.0.2 10
		0s udp 10.0.0.1 11.0.0.1 10`))
	var of8, of16 uint64
	for _, h := range got.Forwarded {
		if h.Hop < 16 {
			of8 += h.Packets
		} else {
			of16 += h.Packets
		}
	}
	want := []replay.ReasonCount{{Name: "router-no-route", N: 1}, {Name: "router-refused", N: 2}}
	if diff := cmp.Diff(want, got.Dropped); diff != "" || of8 != 2 || of16 != 1 {
		t.Errorf("forwarded %v, dropped %s", got.Forwarded, diff)
	}
	var calls []string
	for _, i := range []int{0, 2, 3, 5} {
		for _, s := range got.lives[i].Steps {
			if c := s.XTXN; c != nil && c.Reply != "" {
				calls = append(calls, c.Text+" = "+c.Reply)
			}
		}
	}
	calls = slices.DeleteFunc(calls, func(c string) bool { return strings.HasPrefix(c, "FieldHash(FLOW, 0) = ") })
	if diff := cmp.Diff([]string{
		"Filter(REFUSED) = not found", "RouteLookup(ROUTES, 0xa010001) = next hop 8 of /8",
		"Filter(REFUSED) = term 0, 1",
		"Filter(REFUSED) = term 1, 2",
		"Filter(REFUSED) = not found", "RouteLookup(ROUTES, 0xb000001) = not found",
	}, calls); diff != "" {
		t.Error(diff)
	}
}

// terms are lines of so many terms.
func terms(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "REFUSED[%d] = value=1\n", i)
	}
	return b.String()
}

// An entry that does not fit is refused by line and table.
func TestTablesRefused(t *testing.T) {
	prog := router(t)
	for text, want := range map[string]string{
		"ROUTE[10.0.0.0/8] = 1":          `t.txt:1: program router.mc has no "ROUTE"`,
		"REFUSED[10.0.0.0/8] = 1":        "a term is FIELD=MATCH for its fields and value=NUMBER",
		"ROUTES[10.0.0] = 1":             "t.txt:1: ROUTES[10.0.0]: there is no such route (route ROUTES is declared at router.mc:",
		"ROUTES[10.0.0.0/8] = x":         `"x": allowed are 0 to `,
		"ROUTES[10.0.0.0/8]":             "NAME=VALUE is needed",
		"REFUSED[0] = value=0x100000000": "it must be a number of up to 32 bits",
		"REFUSED[0] = src=x":             "field ip->src of filter REFUSED",
		"REFUSED[0] = ttl=1":             `filter REFUSED has no field "ttl"`,
		"REFUSED[0] = proto=256":         "t.txt:1: REFUSED[0]: field ip->proto",
		"REFUSED[1] = value=1":           "there are 0 terms, and the next one is 0",
		terms(129):                       "t.txt:129: REFUSED[128]: 129 terms: the filter holds 128",
	} {
		list, err := replay.ParseTable("t.txt", text)
		if err == nil {
			_, err = replay.New(replay.Config{Program: prog, Initial: list})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}
