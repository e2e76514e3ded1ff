package symbol_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/symbol"
)

const source = `
struct limits_t { rate : 32; burst : 16; union { struct { on : 1; : 3; }; flags : 4; }; mac : 48; : 12; u8 tag[2]; };
struct addr_t { addr : 32; };
struct pair_t { src_addr : 32; port : 16; kind : 16; };
struct source_t { packets : 64; bool blocked; : 63; };
struct other_t { n : 32; };
virtual MOST = 12;
counter drops[2];
policer police;
sram plain;
sram limits_t limits[16];
dram limits_t rest;
hash pair_t other_t others when kind == 7;
hash pair_t source_t sources;
register u32 kind = 5;
register addr_t a;
lmem u8 bytes[4];
packet entry start;
start: begin kind = plain; exit; end
`

func compile(t testing.TB) *isa.Program {
	t.Helper()
	p, err := microcode.Compile("p.mc", source)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A name leads to bits of a symbol, and to the type that stands there.
func TestFind(t *testing.T) {
	p := compile(t)
	for _, c := range []struct {
		path, typ  string
		index, bit uint64
		key        uint64
		whole      bool
	}{
		{path: "plain", typ: "u64"},
		{path: "plain[0]", typ: "u64"},
		{path: "drops", typ: "counter", whole: true},
		{path: "drops[1].bytes", typ: "64 bits", index: 1, bit: 64},
		{path: "police.tokens", typ: "32 bits", bit: 96},
		{path: "limits[15].burst", typ: "16 bits", index: 15, bit: 32},
		{path: "limits[0x2].flags", typ: "4 bits", index: 2, bit: 48},
		{path: "limits[2].on", typ: "1 bits", index: 2, bit: 48},
		{path: "rest.tag[1]", typ: "u8", bit: 32 + 16 + 4 + 48 + 12 + 8},
		{path: "sources", typ: "source_t", whole: true},
		{path: "sources[10.1.0.2,80,1].blocked", typ: "bool", bit: 64, key: 0x0a010002_0050_0001},
		{path: "others[0x0a01000200500007]", typ: "other_t", key: 0x0a010002_0050_0007},
		{path: "kind", typ: "u32"},
		{path: "bytes[3]", typ: "u8", index: 3},
	} {
		at, err := symbol.Find(p, c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if at.Type.Name != c.typ || at.Index != c.index || at.Bit != c.bit || at.Key != c.key || at.Whole != c.whole {
			t.Errorf("%s is %q, element %d, bit %d, key %#x, whole %v; want %+v", c.path, at.Type.Name, at.Index, at.Bit, at.Key, at.Whole, c)
		}
	}
}

// What is not there is refused, with the nearest that is.
func TestNotThere(t *testing.T) {
	p := compile(t)
	for path, want := range map[string]string{
		"lmits[0]":               `no "lmits"`,
		"limits[16].rate":        "index 16: limits has 16 elements",
		"limits[0].brst":         `no field "brst": its fields are rate, burst, on, flags, mac, tag; did you mean "burst"?`,
		"limits.rate":            "many elements: name one, as limits[...]",
		"limits[0]rate":          "a field begins with a dot",
		"limits[0":               "not closed",
		"limits[x]":              "it must be a number",
		"limits[0].rate.x":       "has no fields",
		"limits[0].rate[1]":      "has no elements",
		"limits[0].tag[2]":       "2 elements",
		"sources[1]x":            "a field begins with a dot",
		"sources[10.1.0.2]":      "3 fields, src_addr, port, kind",
		"sources[1,65536,1]":     "does not fit 16 bits",
		"sources[1,1,7].n":       "of other records than sources",
		"others[1,1,1]":          "of other records than others",
		"MOST.x":                 "a constant has no fields",
		"":                       `no ""`,
		strings.Repeat("x", 5e3): "at most",
	} {
		_, err := symbol.Find(p, path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: error %v, want %s", path, err, want)
		}
	}
	if _, err := symbol.Find(p, "limit"); err == nil || !strings.Contains(err.Error(), `did you mean "limits"?`) {
		t.Errorf("error %v, want one with the nearest name", err)
	}
}

// A value is read that the type can hold, and no other.
func TestParse(t *testing.T) {
	p := compile(t)
	for _, c := range []struct {
		path, text string
		want       uint64
		wrong      string
	}{
		{path: "limits[0].burst", text: "65535", want: 65535},
		{path: "limits[0].burst", text: "65536", wrong: "does not fit 16 bits: the most is 65535"},
		{path: "limits[0].rate", text: "10.1.0.2", want: 0x0a010002},
		{path: "limits[0].burst", text: "10.1.0.2", wrong: "it must be a number"},
		{path: "limits[0].mac", text: "02:00:00:00:00:0a", want: 0x02000000000a},
		{path: "limits[0].mac", text: "02:00:00:00:0a", wrong: "or a MAC"},
		{path: "limits[0].on", text: "true", want: 1},
		{path: "limits[0].on", text: "2", wrong: "does not fit 1 bits"},
		{path: "limits[0].rate", text: "-1", wrong: "from 0 on"},
		{path: "plain", text: "0xffffffffffffffff", want: 1<<64 - 1},
		{path: "plain", text: "18446744073709551616", wrong: "it must be a number"},
		{path: "limits[0]", text: "1", wrong: "name one of its fields, which are rate"},
		{path: "rest.tag", text: "1", wrong: "name one of its 2 elements"},
	} {
		at, err := symbol.Find(p, c.path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := symbol.Parse(at.Type, c.text)
		if c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) || c.wrong == "" && (err != nil || got != c.want) {
			t.Errorf("%s = %s: %#x, %v; want %+v", c.path, c.text, got, err, c)
		}
	}
}

// A text that Format writes is read as the same number, and so is a key.
func TestFormatComesBack(t *testing.T) {
	p := compile(t)
	rapid.Check(t, func(rt *rapid.T) {
		path := rapid.SampledFrom([]string{"plain", "limits[1].rate", "limits[1].mac", "limits[1].on", "sources[1,1,1].blocked", "sources[1,1,1].packets"}).Draw(rt, "path")
		at, err := symbol.Find(p, path)
		if err != nil {
			rt.Fatal(err)
		}
		n := rapid.Uint64().Draw(rt, "n") >> (64 - at.Type.Bits)
		field := rapid.SampledFrom([]string{"x", "src_addr", "a.addr"}).Draw(rt, "field")
		text := symbol.Format(at.Type, field, n)
		if got, err := symbol.Parse(at.Type, text); err != nil || got != n {
			rt.Errorf("%s: %#x is %q and then %#x, %v", path, n, text, got, err)
		}
		s, _ := p.Symbol("sources")
		key := rapid.Uint64().Draw(rt, "key")
		text = symbol.FormatKey(p, s.Key, key)
		if got, err := symbol.ParseKey(p, s.Key, text); err != nil || got != key {
			rt.Errorf("key %#x is %q and then %#x, %v", key, text, got, err)
		}
	})
}

// A record is listed by its numbers, each bit once.
func TestLeaves(t *testing.T) {
	p := compile(t)
	s, _ := p.Symbol("limits")
	leaves, cut := symbol.Leaves(p, s.Type)
	var got []string
	for _, l := range leaves {
		got = append(got, fmt.Sprintf("%s@%d", l.Name, l.Bit))
	}
	const want = "rate@0 burst@32 on@48 mac@52 tag[0]@112 tag[1]@120"
	if strings.Join(got, " ") != want || cut {
		t.Errorf("%v, cut %v, want %s", got, cut, want)
	}
	long, err := microcode.Compile("p.mc", "struct long_t { u64 n[300]; }; sram long_t x; packet entry e; e: begin exit; end")
	if err != nil {
		t.Fatal(err)
	}
	s, _ = long.Symbol("x")
	if leaves, cut := symbol.Leaves(long, s.Type); len(leaves) != symbol.MaxLeaves || !cut {
		t.Errorf("%d of 300 numbers, cut %v", len(leaves), cut)
	}
}

// FuzzFind takes any path and value.
func FuzzFind(f *testing.F) {
	p := compile(f)
	for _, path := range []string{"limits[3].tag[1]", "sources[1,2,3].packets", "others[7]", "a.addr", "x[", "[]", ".", "MOST[0]"} {
		f.Add(path, "1")
	}
	f.Fuzz(func(t *testing.T, path, value string) {
		at, err := symbol.Find(p, path)
		if err != nil {
			return
		}
		if n, err := symbol.Parse(at.Type, value); err == nil && at.Type.Bits < 64 && n>>at.Type.Bits != 0 {
			t.Errorf("%s takes %#x for %d bits", path, n, at.Type.Bits)
		}
	})
}
