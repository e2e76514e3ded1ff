package trioml

import (
	"bytes"
	"testing"

	"github.com/inalab/inalab/internal/golden"
)

// goldens were written down from Fig 8, field by field:
// job_id 8 | block_id 32 | age_op 4, final 1, degraded 1, pad 2 | src_id 8 | src_cnt 8 | gen_id 16 | pad 4, grad_cnt 12.
var goldens = []struct {
	name string
	h    Header
	hex  string
}{
	{"every field", Header{Job: 7, Block: 0x01020304, AgeOp: 1, Final: true, Degraded: true, Source: 0xfe, SrcCnt: 5, Gen: 0xbeef, Grads: 0x401},
		"07 01020304 1c fe 05 beef 0401"},
	{"plain contribution", Header{Job: 1, Block: 3, Source: 2, SrcCnt: 1, Gen: 9, Grads: 1024},
		"01 00000003 00 02 01 0009 0400"},
	{"age_op is the high nibble", Header{AgeOp: 0xf, Grads: 1}, "00 00000000 f0 00 00 0000 0001"},
	{"final is bit 3", Header{Final: true, Grads: 1}, "00 00000000 08 00 00 0000 0001"},
	{"degraded is bit 2", Header{Degraded: true, Grads: 1}, "00 00000000 04 00 00 0000 0001"},
	{"limits", Header{Job: 255, Block: 1<<32 - 1, AgeOp: 15, Final: true, Degraded: true, Source: 255, SrcCnt: 255, Gen: 65535, Grads: MaxGrads},
		"ff ffffffff fc ff ff ffff 0fff"},
}

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			want := golden.Hex(t, g.hex)
			got := bytes.Repeat([]byte{0xdb}, HeaderLen) // Put must write every bit
			g.h.Put(got)
			if !bytes.Equal(got, want) {
				t.Errorf("Put gives % x, want % x", got, want)
			}
			h, problem := Parse(append(want, make([]byte, 4*int(g.h.Grads))...))
			if problem != OK || h != g.h {
				t.Errorf("Parse gives %+v %q, want %+v", h, problem, g.h)
			}
		})
	}
}

func TestPutKeepsToItsFields(t *testing.T) {
	got := make([]byte, HeaderLen)
	Header{AgeOp: 0x12, Grads: 0xf001}.Put(got)
	if want := golden.Hex(t, "00 00000000 20 00 00 0000 0001"); !bytes.Equal(got, want) {
		t.Errorf("values too wide for their fields give % x, want % x", got, want)
	}
}

func TestParseIgnoresPadding(t *testing.T) {
	h, problem := Parse(golden.Hex(t, "00 00000000 03 00 00 0000 f001 0000002a"))
	if want := (Header{Grads: 1}); problem != OK || h != want {
		t.Errorf("Parse gives %+v %q, want %+v: pad bits mean nothing", h, problem, want)
	}
}

func TestDropReasons(t *testing.T) {
	const head = "01 00000003 00 02 01 0009 0002"
	for _, c := range []struct {
		name, hex string
		want      Problem
	}{
		{"nothing", "", Short},
		{"one byte too few", "01 00000003 00 02 01 0009 04", Short},
		{"no gradients", "01 00000003 00 02 01 0009 0000", NoGrads},
		{"no gradients said, but some there", "01 00000003 00 02 01 0009 0000 00000001", NoGrads},
		{"header alone", head, Truncated},
		{"one byte short", head + "00000001 000000", Truncated},
		{"exact", head + "00000001 00000002", OK},
		{"one byte more", head + "00000001 00000002 00", Oversized},
		{"one gradient more", head + "00000001 00000002 00000003", Oversized},
	} {
		if _, got := Parse(golden.Hex(t, c.hex)); got != c.want {
			t.Errorf("%s: problem %q, want %q", c.name, got, c.want)
		}
	}
}

func TestGenBefore(t *testing.T) {
	for _, c := range []struct {
		a, b uint16
		want bool
	}{
		{0, 0, false}, {0, 1, true}, {1, 0, false}, {65535, 0, true}, {0, 65535, false},
		{65530, 5, true}, {5, 65530, false}, {0, 32767, true}, {32767, 0, false}, {40000, 40000, false},
	} {
		if got := GenBefore(c.a, c.b); got != c.want {
			t.Errorf("GenBefore(%d, %d) = %v", c.a, c.b, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, g := range goldens {
		b := append(golden.Hex(f, g.hex), make([]byte, 4*int(g.h.Grads))...)
		f.Add(b)
		f.Add(b[:len(b)-1])
		f.Add(b[:HeaderLen])
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, problem := Parse(b)
		if problem != OK {
			return
		}
		if len(b) != HeaderLen+4*int(h.Grads) || h.Grads == 0 {
			t.Fatalf("accepted %d bytes with %d gradients", len(b), h.Grads)
		}
		again := bytes.Clone(b)
		h.Put(again)
		want := bytes.Clone(b)
		want[5] &^= 3 // pad
		want[10] &= 0x0f
		if !bytes.Equal(again, want) {
			t.Fatalf("% x is put back as % x", b[:HeaderLen], again[:HeaderLen])
		}
	})
}

func FuzzHeader(f *testing.F) {
	for _, g := range goldens {
		f.Add(g.h.Job, g.h.Block, g.h.AgeOp, g.h.Final, g.h.Degraded, g.h.Source, g.h.SrcCnt, g.h.Gen, g.h.Grads)
	}
	f.Fuzz(func(t *testing.T, job uint8, block uint32, age uint8, final, degraded bool, source, cnt uint8, gen, grads uint16) {
		want := Header{Job: job, Block: block, AgeOp: age & 15, Final: final, Degraded: degraded, Source: source, SrcCnt: cnt, Gen: gen, Grads: grads%MaxGrads + 1}
		b := make([]byte, HeaderLen+4*int(want.Grads))
		want.Put(b)
		if got, problem := Parse(b); problem != OK || got != want {
			t.Fatalf("%+v comes back as %+v, %q", want, got, problem)
		}
	})
}
