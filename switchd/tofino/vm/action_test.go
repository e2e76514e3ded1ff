package vm_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// Every operation of the action ALUs, on fields of a header and of metadata.
func TestOperations(t *testing.T) {
	for _, tc := range []struct {
		name string
		op   ir.Op
		a, b byte
		want byte
	}{
		{"set", ir.Op{Kind: ir.Set, A: ir.F("h.a")}, 7, 9, 7},
		{"set const", ir.Op{Kind: ir.Set, A: ir.C(0xab)}, 7, 9, 0xab},
		{"add wraps", ir.Op{Kind: ir.Add, A: ir.F("h.a"), B: ir.F("h.b")}, 250, 9, 3},
		{"sub wraps", ir.Op{Kind: ir.Sub, A: ir.F("h.a"), B: ir.F("h.b")}, 3, 9, 250},
		{"and", ir.Op{Kind: ir.And, A: ir.F("h.a"), B: ir.F("h.b")}, 0x3c, 0x0f, 0x0c},
		{"or", ir.Op{Kind: ir.Or, A: ir.F("h.a"), B: ir.F("h.b")}, 0x30, 0x0f, 0x3f},
		{"xor", ir.Op{Kind: ir.Xor, A: ir.F("h.a"), B: ir.F("h.b")}, 0x3c, 0x0f, 0x33},
		{"andnot", ir.Op{Kind: ir.AndNot, A: ir.F("h.a"), B: ir.F("h.b")}, 0x3c, 0x0f, 0x30},
		{"shl", ir.Op{Kind: ir.Shl, A: ir.F("h.a"), B: ir.C(3)}, 0x21, 0, 0x08},
		{"shr", ir.Op{Kind: ir.Shr, A: ir.F("h.a"), B: ir.C(3)}, 0x81, 0, 0x10},
		{"min signed", ir.Op{Kind: ir.MinSigned, A: ir.F("h.a"), B: ir.F("h.b")}, 0x80, 1, 0x80},
		{"shr of a sign", ir.Op{Kind: ir.ShrSigned, A: ir.F("h.a"), B: ir.C(3)}, 0x81, 0, 0xf0},
		{"shr of no sign", ir.Op{Kind: ir.ShrSigned, A: ir.F("h.a"), B: ir.C(3)}, 0x71, 0, 0x0e},
		{"sum at its end", ir.Op{Kind: ir.SatAdd, A: ir.F("h.a"), B: ir.F("h.b")}, 250, 9, 255},
		{"sum below it", ir.Op{Kind: ir.SatAdd, A: ir.F("h.a"), B: ir.F("h.b")}, 240, 9, 249},
		{"difference at its end", ir.Op{Kind: ir.SatSub, A: ir.F("h.a"), B: ir.F("h.b")}, 3, 9, 0},
		{"difference above it", ir.Op{Kind: ir.SatSub, A: ir.F("h.a"), B: ir.F("h.b")}, 9, 3, 6},
		{"signed sum at its end", ir.Op{Kind: ir.SatAddSigned, A: ir.F("h.a"), B: ir.F("h.b")}, 0x70, 0x70, 0x7f},
		{"signed sum at its other end", ir.Op{Kind: ir.SatAddSigned, A: ir.F("h.a"), B: ir.F("h.b")}, 0x90, 0x90, 0x80},
		{"signed difference at its end", ir.Op{Kind: ir.SatSubSigned, A: ir.F("h.a"), B: ir.F("h.b")}, 0x80, 1, 0x80},
		{"less the least", ir.Op{Kind: ir.SatSubSigned, A: ir.F("h.a"), B: ir.F("h.b")}, 0, 0x80, 0x7f},
		{"min", ir.Op{Kind: ir.Min, A: ir.F("h.a"), B: ir.F("h.b")}, 0x80, 1, 1},
		{"max", ir.Op{Kind: ir.Max, A: ir.F("h.a"), B: ir.F("h.b")}, 0x80, 1, 0x80},
		{"max signed", ir.Op{Kind: ir.MaxSigned, A: ir.F("h.a"), B: ir.F("h.b")}, 0x80, 1, 1},
	} {
		h := []ir.Header{header("h", field("a", 8), field("b", 8), field("c", 8))}
		toHeader, toMeta := tc.op, tc.op
		toHeader.Dst, toMeta.Dst = "h.c", "meta.m"
		b := newBench(t, program(h, []ir.Field{meta("m", 8)}, toHeader, toMeta))
		equal(t, b.ok(tc.a, tc.b, 0xee, 0x99), tc.a, tc.b, tc.want, 0x99)
		b.expect("meta.m", uint64(tc.want))
	}
}

// A slice is some bits of a field, and the others stay, whatever else the action sets.
func TestSlices(t *testing.T) {
	h := []ir.Header{header("h", field("a", 16), field("b", 4), field("c", 12))}
	b := newBench(t, program(h, []ir.Field{meta("m", 16)},
		ir.Op{Kind: ir.Set, Dst: "h.a[11:4]", A: ir.F("h.c[7:0]")},
		ir.Op{Kind: ir.Set, Dst: "h.a[3:0]", A: ir.C(0xe)},
		ir.Op{Kind: ir.Set, Dst: "h.b", A: ir.F("h.a[15:12]")},
		ir.Op{Kind: ir.Set, Dst: "h.c[11:11]", A: ir.F("h.b")},
		ir.Op{Kind: ir.Set, Dst: "meta.m[15:8]", A: ir.F("h.a[7:0]")},
		ir.Op{Kind: ir.Set, Dst: "meta.m[5:2]", A: ir.F("h.c")},
	))
	equal(t, b.ok(0x12, 0x34, 0x56, 0x78), 0x17, 0x8e, 0x1e, 0x78)
	b.expect("meta.m", 0x3420)
}

// The operations of an action see what was before it.
func TestOperationsHappenAtOnce(t *testing.T) {
	h := []ir.Header{header("h", field("a", 8), field("b", 8))}
	b := newBench(t, program(h, nil,
		ir.Op{Kind: ir.Set, Dst: "h.a", A: ir.F("h.b")},
		ir.Op{Kind: ir.Set, Dst: "h.b", A: ir.F("h.a")},
	))
	equal(t, b.ok(1, 2), 2, 1)
}

// Fields that share bytes do not touch each other, up to one over nine bytes.
func TestFieldsOfAnyPlace(t *testing.T) {
	h := []ir.Header{header("h", field("a", 4), field("b", 1), field("c", 3), field("d", 13), field("wide", 64), field("e", 3))}
	b := newBench(t, program(h, nil,
		ir.Op{Kind: ir.Set, Dst: "h.b", A: ir.C(1)},
		ir.Op{Kind: ir.Set, Dst: "h.d", A: ir.C(0x1555)},
		ir.Op{Kind: ir.Set, Dst: "h.wide", A: ir.C(0xfedcba9876543210)},
	))
	out := b.ok(make([]byte, 11)...)
	b.expect("h.a", 0)
	b.expect("h.b", 1)
	b.expect("h.c", 0)
	b.expect("h.d", 0x1555)
	b.expect("h.wide", 0xfedcba9876543210)
	b.expect("h.e", 0)
	all := newBench(t, program(h, nil, ir.Op{Kind: ir.Set, Dst: "h.b", A: ir.C(0)}))
	in := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	equal(t, all.ok(in...), 0xf7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	equal(t, out[:1], 0x08)
}

func TestHashAndRandom(t *testing.T) {
	h := []ir.Header{header("h", field("c", 32), field("r", 16))}
	b := newBench(t, program(h, []ir.Field{meta("r", 16)},
		ir.Op{Kind: ir.Hash, Dst: "h.c", In: []ir.Operand{ir.F("h.c")}},
		ir.Op{Kind: ir.Random, Dst: "meta.r"},
	))
	b.ok('1', '2', '3', '4', 0, 0)
	b.expect("h.c", 0x9be3e0a3) // CRC-32 (IEEE 802.3) of "1234"
	seen := map[uint64]bool{}
	for range 64 {
		b.ok('1', '2', '3', '4', 0, 0)
		seen[b.field("meta.r")] = true
	}
	if len(seen) < 32 {
		t.Errorf("64 random numbers of 16 bits have %d values", len(seen))
	}
}

// Fields stand one behind another in a concatenation, the first highest, wherever they are; what
// is more than the field has bits is lost.
func TestConcat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields, values, want := []ir.Field{}, map[string]uint64{}, uint64(0)
		for i := range 5 {
			fields = append(fields, field(string(rune('a'+i)), rapid.IntRange(1, 40).Draw(t, "bits")))
		}
		total := 0
		for _, f := range fields {
			total += f.Bits
		}
		fields = append(fields, field("pad", 8-total%8))
		packet := rapid.SliceOfN(rapid.Byte(), (total+8)/8, (total+8)/8).Draw(t, "packet")
		at := 0
		for _, f := range fields {
			for range f.Bits {
				values[f.Name] = values[f.Name]<<1 | uint64(packet[at/8]>>(7-at%8)&1)
				at++
			}
		}
		do := ir.Op{Kind: ir.Concat, Dst: "meta.out"}
		for range rapid.IntRange(1, 5).Draw(t, "fields") {
			f := rapid.SampledFrom(fields[:5]).Draw(t, "field")
			do.In = append(do.In, ir.F("h."+f.Name))
			want = want<<f.Bits | values[f.Name]
		}
		placed := program([]ir.Header{header("h", fields...)}, []ir.Field{meta("out", 32)}, do)
		if _, err := fit.Place(placed); err != nil {
			t.Skip(err)
		}
		b := newBench(t, placed)
		b.ok(packet...)
		b.expect("meta.out", want&0xffffffff)
	})
}

// What is read of a header that is not there is 0, and what is written is lost.
func TestHeadersThatAreNotValid(t *testing.T) {
	h := []ir.Header{header("a", field("v", 8)), header("b", field("v", 8))}
	p := program(h, []ir.Field{meta("m", 8)},
		ir.Op{Kind: ir.Set, Dst: "meta.m", A: ir.F("b.v")},
		ir.Op{Kind: ir.Set, Dst: "b.v", A: ir.C(5)},
	)
	p.Ingress.Parser[0].Extract = []string{"a"}
	b := newBench(t, p)
	equal(t, b.ok(1, 2), 1, 2)
	b.expect("meta.m", 0)
	b.expect("b.v", 0)

	p = program(h, nil, ir.Op{Kind: ir.Validate, Dst: "b"}, ir.Op{Kind: ir.Set, Dst: "b.v", A: ir.F("a.v")},
		ir.Op{Kind: ir.Remove, Dst: "a"})
	p.Ingress.Parser[0].Extract = []string{"a"}
	b = newBench(t, p)
	equal(t, b.ok(1, 2), 1, 2)
	b.expect("b.v", 1)
	if b.valid(0) || !b.valid(1) {
		t.Error("header a is valid, or b is not")
	}
}

// The deparser fills in the checksum of RFC 1071.
func TestChecksum(t *testing.T) {
	p := program([]ir.Header{header("h", field("a", 16), field("sum", 16), field("b", 16))}, nil)
	p.Actions[0].Do = []ir.Op{{Kind: ir.Set, Dst: "h.a", A: ir.C(0xfffe)}}
	p.Ingress.Checksums = []string{"h.sum"}
	b := newBench(t, p)
	equal(t, b.ok(0, 0, 0x12, 0x34, 0, 3), 0xff, 0xfe, 0xff, 0xfd, 0, 3)
}

func TestChecksumHasItsWidth(t *testing.T) {
	for _, name := range []string{"h.a", "h.none", "meta.m"} {
		p := program([]ir.Header{header("h", field("a", 8))}, []ir.Field{meta("m", 16)})
		placed, err := fit.Place(p)
		if err != nil {
			t.Fatal(err)
		}
		p.Ingress.Checksums = []string{name}
		if _, err := vm.Compile(placed); err == nil {
			t.Errorf("%s is taken for a checksum", name)
		}
	}
}
