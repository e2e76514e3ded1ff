package atp

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
)

// goldens were written down from the layout: bitmap0 32 | bitmap1 32 | job 8 | sequence 24 |
// index 16 | fan-in0 less 1: 5 | fan-in1 less 1: 5 | resend, collision, ecn, edge, ack, overflow.
var goldens = []struct {
	name string
	h    Header
	hex  string
}{
	{"every field", Header{Bitmaps: [2]uint32{0x01020304, 0x05060708}, Job: 0xab, Sequence: 0x123456, Index: 0x789a, FanIns: [2]uint8{4, 17}, Flags: Resend | ECN | IsAck},
		"01020304 05060708 ab 123456 789a 1c2a"}, // 00011 10000 101010
	{"least fan-ins", Header{Bitmaps: [2]uint32{1, 1}, Sequence: 1, FanIns: [2]uint8{1, 1}}, "00000001 00000001 00 000001 0000 0000"},
	{"first fan-in is on top", Header{Bitmaps: [2]uint32{1, 1}, Sequence: 1, FanIns: [2]uint8{32, 1}}, "00000001 00000001 00 000001 0000 f800"},
	{"second fan-in", Header{Bitmaps: [2]uint32{1, 1}, Sequence: 1, FanIns: [2]uint8{1, 32}}, "00000001 00000001 00 000001 0000 07c0"},
	{"resend", Header{Bitmaps: [2]uint32{1, 1}, Sequence: 1, FanIns: [2]uint8{1, 1}, Flags: Resend}, "00000001 00000001 00 000001 0000 0020"},
	{"collision", Header{Bitmaps: [2]uint32{1, 1}, Sequence: 1, FanIns: [2]uint8{1, 1}, Flags: Collision}, "00000001 00000001 00 000001 0000 0010"},
	{"ecn", Header{Bitmaps: [2]uint32{1, 1}, Sequence: 1, FanIns: [2]uint8{1, 1}, Flags: ECN}, "00000001 00000001 00 000001 0000 0008"},
	{"edge switch", Header{Bitmaps: [2]uint32{1, 1}, Sequence: 1, FanIns: [2]uint8{1, 1}, Flags: EdgeSwitch}, "00000001 00000001 00 000001 0000 0004"},
	{"parameter packet", Header{Sequence: 1, FanIns: [2]uint8{1, 1}, Flags: IsAck}, "00000000 00000000 00 000001 0000 0002"},
	{"overflow", Header{Bitmaps: [2]uint32{1, 1}, Sequence: 1, FanIns: [2]uint8{1, 1}, Flags: Overflow}, "00000001 00000001 00 000001 0000 0001"},
	{"last job, number and index", Header{Bitmaps: [2]uint32{1 << 31, 1 << 31}, Job: 255, Sequence: 1<<24 - 1, Index: 65535, FanIns: [2]uint8{1, 1}},
		"80000000 80000000 ff ffffff ffff 0000"},
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
			var h Header
			if problem := h.Read(want, PayloadLen-HeaderLen); problem != OK || h != g.h {
				t.Errorf("Read gives %+v %q, want %+v", h, problem, g.h)
			}
		})
	}
}

// A frame is 306 bytes with the headers below (§3.6).
func TestLength(t *testing.T) {
	if got := 14 + 20 + 8 + PayloadLen; got != 306 {
		t.Errorf("frames of %d bytes", got)
	}
}

// Values too wide for their fields touch no other field.
func TestWideValues(t *testing.T) {
	b := make([]byte, HeaderLen)
	h := Header{Job: 1, Sequence: 0xff000002, FanIns: [2]uint8{33, 0}, Flags: 0xff}
	h.Put(b)
	if want := golden.Hex(t, "00000000 00000000 01 000002 0000 07ff"); !bytes.Equal(b, want) {
		t.Errorf("Put gives % x, want % x", b, want)
	}
}

func TestProblems(t *testing.T) {
	good := Header{Bitmaps: [2]uint32{1, 1}, Sequence: 1, FanIns: [2]uint8{1, 1}}
	for name, c := range map[string]struct {
		change   func(h *Header)
		bytes    int
		unstored int
		want     Problem
	}{
		"whole":                     {nil, PayloadLen, 0, OK},
		"unstored values":           {nil, HeaderLen, PayloadLen - HeaderLen, OK},
		"part of them":              {nil, HeaderLen + 4, PayloadLen - HeaderLen - 4, OK},
		"no header":                 {nil, HeaderLen - 1, PayloadLen, Short},
		"nothing":                   {nil, 0, 0, Short},
		"one byte less":             {nil, PayloadLen - 1, 0, Truncated},
		"one byte more":             {nil, PayloadLen + 1, 0, Oversized},
		"one unstored less":         {nil, HeaderLen, PayloadLen - HeaderLen - 1, Truncated},
		"one unstored more":         {nil, PayloadLen, 1, Oversized},
		"of nobody in the rack":     {func(h *Header) { h.Bitmaps[0] = 0 }, PayloadLen, 0, NoWorker},
		"of no rack":                {func(h *Header) { h.Bitmaps[1] = 0 }, PayloadLen, 0, NoWorker},
		"parameters are of nobody":  {func(h *Header) { h.Bitmaps, h.Flags = [2]uint32{}, IsAck }, PayloadLen, 0, OK},
		"sequence 0":                {func(h *Header) { h.Sequence = 0 }, PayloadLen, 0, BadSequence},
		"sequence 0 of parameters":  {func(h *Header) { h.Sequence, h.Flags = 0, IsAck }, PayloadLen, 0, BadSequence},
		"job 0 is one":              {func(h *Header) { h.Job = 0 }, PayloadLen, 0, OK},
		"last of all":               {func(h *Header) { h.Job, h.Sequence = 255, 1<<24-1 }, PayloadLen, 0, OK},
		"length goes before bitmap": {func(h *Header) { h.Bitmaps[0] = 0 }, PayloadLen + 1, 0, Oversized},
	} {
		h := good
		if c.change != nil {
			c.change(&h)
		}
		b := make([]byte, max(c.bytes, HeaderLen))
		h.Put(b)
		var got Header
		if problem := got.Read(b[:c.bytes], c.unstored); problem != c.want {
			t.Errorf("%s: %q, want %q", name, problem, c.want)
		}
		if c.want == Short && got != (Header{}) {
			t.Errorf("%s: a header of %+v", name, got)
		}
	}
}

// Every header comes back as it was.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Header{
			Bitmaps:  [2]uint32{rapid.Uint32Min(1).Draw(t, "bitmap 0"), rapid.Uint32Min(1).Draw(t, "bitmap 1")},
			Job:      rapid.Uint8().Draw(t, "job"),
			Sequence: rapid.Uint32Range(1, 1<<24-1).Draw(t, "sequence"),
			Index:    rapid.Uint16().Draw(t, "index"),
			FanIns:   [2]uint8{rapid.Uint8Range(1, 32).Draw(t, "fan-in 0"), rapid.Uint8Range(1, 32).Draw(t, "fan-in 1")},
			Flags:    Flags(rapid.Uint8Range(0, 63).Draw(t, "flags")),
		}
		b := make([]byte, HeaderLen)
		h.Put(b)
		var got Header
		if problem := got.Read(b, PayloadLen-HeaderLen); problem != OK || got != h {
			t.Fatalf("%+v comes back as %+v %q", h, got, problem)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, g := range goldens {
		f.Add(golden.Hex(f, g.hex), PayloadLen-HeaderLen)
	}
	f.Fuzz(func(t *testing.T, b []byte, unstored int) {
		var h Header
		if h.Read(b, max(0, unstored)%PayloadLen) == Short {
			return
		}
		again := make([]byte, HeaderLen)
		h.Put(again)
		if !bytes.Equal(again, b[:HeaderLen]) {
			t.Errorf("% x is put as % x", b[:HeaderLen], again)
		}
	})
}

func TestHas(t *testing.T) {
	if f := Resend | ECN; !f.Has(Resend) || !f.Has(Resend|ECN) || f.Has(Resend|IsAck) || f.Has(IsAck) || !f.Has(0) {
		t.Error("flags have others than they have")
	}
}
