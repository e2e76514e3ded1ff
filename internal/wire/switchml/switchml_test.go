package switchml

import (
	"bytes"
	"testing"

	"github.com/inalab/inalab/internal/golden"
)

// goldens were written down from the layout of the public client: type 4 and
// size 4 (3 used) | job 8 | packet id 32, little-endian | set 1, 0, slot 14 | e0, e1.
var goldens = []struct {
	name string
	h    Header
	hex  string
}{
	{"every field", Header{Type: 1, Size: 3, Job: 0xab, PacketID: 0x01020304, Set: 1, Slot: 0x2345, E0: -1, E1: 127},
		"13 ab 04030201 a345 ff 7f"},
	{"first packet of a 256 B client", Header{Type: 1, Size: 1}, "11 00 00000000 0000 00 00"},
	{"packet id is little-endian", Header{Type: 1, PacketID: 1}, "10 00 01000000 0000 00 00"},
	{"set is the top bit", Header{Type: 1, Set: 1}, "10 00 00000000 8000 00 00"},
	{"slot has 14 bits", Header{Type: 1, Slot: MaxSlots - 1}, "10 00 00000000 3fff 00 00"},
	{"exponents are signed", Header{Type: 1, Size: 2, E0: -128, E1: -126}, "12 00 00000000 0000 80 82"},
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
			h, problem := Parse(append(want, make([]byte, 4*g.h.Size.Elements())...))
			if problem != OK || h != g.h {
				t.Errorf("Parse gives %+v %q, want %+v", h, problem, g.h)
			}
		})
	}
}

// Bit 3 of the first byte and bit 14 of the slot field are nobody's.
func TestUnusedBits(t *testing.T) {
	b := append(golden.Hex(t, "18 00 00000000 4001 00 00"), make([]byte, 128)...)
	if h, problem := Parse(b); problem != OK || h != (Header{Type: 1, Slot: 1}) {
		t.Errorf("Parse gives %+v %q: unused bits mean nothing", h, problem)
	}
	Header{Type: 0x11, Size: 0xf9, Slot: 0xffff, Set: 1}.Put(b)
	if want := golden.Hex(t, "11 00 00000000 bfff 00 00"); !bytes.Equal(b[:HeaderLen], want) {
		t.Errorf("values too wide for their fields give % x, want % x", b[:HeaderLen], want)
	}
}

func TestSizes(t *testing.T) {
	for code, values := range []int{32, 64, 128, 256, 0, 0, 0, 0, 0} {
		if got := SizeEnum(code).Elements(); got != values {
			t.Errorf("code %d means %d values, want %d", code, got, values)
		}
		if values == 0 {
			continue
		}
		if s, ok := SizeOf(values); !ok || int(s) != code {
			t.Errorf("SizeOf(%d) = %d, %v", values, s, ok)
		}
	}
	for _, none := range []int{0, -32, 1, 31, 33, 96, 512} {
		if _, ok := SizeOf(none); ok {
			t.Errorf("SizeOf(%d) finds a code", none)
		}
	}
}

// The paper's goodputs imply 10 bytes; with 64 and 256 values a frame has the
// 308 and 1076 bytes that the public client sends.
func TestFrameSizes(t *testing.T) {
	for size, want := range map[SizeEnum]int{1: 308, 3: 1076} {
		if got := 14 + 20 + 8 + HeaderLen + 4*size.Elements(); got != want {
			t.Errorf("size code %d: frame of %d bytes, want %d", size, got, want)
		}
	}
}

func TestDropReasons(t *testing.T) {
	payload := func(first byte, n int) []byte {
		b := make([]byte, n)
		if n > 0 {
			b[0] = first
		}
		return b
	}
	for _, c := range []struct {
		name  string
		first byte
		bytes int
		want  Problem
	}{
		{"nothing", 0, 0, Short},
		{"one byte too few", 0x10, HeaderLen - 1, Short},
		{"type 0", 0x00, HeaderLen + 128, BadType},
		{"type 2", 0x20, HeaderLen + 128, BadType},
		{"type 15", 0xf3, HeaderLen + 1024, BadType},
		{"size code 4", 0x14, HeaderLen, BadSize},
		{"size code 7", 0x17, HeaderLen + 1024, BadSize},
		{"header alone", 0x10, HeaderLen, Truncated},
		{"one byte short", 0x11, HeaderLen + 255, Truncated},
		{"exact", 0x11, HeaderLen + 256, OK},
		{"one byte more", 0x11, HeaderLen + 257, Oversized},
		{"the next size", 0x12, HeaderLen + 1024, Oversized},
	} {
		if _, got := Parse(payload(c.first, c.bytes)); got != c.want {
			t.Errorf("%s: problem %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, g := range goldens {
		b := append(golden.Hex(f, g.hex), make([]byte, 4*g.h.Size.Elements())...)
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
		if h.Type != TypeConsume || len(b) != HeaderLen+4*h.Size.Elements() || len(b) == HeaderLen {
			t.Fatalf("accepted %d bytes of type %d, size code %d", len(b), h.Type, h.Size)
		}
		again := bytes.Clone(b)
		h.Put(again)
		want := bytes.Clone(b)
		want[0] &^= 1 << 3 // unused
		want[6] &^= 1 << 6
		if !bytes.Equal(again, want) {
			t.Fatalf("% x is put back as % x", b[:HeaderLen], again[:HeaderLen])
		}
	})
}

func FuzzHeader(f *testing.F) {
	for _, g := range goldens {
		f.Add(uint8(g.h.Size), g.h.Job, g.h.PacketID, g.h.Set, g.h.Slot, g.h.E0, g.h.E1)
	}
	f.Fuzz(func(t *testing.T, size, job uint8, id uint32, set uint8, slot uint16, e0, e1 int8) {
		want := Header{Type: TypeConsume, Size: SizeEnum(size % 4), Job: job, PacketID: id, Set: set & 1, Slot: slot % MaxSlots, E0: e0, E1: e1}
		b := make([]byte, HeaderLen+4*want.Size.Elements())
		want.Put(b)
		if got, problem := Parse(b); problem != OK || got != want {
			t.Fatalf("%+v comes back as %+v, %q", want, got, problem)
		}
	})
}
