package xagg

import (
	"bytes"
	"math"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/wire/inet"
)

// goldens were written down from the layout: host 32 | gradient 32 | job 16 | iteration 16 | flags 16.
var goldens = []struct {
	name string
	h    Header
	hex  string
}{
	{"every field", Header{0x01020304, 0x05060708, 0x090a, 0x0b0c, Retransmit | Result}, "01020304 05060708 090a 0b0c 0006"},
	{"end of group", Header{1, 8192, 0, 0, EndOfGroup}, "00000001 00002000 0000 0000 0001"},
	{"last of all", Header{1 << 31, math.MaxUint32, math.MaxUint16, math.MaxUint16, math.MaxUint16}, "80000000 ffffffff ffff ffff ffff"},
}

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		got := bytes.Repeat([]byte{0xdb}, HeaderLen) // Put must write every bit
		g.h.Put(got)
		if want := golden.Hex(t, g.hex); !bytes.Equal(got, want) {
			t.Errorf("%s: Put gives % x, want % x", g.name, got, want)
		}
		var h Header
		if h.Read(golden.Hex(t, g.hex)); h != g.h {
			t.Errorf("%s: Read gives %+v, want %+v", g.name, h, g.h)
		}
	}
}

// "The total Ethernet frame length of a 320-element gradient payload is 1328 bytes, and its
// goodput is 96.39%. While the goodput of a 32-element payload is only 72.73%" (§IV-A).
func TestGoodputOfThePaper(t *testing.T) {
	for n, want := range map[int]float64{320: 96.39, 32: 72.73} {
		if got := 100 * float64(4*n) / float64(FrameLen(n)); math.Abs(got-want) > 0.005 {
			t.Errorf("%d values: goodput %.3f%%, want %v%%", n, got, want)
		}
	}
	if got := FrameLen(320); got != 1328 {
		t.Errorf("320 values in a frame of %d bytes", got)
	}
}

// "The gradient packet with index 8192 is identified as the last one of a group" and "the
// [1025, 2048] interval" is one (§IV-D).
func TestGroupsOfThePaper(t *testing.T) {
	for _, end := range []uint32{1024, 2048, 8192} {
		if !EndsGroup(end, 10000) || EndsGroup(end-1, 10000) || EndsGroup(end+1, 10000) {
			t.Errorf("%d ends no group, or a neighbour does", end)
		}
	}
	if !EndsGroup(10000, 10000) || EndsGroup(9999, 10000) {
		t.Error("the tail's end is another")
	}
}

func path() Path {
	return Path{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{2, 0, 0, 0, 0, 2},
		Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2"),
	}
}

func TestFrameGolden(t *testing.T) {
	got := Frame(path(), Header{Host: 2, Gradient: 3, Job: 4, Iteration: 5, Flags: EndOfGroup}, []int32{1, -1, math.MinInt32})
	// Length 20+14+12 = 46 = 0x2e; 4500+2e+40fd+a00+1+a00+2 = 9a2e, whose complement is 65d1.
	want := golden.Hex(t, "020000000002 020000000001 0800 4500002e 00000000 40fd 65d1 0a000001 0a000002"+
		"00000002 00000003 0004 0005 0001 00000001 ffffffff 80000000")
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

// Every frame is ours, has its size and no other, and its parts come back.
func TestFrameRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Header{
			Host: 1 << rapid.IntRange(0, MaxHosts-1).Draw(t, "host"), Gradient: rapid.Uint32().Draw(t, "gradient"),
			Job: rapid.Uint16().Draw(t, "job"), Iteration: rapid.Uint16().Draw(t, "iteration"), Flags: Flags(rapid.Uint16().Draw(t, "flags")),
		}
		values := rapid.SliceOfN(rapid.Int32(), MinValues, MaxValues).Draw(t, "values")
		frame := Frame(path(), h, values)
		if !Ours(frame) || !Sized(frame, len(values)) || Sized(frame, len(values)-1) || Sized(frame, len(values)+1) {
			t.Fatalf("a frame of %d values is not taken for one", len(values))
		}
		if !Sized(append(slices.Clone(frame), 0, 0), len(values)) || Sized(frame[:len(frame)-1], len(values)) {
			t.Fatal("padding counts, or a missing byte does not")
		}
		if l, problem := inet.Parse(frame); problem != inet.OK || l.Proto != Protocol {
			t.Fatalf("IPv4 is malformed: %s", problem)
		}
		var got Header
		got.Read(frame[HeaderOffset:])
		back := make([]int32, len(values))
		ReadValues(back, frame[ValuesOffset:])
		if got != h || !slices.Equal(back, values) {
			t.Fatalf("%+v comes back as %+v", h, got)
		}
	})
}

func TestOthersAreNotOurs(t *testing.T) {
	for name, change := range map[string]func(f []byte) []byte{
		"ARP":           func(f []byte) []byte { f[13] = 6; return f },
		"IPv6":          func(f []byte) []byte { f[14] = 0x65; return f },
		"IP options":    func(f []byte) []byte { f[14] = 0x46; return f },
		"first of more": func(f []byte) []byte { f[20] = 0x20; return f },
		"a fragment":    func(f []byte) []byte { f[21] = 1; return f },
		"UDP":           func(f []byte) []byte { f[23] = 17; return f },
		"half a header": func(f []byte) []byte { return f[:33] },
		"nothing":       func([]byte) []byte { return nil },
	} {
		if Ours(change(Frame(path(), Header{}, make([]int32, MinValues)))) {
			t.Errorf("%s is taken for XAgg", name)
		}
	}
	f := Frame(path(), Header{}, make([]int32, MinValues))
	if f[20] = 0x40; !Ours(f) {
		t.Error("don't fragment makes a fragment")
	}
}

func TestOneHot(t *testing.T) {
	for host, want := range map[uint32]bool{0: false, 1: true, 3: false, 1 << 31: true, math.MaxUint32: false, 0x80000001: false} {
		if OneHot(host) != want {
			t.Errorf("%#x: %v", host, !want)
		}
	}
}

func TestHas(t *testing.T) {
	if f := EndOfGroup | Result; !f.Has(Result) || f.Has(Retransmit) || f.Has(Result|Retransmit) {
		t.Error("flags have others than they have")
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(Frame(path(), goldens[0].h, make([]int32, MinValues)), MinValues)
	f.Add(Frame(path(), goldens[2].h, make([]int32, MaxValues)), MaxValues)
	f.Fuzz(func(t *testing.T, frame []byte, n int) {
		if n = MinValues + int(uint(n)%(MaxValues-MinValues+1)); !Ours(frame) || !Sized(frame, n) {
			return
		}
		var h Header
		h.Read(frame[HeaderOffset:])
		again := make([]byte, HeaderLen)
		if h.Put(again); !bytes.Equal(again, frame[HeaderOffset:ValuesOffset]) {
			t.Errorf("% x is put as % x", frame[HeaderOffset:ValuesOffset], again)
		}
	})
}
