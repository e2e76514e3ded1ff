package atp

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
)

// three is a header of three levels.
func three() Header {
	h := Header{Bitmaps: [2]uint32{1, 2}, Job: 7, Sequence: 5, Index: 9, FanIns: [2]uint8{3, 2}, Flags: EdgeSwitch}
	h.Upper = Upper{Levels: 3, Level: 1, Bitmaps: [4]uint32{0x80000001}, FanIns: [4]uint8{17}}
	return h
}

// deepGoldens were written down from the layout: the base header, then by level bitmap 32 | fan-in less 1: 5 |
// levels 4 | level 4 | 0: 19.
var deepGoldens = []struct {
	name string
	h    Header
	hex  string
}{
	{"three levels", three(), "00000001 00000002 07 000005 0009 1044 80000001 81880000"}, // 10000 0011 0001
	{"four, past all", Header{
		Bitmaps: [2]uint32{3, 3}, Sequence: 1, FanIns: [2]uint8{2, 2}, Flags: EdgeSwitch,
		Upper: Upper{Levels: 4, Level: 4, Bitmaps: [4]uint32{0x01020304, 0x05060708}, FanIns: [4]uint8{1, 32}},
	}, "00000003 00000003 00 000001 0000 0844 01020304 02200000 05060708 f8000000"},
	{"parameters of six", Header{
		Sequence: 1, FanIns: [2]uint8{1, 1}, Flags: IsAck,
		Upper: Upper{Levels: 6, FanIns: [4]uint8{1, 1, 1, 1}},
	}, "00000000 00000000 00 000001 0000 0002 00000000 03000000 00000000 00000000 00000000 00000000 00000000 00000000"},
}

func TestDeepGolden(t *testing.T) {
	for _, g := range deepGoldens {
		t.Run(g.name, func(t *testing.T) {
			want := golden.Hex(t, g.hex)
			got := bytes.Repeat([]byte{0xdb}, g.h.Len()) // Put must write every bit
			g.h.Put(got)
			if !bytes.Equal(got, want) {
				t.Errorf("Put gives % x, want % x", got, want)
			}
			var h Header
			if problem := h.ReadDeep(want, 4*Values); problem != OK || h != g.h {
				t.Errorf("ReadDeep gives %+v %q, want %+v", h, problem, g.h)
			}
		})
	}
}

// A frame is 8 bytes longer for each level above the second, which all have a bitmap and a fan-in of their own.
func TestDeepLengths(t *testing.T) {
	for levels, want := range map[int]int{1: 306, 2: 306, 3: 314, 4: 322, 6: 338} {
		if got := 14 + 20 + 8 + DeepPayloadLen(levels); got != want {
			t.Errorf("%d levels: frames of %d bytes, want %d", levels, got, want)
		}
		if got := PortOf(levels) == DeepPort; got != (levels > 2) {
			t.Errorf("%d levels: to port %d", levels, PortOf(levels))
		}
	}
}

func TestDeepProblems(t *testing.T) {
	whole := DeepPayloadLen(3)
	for name, c := range map[string]struct {
		change func(h *Header)
		spoil  func(b []byte)
		bytes  int
		want   Problem
	}{
		"whole":                    {nil, nil, whole, OK},
		"no base header":           {nil, nil, HeaderLen - 1, Short},
		"base header alone":        {nil, nil, HeaderLen, BadLevels},
		"half of an extension":     {nil, nil, HeaderLen + 7, BadLevels},
		"without the last of two":  {func(h *Header) { h.Upper.Levels = 4 }, nil, HeaderLen + 8, BadLevels},
		"one byte less":            {nil, nil, whole - 1, Truncated},
		"one byte more":            {nil, nil, whole + 1, Oversized},
		"as long as of two levels": {nil, nil, PayloadLen, Truncated},
		"as long as of four":       {nil, nil, DeepPayloadLen(4), Oversized},
		"two levels":               {nil, func(b []byte) { b[20], b[21] = 0, 0 }, whole, BadLevels}, // levels 0, level 0
		"seven levels":             {nil, func(b []byte) { b[20] = 3 }, whole, BadLevels},
		"of nobody at the third":   {func(h *Header) { h.Upper.Bitmaps[0] = 0 }, nil, whole, NoWorker},
		"parameters are of nobody": {func(h *Header) { h.Bitmaps, h.Flags, h.Upper.Bitmaps[0], h.Upper.Level = [2]uint32{}, IsAck, 0, 0 }, nil, whole, OK},
		"sequence 0":               {func(h *Header) { h.Sequence = 0 }, nil, whole, BadSequence},
		"past all":                 {func(h *Header) { h.Upper.Level = 3 }, nil, whole, OK},
		"beyond that":              {func(h *Header) { h.Upper.Level = 4 }, nil, whole, BadLevel},
		"first level with flag":    {func(h *Header) { h.Upper.Level = 0 }, nil, whole, BadLevel},
		"second without":           {func(h *Header) { h.Flags = 0 }, nil, whole, BadLevel},
		"reserved bit":             {nil, func(b []byte) { b[23] = 1 }, whole, Untidy},
		"reserved bit on top":      {nil, func(b []byte) { b[21] |= 4 }, whole, Untidy},
	} {
		h := three()
		if c.change != nil {
			c.change(&h)
		}
		b := make([]byte, 400)
		h.Put(b)
		if c.spoil != nil {
			c.spoil(b)
		}
		var got Header
		if problem := got.ReadDeep(b[:c.bytes], 0); problem != c.want {
			t.Errorf("%s: %q, want %q", name, problem, c.want)
		}
	}
	h, b := three(), make([]byte, 400)
	h.Upper.Levels, h.Upper.Bitmaps[1] = 4, 1
	h.Put(b)
	b[29] = 8 // a level counter behind the first extension
	if problem := new(Header).ReadDeep(b[:DeepPayloadLen(4)], 0); problem != Untidy {
		t.Errorf("counters in two places: %q", problem)
	}
}

// No payload is a packet at both ports: the lengths differ, whatever the levels.
func TestOnePortEach(t *testing.T) {
	for levels := 3; levels <= MaxLevels; levels++ {
		h, b := three(), make([]byte, DeepPayloadLen(levels))
		h.Upper.Levels = uint8(levels)
		for k := range levels {
			h.SetBitmap(k, 1)
		}
		h.Put(b)
		if problem := new(Header).ReadDeep(b, 0); problem != OK {
			t.Errorf("%d levels: %q", levels, problem)
		}
		if problem := new(Header).Read(b, 0); problem != Oversized {
			t.Errorf("%d levels at the port of two: %q", levels, problem)
		}
	}
}

func drawDeep(t *rapid.T) Header {
	levels := rapid.IntRange(3, MaxLevels).Draw(t, "levels")
	h := Header{
		Job: rapid.Uint8().Draw(t, "job"), Sequence: rapid.Uint32Range(1, 1<<24-1).Draw(t, "sequence"), Index: rapid.Uint16().Draw(t, "index"),
		Flags: Flags(rapid.Uint8Range(0, 63).Draw(t, "flags")) &^ EdgeSwitch,
	}
	h.Upper.Levels, h.Upper.Level = uint8(levels), rapid.Uint8Range(0, uint8(levels)).Draw(t, "level")
	if h.Upper.Level > 0 {
		h.Flags |= EdgeSwitch
	}
	for k := range levels {
		h.SetBitmap(k, rapid.Uint32Min(1).Draw(t, "bitmap"))
		h.SetFanIn(k, rapid.IntRange(1, 32).Draw(t, "fan-in"))
	}
	return h
}

// Every header comes back as it was, with each level in a place of its own.
func TestDeepRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawDeep(t)
		b := make([]byte, h.Len())
		h.Put(b)
		var got Header
		if problem := got.ReadDeep(b, 4*Values); problem != OK || got != h {
			t.Fatalf("%+v comes back as %+v %q", h, got, problem)
		}
		k := rapid.IntRange(0, h.Levels()-1).Draw(t, "level")
		got.SetBitmap(k, ^h.Bitmap(k))
		got.SetFanIn(k, h.FanIn(k)%32+1)
		for other := range h.Levels() {
			if same := got.Bitmap(other) == h.Bitmap(other) && got.FanIn(other) == h.FanIn(other); same != (other != k) {
				t.Fatalf("level %d changes with level %d", other, k)
			}
		}
	})
}

// Level after level a packet climbs past the last; with two levels the flag is all that says so.
func TestClimb(t *testing.T) {
	h := three()
	h.Flags, h.Upper.Level = 0, 0
	for k := range 3 {
		if h.Next() != k || h.Flags.Has(EdgeSwitch) != (k > 0) {
			t.Errorf("on its way to %d with flags %b, want %d", h.Next(), h.Flags, k)
		}
		h.Climb(k)
	}
	if h.Next() != h.Levels() {
		t.Errorf("past all levels it is on its way to %d", h.Next())
	}
	base := Header{}
	for range 3 {
		base.Climb(base.Next())
		if base.Next() != 1 || base.Flags != EdgeSwitch || base.Upper != (Upper{}) {
			t.Errorf("a base header becomes %+v", base)
		}
	}
}

func FuzzReadDeep(f *testing.F) {
	for _, g := range deepGoldens {
		f.Add(golden.Hex(f, g.hex), 4*Values)
	}
	f.Fuzz(func(t *testing.T, b []byte, unstored int) {
		var h Header
		problem := h.ReadDeep(b, max(0, unstored)%DeepPayloadLen(MaxLevels))
		if problem == Short || problem == BadLevels {
			return
		}
		again := make([]byte, h.Len())
		h.Put(again)
		if same := bytes.Equal(again, b[:h.Len()]); problem == OK && !same {
			t.Errorf("% x is put as % x", b[:h.Len()], again)
		}
	})
}
