package vm_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// An index may be the low bits of a field, of metadata or of a header, for one copy
// and for all at once.
func TestIndexIsTheLowBits(t *testing.T) {
	for _, where := range []string{"h.i", "meta.i"} {
		p := counter()
		p.Headers[0] = header("h", field("i", 16), field("out", 8))
		p.Metadata = append(p.Metadata, meta("i", 16))
		p.Actions = append(p.Actions, ir.Action{Name: "copy", Do: []ir.Op{{Kind: ir.Set, Dst: "meta.i", A: ir.F("h.i")}}})
		p.Tables = append(p.Tables, ir.Table{Name: "copy", Default: "copy"})
		p.Ingress.Control = append([]ir.Step{{Apply: "copy"}}, p.Ingress.Control...)
		op := &p.Actions[0].Do[0]
		op.Index, op.IndexBits, op.Dst = ir.F(where), 8, "h.out"
		b := newBench(t, p)
		equal(t, b.ok(0xab, 5, 0), 0xab, 5, 1)
		equal(t, b.ok(0x01, 5, 0), 0x01, 5, 2)
		equal(t, b.ok(0xab, 6, 0), 0xab, 6, 1)
	}
}

// An index may be bits in the middle of a field.
func TestIndexIsBitsInTheMiddle(t *testing.T) {
	for _, where := range []string{"h.i", "meta.i"} {
		p := counter()
		p.Headers[0] = header("h", field("i", 16), field("out", 8))
		p.Metadata = append(p.Metadata, meta("i", 16))
		p.Actions = append(p.Actions, ir.Action{Name: "copy", Do: []ir.Op{{Kind: ir.Set, Dst: "meta.i", A: ir.F("h.i")}}})
		p.Tables = append(p.Tables, ir.Table{Name: "copy", Default: "copy"})
		p.Ingress.Control = append([]ir.Step{{Apply: "copy"}}, p.Ingress.Control...)
		op := &p.Actions[0].Do[0]
		op.Index, op.IndexBits, op.IndexFrom, op.Dst = ir.F(where), 8, 4, "h.out"
		b := newBench(t, p)
		equal(t, b.ok(0xab, 0x5c, 0), 0xab, 0x5c, 1) // entry 0xb5
		equal(t, b.ok(0x1b, 0x5d, 0), 0x1b, 0x5d, 2)
		equal(t, b.ok(0xab, 0x6c, 0), 0xab, 0x6c, 1)
	}
}

// Fields of a key that stand together in a header are read together, wherever a byte
// begins: it matches as if each was read alone.
func TestKeysOfNeighbours(t *testing.T) {
	names := []string{"h.a", "h.b", "h.c", "h.d", "h.e", "h.f"}
	rapid.Check(t, func(t *rapid.T) {
		bits := []int{rapid.IntRange(1, 15).Draw(t, "bits"), 0, 8, 3, 5, 16}
		bits[1] = 16 - bits[0]
		var fields []ir.Field
		for i, n := range bits {
			fields = append(fields, field(string(rune('a'+i)), n))
		}
		p := program([]ir.Header{header("h", append(fields, field("hit", 8))...)}, nil, ir.Op{Kind: ir.Set, Dst: "h.hit", A: ir.C(1)})
		var values []uint64
		p.Tables[0].Default = ""
		for i, n := range names {
			if rapid.Bool().Draw(t, "in the key") {
				p.Tables[0].Keys = append(p.Tables[0].Keys, ir.Key{Field: n, Kind: ir.Exact})
				values = append(values, rapid.Uint64Range(0, ones(bits[i])).Draw(t, n))
			}
		}
		if len(values) == 0 {
			return
		}
		p.Tables[0].Entries = []ir.Entry{{Values: values, Action: "act"}}
		b := newBench(t, p)
		packet := rapid.SliceOfN(rapid.Byte(), 6, 6).Draw(t, "packet")
		word, at := uint64(0), 0
		for _, x := range packet {
			word = word<<8 | uint64(x)
		}
		hit, k := byte(1), 0
		for i, n := range bits {
			at += n
			if k < len(p.Tables[0].Keys) && p.Tables[0].Keys[k].Field == names[i] {
				v := word >> (48 - at) & ones(n)
				if rapid.Bool().Draw(t, "make it match") {
					word = word&^(ones(n)<<(48-at)) | values[k]<<(48-at)
					v = values[k]
				}
				if v != values[k] {
					hit = 0
				}
				k++
			}
		}
		for i := range packet {
			packet[i] = byte(word >> (40 - 8*i))
		}
		if out := b.ok(append(packet, 0)...); out[6] != hit {
			t.Fatalf("bits %v, keys %v, values %v, packet %x: hit %d, want %d", bits, p.Tables[0].Keys, values, packet, out[6], hit)
		}
	})
}

// A big constant table finds all its entries and nothing else, with its key in one
// word of any width up to 16 bits.
func TestBigConstantTables(t *testing.T) {
	for _, bits := range []int{4, 9, 16} {
		p := program([]ir.Header{header("h", field("pad", 16-bits+8), field("k", bits), field("out", 16))}, nil)
		p.Actions = []ir.Action{{Name: "say", Params: []ir.Param{{Name: "n", Bits: 16}},
			Do: []ir.Op{{Kind: ir.Set, Dst: "h.out", A: ir.P("n")}}}}
		p.Tables[0] = ir.Table{Name: "t", Keys: []ir.Key{{Field: "h.k", Kind: ir.Exact}}, Actions: []string{"say"}, Default: "say",
			Args: []uint64{0xffff}, Const: true}
		for k := uint64(0); k < 1<<bits; k += 3 {
			p.Tables[0].Entries = append(p.Tables[0].Entries, ir.Entry{Values: []uint64{k}, Action: "say", Args: []uint64{k ^ 0x5a}})
		}
		b := newBench(t, p)
		for k := range uint64(1 << bits) {
			want := k ^ 0x5a
			if k%3 != 0 {
				want = 0xffff
			}
			if out := b.ok(0, byte(k>>8), byte(k), 0, 0); uint64(out[3])<<8|uint64(out[4]) != want {
				t.Fatalf("%d bits, key %d: %x, want %x", bits, k, out[3:], want)
			}
		}
	}
}
