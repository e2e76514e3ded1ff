package lookup

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func prefix(addr uint32, n int) netip.Prefix {
	var a [4]byte
	binary.BigEndian.PutUint32(a[:], addr)
	return netip.PrefixFrom(netip.AddrFrom4(a), n).Masked()
}

// The longest prefix that holds an address is found, whatever was set and removed before:
// as a walk over all routes finds it.
func TestLongestPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		addr := rapid.Custom(func(t *rapid.T) uint32 { // few bits differ, so that prefixes nest
			return 0x0a000000 | rapid.Uint32Range(0, 15).Draw(t, "high")<<20 | rapid.Uint32Range(0, 3).Draw(t, "low")
		})
		table, known := NewRoutes(1000), map[netip.Prefix]uint32{}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			p := prefix(addr.Draw(t, "addr"), rapid.IntRange(0, 32).Draw(t, "bits"))
			if rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
				_, had := known[p]
				if table.Remove(p) != had {
					t.Fatalf("removing %v: want %t", p, had)
				}
				delete(known, p)
				continue
			}
			hop := rapid.Uint32().Draw(t, "hop")
			if err := table.Set(Route{p, hop}); err != nil {
				t.Fatal(err)
			}
			known[p] = hop
		}
		if table.Len() != len(known) || len(table.All()) != len(known) {
			t.Fatalf("%d and %d routes, want %d", table.Len(), len(table.All()), len(known))
		}
		if lengths := lengthsOf(known); len(table.levels) != lengths {
			t.Fatalf("prefixes of %d lengths are looked for, want %d", len(table.levels), lengths)
		}
		for range 20 {
			a := addr.Draw(t, "destination")
			var want netip.Prefix
			for p := range known {
				if p.Contains(prefix(a, 32).Addr()) && (!want.IsValid() || p.Bits() > want.Bits()) {
					want = p
				}
			}
			hop, n, found := table.Lookup(a)
			if found != want.IsValid() || found && (n != want.Bits() || hop != known[want]) {
				t.Fatalf("%#x: hop %d, %d bits, %t; want %v", a, hop, n, found, want)
			}
		}
	})
}

// lengthsOf returns how many lengths some prefixes have.
func lengthsOf(prefixes map[netip.Prefix]uint32) int {
	lengths := map[int]bool{}
	for p := range prefixes {
		lengths[p.Bits()] = true
	}
	return len(lengths)
}

func TestRoutesInOrder(t *testing.T) {
	table := NewRoutes(4)
	var want []Route
	for i, p := range []string{"0.0.0.0/0", "10.0.0.0/8", "10.0.0.0/16", "10.1.0.0/16"} {
		want = append(want, Route{netip.MustParsePrefix(p), uint32(i)})
	}
	for _, r := range slices.Backward(want) {
		if err := table.Set(r); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(table.All())); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
}

// A table that is full takes new next hops of its prefixes, and no further prefix.
func TestRefusedRoutes(t *testing.T) {
	table := NewRoutes(2)
	for _, c := range []struct{ prefix, want string }{
		{"10.0.0.0/8", ""},
		{"10.0.0.1/8", "route 10.0.0.1/8: the address has bits behind its prefix: write 10.0.0.0/8, or 10.0.0.1/32"},
		{"fe80::/10", "route fe80::/10: a prefix of IPv4 is wanted, such as 10.0.0.0/8"},
		{"11.0.0.0/8", ""},
		{"12.0.0.0/8", "route 12.0.0.0/8: the table holds 2 routes, and has them: remove one, or declare a larger table"},
		{"12.0.0.0/9", "the table holds 2 routes"},
		{"11.0.0.0/8", ""},
	} {
		err := table.Set(Route{netip.MustParsePrefix(c.prefix), 1})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.prefix, err, c.want)
		}
	}
	if table.Len() != 2 || table.Cap() != 2 {
		t.Errorf("%d routes of %d, want 2 of 2", table.Len(), table.Cap())
	}
	if _, _, found := table.Lookup(0x0c000001); found {
		t.Error("a refused route is found")
	}
}

// A key is its fields bit by bit, as a string of their digits is.
func TestKeyIsItsFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k Key
		var digits string
		for len(digits) < MaxKeyBits-64 && rapid.IntRange(0, 9).Draw(t, "more") > 0 {
			width := rapid.IntRange(1, 64).Draw(t, "width")
			v := rapid.Uint64().Draw(t, "value")
			k.Add(v, width)
			digits += fmt.Sprintf("%064b", v)[64-width:]
		}
		var got string
		for _, w := range k.words {
			got += fmt.Sprintf("%064b", w)
		}
		if want := digits + strings.Repeat("0", MaxKeyBits-len(digits)); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
		if want := (len(digits) + 7) / 8; k.Bytes() != want {
			t.Fatalf("%d bytes, want %d", k.Bytes(), want)
		}
	})
}

func flowKey(src, dst, ports uint64) *Key {
	var k Key
	k.Add(src, 32)
	k.Add(dst, 32)
	k.Add(6, 8)
	k.Add(ports, 32)
	return &k
}

// Every bit of the fields, and of the seed, changes half of the bits of the hash on average.
func TestHashAvalanches(t *testing.T) {
	const keys, width = 64, 104
	changed := 0
	for i := range keys {
		k := flowKey(uint64(i)*7919, uint64(i), uint64(i)<<16|80)
		base := k.Hash(1)
		for bit := range width {
			other := *k
			other.words[bit/64] ^= 1 << (63 - bit%64)
			changed += bits.OnesCount32(base ^ other.Hash(1))
		}
		for bit := range 32 {
			changed += bits.OnesCount32(base ^ k.Hash(1^1<<bit))
		}
	}
	mean := float64(changed) / (keys * (width + 32))
	if mean < 15.7 || mean > 16.3 {
		t.Errorf("a bit of the key changes %.2f bits of the hash, want about 16", mean)
	}
}

// Flows that differ in little are spread evenly over next hops, and by other seeds in
// another way: of 4096 flows an eighth goes each way, within four standard deviations (20).
func TestHashSpreads(t *testing.T) {
	const flows, ways = 4096, 8
	var together int
	var n, low [ways]int
	for i := range flows {
		k := flowKey(0x0a000001, 0x0a000002, uint64(1024+i)<<16|80)
		h := k.Hash(0)
		n[h>>29]++
		low[h%ways]++
		if h%ways == k.Hash(1)%ways {
			together++
		}
	}
	for way := range ways {
		for _, got := range []int{n[way], low[way]} {
			if got < flows/ways-4*21 || got > flows/ways+4*21 {
				t.Errorf("way %d has %d flows, want about %d", way, got, flows/ways)
			}
		}
	}
	if together < flows/ways-4*21 || together > flows/ways+4*21 {
		t.Errorf("two seeds agree for %d flows, want about %d", together, flows/ways)
	}
}

// Fields of another width are another key.
func TestHashCountsWidths(t *testing.T) {
	var a, b Key
	a.Add(0, 8)
	b.Add(0, 16)
	if a.Hash(0) == b.Hash(0) {
		t.Error("8 and 16 bits of zero have one hash")
	}
}

// The first term that matches counts.
func TestFilterTerms(t *testing.T) {
	f := NewFilter(4, []int{32, 32, 8, 32})
	whole := ones(32)
	if _, _, matched := f.Lookup(flowKey(1, 2, 3)); matched {
		t.Error("an empty filter matches")
	}
	if err := f.SetTerms([]Term{
		{"web", []Match{{}, {2, whole}, {}, {80, 0xffff}}, 10},
		{"net", []Match{{0x0a000000, 0xff000000}}, 20},
		{"udp", []Match{{}, {}, {17, 0xff}}, 30},
		{"all", nil, 40},
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		src, dst, ports uint64
		term            int
		value           uint32
	}{
		{0x0a000001, 2, 5<<16 | 80, 0, 10}, {0x0a000001, 2, 80<<16 | 5, 1, 20}, {0x0b000001, 2, 5, 3, 40}, {0x0b000001, 2, 80, 0, 10},
	} {
		term, value, matched := f.Lookup(flowKey(c.src, c.dst, c.ports))
		if term != c.term || value != c.value || !matched {
			t.Errorf("%+v: term %d, value %d, %t", c, term, value, matched)
		}
	}
}

// Terms that can never match, or do not fit, are refused by name, and change nothing.
func TestRefusedTerms(t *testing.T) {
	f := NewFilter(2, []int{8})
	if err := f.SetTerms([]Term{{"one", []Match{{1, 255}}, 1}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		terms []Term
		want  string
	}{
		{make([]Term, 3), "3 terms: the filter holds 2: leave some out, or declare a larger one"},
		{[]Term{{}, {"x", make([]Match, 2), 0}}, "term 1 (x): it matches 2 fields, the filter has 1"},
		{[]Term{{"x", []Match{{0, 256}}, 0}}, "term 0 (x): the mask 0x100 of field 0 is wider than its 8 bits"},
		{[]Term{{"x", []Match{{3, 1}}, 0}}, "the value 0x3 of field 0 has bits that its mask 0x1 has not, so nothing matches"},
	} {
		if err := f.SetTerms(c.terms); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if len(f.Terms()) != 1 || f.Terms()[0].Name != "one" || f.Cap() != 2 {
		t.Errorf("terms %v of %d", f.Terms(), f.Cap())
	}
}

// A module takes in a request a clock.
func TestPortTakesOneAfterTheOther(t *testing.T) {
	timing := DefaultTiming()
	var p Port
	for i, want := range []int64{280, 281, 282} {
		if got := p.Serve(0, &timing, timing.Route); int64(got) != want*1000 {
			t.Errorf("request %d is answered at %v", i, got)
		}
	}
	if got := timing.Hashed(flowKey(1, 2, 3)); got != HashLatency+2*HashStep {
		t.Errorf("13 bytes are hashed in %v", got)
	}
}
