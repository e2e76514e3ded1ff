package replay_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/replay"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
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
		seen[1] = 3, 0x40          # packets, bytes
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
		"hops[4]=1":                            "t.txt:1: hops[4] does not fit: hops has 4 elements (limits.mc:4:",
		"\nhop=1":                              "t.txt:2: hop is in register, which every thread has anew (limits.mc:7:",
		"hosp=1":                               `has no hosp; did you mean "hops"?`,
		"FIXED=1":                              "FIXED is a constant of the compiler (limits.mc:5:",
		"hops=1,2":                             `hops = "1,2" does not fit`,
		"hops=0x10000000000000000":             "does not fit",
		"seen=1,2,3":                           "PACKETS,BYTES is needed",
		"rate=10":                              "RATE,BURST is needed",
		"rate=1Mbit/s,8GiB":                    "the burst is at most 4GiB less 1B",
		"hops":                                 "NAME=VALUE or NAME[INDEX]=VALUE is needed",
		"hops[x]=1":                            "the index is a number in brackets",
		"hops[1=1":                             "the index is a number in brackets",
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
