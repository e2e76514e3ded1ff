package inet

import (
	"bytes"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
)

// A SYN as Linux sends it, without the option for selective acknowledgements.
func TestTCPHeaderGolden(t *testing.T) {
	o := TCPOptions{MSS: 1460, HasTimestamps: true, TSVal: 0x01020304, TSEcr: 0x05060708, HasWindowScale: true, WindowScale: 7}
	h := TCPHeader(labFlow(), o.Len())
	tcp := TCP(h[EtherLen+IPv4Len:])
	tcp.SetSeq(0xaabbccdd)
	tcp.SetAck(0x11223344)
	tcp.SetFlags(TCPSyn | TCPAck)
	tcp.SetWindow(0xfffe)
	o.Put(tcp[TCPLen:])
	SetTCPBody(h, 0)
	sum := TransportChecksum(IPv4(h[EtherLen:]), tcp, nil)
	tcp.SetChecksum(sum)
	want := golden.Hex(t, `0200 0000 0002 0200 0000 0001 0800
		4500 003c 0000 4000 4006 26b8 0a01 0001 0a01 0002
		1234 5678 aabb ccdd 1122 3344 a012 fffe 022e 0000
		0204 05b4 0101 080a 0102 0304 0506 0708 0103 0307`)
	if !bytes.Equal(h, want) {
		t.Errorf("got  %x\nwant %x", h, want)
	}
	if !IPv4(h[EtherLen:]).ChecksumOK() || !tcp.ChecksumOK(IPv4(h[EtherLen:]), nil) || binary.BigEndian.Uint16(tcp[16:]) != sum {
		t.Error("checksums wrong")
	}
	if l, problem := Parse(h); problem != OK || l.Body != len(h) || FlowOf(h, l) != labFlow() {
		t.Errorf("layout %+v, %s", l, problem)
	}
	if got, ok := tcp.Options(); !ok || got != o {
		t.Errorf("options %+v, %v", got, ok)
	}
	if tcp.Ack() != 0x11223344 || tcp.Flags() != TCPSyn|TCPAck || tcp.Window() != 0xfffe {
		t.Errorf("acknowledgement %#x, flags %#x, window %#x", tcp.Ack(), tcp.Flags(), tcp.Window())
	}
}

func TestTCPChecksumCoversBody(t *testing.T) {
	h := TCPHeader(labFlow(), 0)
	body := []byte("an odd number of bytes.")
	SetTCPBody(h, len(body))
	ip, tcp := IPv4(h[EtherLen:]), TCP(h[EtherLen+IPv4Len:])
	tcp.SetChecksum(TransportChecksum(ip, tcp, body))
	if ip.TotalLen() != 40+len(body) || !tcp.ChecksumOK(ip, body) {
		t.Fatalf("length %d, checksum ok: %v", ip.TotalLen(), tcp.ChecksumOK(ip, body))
	}
	body[7] ^= 1
	if tcp.ChecksumOK(ip, body) {
		t.Error("a flipped bit goes unseen")
	}
}

func TestTCPOptionsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := TCPOptions{
			MSS: rapid.Uint16().Draw(t, "mss"), HasWindowScale: rapid.Bool().Draw(t, "scale"), HasTimestamps: rapid.Bool().Draw(t, "stamps"),
		}
		if o.HasWindowScale {
			o.WindowScale = rapid.Byte().Draw(t, "shift")
		}
		if o.HasTimestamps {
			o.TSVal, o.TSEcr = rapid.Uint32().Draw(t, "value"), rapid.Uint32().Draw(t, "echo")
		}
		h := TCPHeader(labFlow(), o.Len())
		tcp := TCP(h[EtherLen+IPv4Len:])
		o.Put(tcp[TCPLen:])
		if got, ok := tcp.Options(); !ok || got != o || tcp.HeaderLen() != TCPLen+o.Len() {
			t.Fatalf("%+v became %+v, %v", o, got, ok)
		}
	})
}

func TestTCPOptionsMalformed(t *testing.T) {
	for name, c := range map[string]struct {
		options string
		want    TCPOptions
		ok      bool
	}{
		"none after the end":     {"0002 05b4", TCPOptions{}, true},
		"unknown kind":           {"fd03 ff01 0204 05b4", TCPOptions{MSS: 1460}, true},
		"nothing but padding":    {"0101 0101", TCPOptions{}, true},
		"no length":              {"0101 0102", TCPOptions{}, false},
		"length zero":            {"0200 05b4", TCPOptions{}, false},
		"length one":             {"0201 05b4", TCPOptions{}, false},
		"beyond the header":      {"0205 05b4", TCPOptions{}, false},
		"short MSS":              {"0203 0501", TCPOptions{}, false},
		"long scale":             {"0304 0707", TCPOptions{}, false},
		"short timestamps":       {"0809 0000 0000 0000 0001 0101", TCPOptions{}, false},
		"good, then a bad one":   {"0204 05b4 0300 0000", TCPOptions{MSS: 1460}, false},
		"scale with its padding": {"0103 030e", TCPOptions{HasWindowScale: true, WindowScale: 14}, true},
	} {
		b := golden.Hex(t, c.options)
		tcp := TCP(append(TCPHeader(labFlow(), len(b))[EtherLen+IPv4Len:][:TCPLen:TCPLen], b...))
		if got, ok := tcp.Options(); got != c.want || ok != c.ok {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}
