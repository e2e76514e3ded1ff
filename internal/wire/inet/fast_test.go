package inet

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

// The short ways give what the long ones give.

func TestPlainUDPIsParsedAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.IntRange(0, 100).Draw(t, "body")
		h := UDPHeader(labFlow())
		SetUDPBody(h, body)
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			at := rapid.SampledFrom([]int{0, 12, 13, 14, 15, 16, 17, 20, 21, 22, 23, 26, 37, 38, 39}).Draw(t, "at")
			h[at] = rapid.Byte().Draw(t, "byte")
		}
		h = h[:rapid.SampledFrom([]int{42, 42, 42, 41, 34, 13}).Draw(t, "header")]
		if rapid.IntRange(0, 9).Draw(t, "longer") == 0 {
			h = append(h, 0)
		}
		n := UDPHeaders + body + rapid.IntRange(-1, 20).Draw(t, "padding")
		fast, problem := ParseHeader(h, n)
		slow, want := parseAny(h, n)
		if problem != want || problem == OK && fast != slow {
			t.Fatalf("%x of %d bytes: %+v %q, want %+v %q", h, n, fast, problem, slow, want)
		}
		if _, ok := plainUDP(h, n); ok && want != OK {
			t.Fatalf("%x of %d bytes is taken for plain UDP: %s", h, n, want)
		}
	})
}

func TestCopyUDPHeader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flow := labFlow()
		flow.SrcPort, flow.DstPort = rapid.Uint16().Draw(t, "from"), rapid.Uint16().Draw(t, "to")
		var src [4]byte
		binary.BigEndian.PutUint32(src[:], rapid.Uint32().Draw(t, "source"))
		flow.Src = netip.AddrFrom4(src)
		template := UDPHeader(flow)
		n, m := rapid.IntRange(0, 65507).Draw(t, "body"), rapid.IntRange(0, 65507).Draw(t, "another")
		got := bytes.Repeat([]byte{0xee}, UDPHeaders)
		CopyUDPHeader(got, template, n)
		if want := partial(template, n); !bytes.Equal(got, want) {
			t.Fatalf("body of %d: got %x\nwant %x", n, got, want)
		}
		FitUDPHeader(got, template, m)
		if want := partial(template, m); !bytes.Equal(got, want) {
			t.Fatalf("then one of %d: got %x\nwant %x", m, got, want)
		}
	})
}

// partial is a template with a body of n bytes, by the long way.
func partial(template []byte, n int) []byte {
	h := bytes.Clone(template)
	SetUDPBody(h, n)
	UDP(h[EtherLen+IPv4Len:]).SetChecksum(PseudoSum(IPv4(h[EtherLen:]), UDPLen+n))
	return h
}

// The checksum is right whatever it was before, with options and without.
func TestRenew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ihl := rapid.SampledFrom([]int{20, 20, 24, 60}).Draw(t, "header")
		from := IPv4(rapid.SliceOfN(rapid.Byte(), ihl, ihl).Draw(t, "from"))
		from[0] = 0x40 | byte(ihl/4)
		total, id := rapid.IntRange(0, 0xffff).Draw(t, "total"), rapid.Uint16().Draw(t, "id")
		got, want := bytes.Clone(from), IPv4(bytes.Clone(from))
		IPv4(got).Renew(from, total, id)
		want.SetTotalLen(total)
		want.SetID(id)
		want.UpdateChecksum()
		if !bytes.Equal(got, want) || !want.ChecksumOK() {
			t.Fatalf("got %x\nwant %x", got, want)
		}
	})
}

func TestSrcBytes(t *testing.T) {
	if got := IPv4(UDPHeader(labFlow())[EtherLen:]).SrcBytes(); got != labFlow().Src.As4() {
		t.Errorf("%v", got)
	}
}
