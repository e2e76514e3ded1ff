package roce

import (
	"bytes"
	"encoding/hex"
	"math/bits"
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/wire/inet"
)

func flow() inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{2, 0, 0, 0, 0, 2},
		Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.254"), SrcPort: Port, DstPort: Port,
	}
}

// frame returns header and UDP payload of a packet, sealed.
func frame(p Packet, payload []byte) (header, body []byte) {
	body = make([]byte, p.Headers()+len(payload)+ICRCLen)
	copy(p.Put(body), payload)
	header = inet.UDPHeader(flow())
	inet.SetUDPBody(header, len(body))
	Seal(header, body)
	return header, body
}

func drawPacket(t *rapid.T) Packet {
	p := Packet{
		Opcode:    Opcode(rapid.IntRange(int(WriteFirst), int(WriteOnlyImmediate)).Draw(t, "opcode")),
		QueuePair: rapid.Uint32Max(MaxQueuePair).Draw(t, "queue pair"), PSN: PSN(rapid.Uint32Max(uint32(MaxPSN)).Draw(t, "psn")),
	}
	if p.Opcode.Begins() {
		p.RETH = RETH{rapid.Uint64().Draw(t, "address"), rapid.Uint32().Draw(t, "key"), rapid.Uint32().Draw(t, "length")}
	}
	if p.Opcode.Immediate() {
		p.Immediate = rapid.Uint32().Draw(t, "immediate")
	}
	return p
}

func drawWords(t *rapid.T) []byte {
	return rapid.SliceOfN(rapid.Byte(), 0, 80).Filter(func(b []byte) bool { return len(b)%4 == 0 }).Draw(t, "payload")
}

// What was written is read, and the ICRC is right.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, payload := drawPacket(t), drawWords(t)
		header, body := frame(want, payload)
		var got Packet
		if problem := got.Read(body, 0); problem != OK {
			t.Fatal(problem)
		}
		if !bytes.Equal(got.Payload, payload) || !Check(header, body) {
			t.Fatalf("payload %x, want %x; ICRC right: %v", got.Payload, payload, Check(header, body))
		}
		got.Payload = nil
		if got.Opcode != want.Opcode || got.QueuePair != want.QueuePair || got.PSN != want.PSN || got.RETH != want.RETH || got.Immediate != want.Immediate {
			t.Fatalf("read %+v, want %+v", got, want)
		}
	})
}

// A packet of each kind, for a person to review.
func TestFrames(t *testing.T) {
	var out bytes.Buffer
	for i, p := range []Packet{
		{Opcode: WriteFirst, QueuePair: 0x800001, PSN: 0xfffffe, RETH: RETH{0x4000, 7, 12}},
		{Opcode: WriteMiddle, QueuePair: 0x800001, PSN: 0xffffff},
		{Opcode: WriteLastImmediate, QueuePair: 0x800001, PSN: 0, Immediate: 0x0102f680},
		{Opcode: WriteOnlyImmediate, QueuePair: 0x123456, PSN: 0x654321, RETH: RETH{1, 2, 4}, Immediate: 3},
	} {
		header, body := frame(p, []byte{0, 0, 0, byte(i)})
		out.WriteString(hex.EncodeToString(header[inet.EtherLen:]) + "\n  " + hex.EncodeToString(body) + "\n")
	}
	golden.Equal(t, "frames.txt", out.String())
}

// ones returns the bytes that the ICRC covers, by the words of annex A17: the
// frame with what may change on its way replaced by ones.
func ones(header, body []byte) []byte {
	b := bytes.Repeat([]byte{0xff}, 8)
	b = append(append(b, header[inet.EtherLen:]...), body[:len(body)-ICRCLen]...)
	for _, at := range []int{1, 8, 10, 11, 26, 27, 32} { // from the IP header on
		b[8+at] = 0xff
	}
	return b
}

// crc is CRC-32 bit by bit: the polynomial of Ethernet (IEEE 802.3 §3.2.9), most
// significant bit first over bytes that are sent least significant bit first.
func crc(b []byte) uint32 {
	r := ^uint32(0)
	for _, x := range b {
		for i := range 8 {
			in := uint32(x>>i&1) ^ r>>31
			r = r<<1 ^ in*0x04c11db7
		}
	}
	return bits.Reverse32(^r)
}

// The ICRC is that of the specification; what routers change does not matter to
// it, and everything else does.
func TestICRC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		header, body := frame(drawPacket(t), drawWords(t))
		want := crc(ones(header, body))
		for i, b := range body[len(body)-ICRCLen:] { // sent as Ethernet's: lowest byte first
			if b != byte(want>>(8*i)) {
				t.Fatalf("ICRC %x, want %08x, lowest byte first", body[len(body)-ICRCLen:], want)
			}
		}
		all := append(bytes.Clone(header), body...)
		at := rapid.IntRange(inet.EtherLen, len(all)-1).Draw(t, "byte")
		all[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		changed := all[:len(header)]
		free := map[int]bool{15: true, 22: true, 24: true, 25: true, 40: true, 41: true, 46: true}
		lengths := map[int]bool{16: true, 17: true, 38: true, 39: true} // taken from the body
		if got := Check(changed, all[len(header):]); got != (free[at] || lengths[at]) {
			t.Fatalf("byte %d changed on the way: right %v", at, got)
		}
	})
}

func TestProblems(t *testing.T) {
	_, whole := frame(Packet{Opcode: WriteOnlyImmediate}, make([]byte, 8))
	with := func(at int, v byte) []byte { b := bytes.Clone(whole); b[at] = v; return b }
	for _, c := range []struct {
		name     string
		b        []byte
		unstored int
		want     Problem
	}{
		{"whole", whole, 0, OK},
		{"all but the payload", whole[:BTHLen+RETHLen+ImmDtLen+ICRCLen], 0, OK},
		{"no ICRC", whole[:BTHLen+RETHLen+ImmDtLen], 0, Short},
		{"half a header", whole[:BTHLen-1], 0, Short},
		{"nothing", nil, 0, Short},
		{"a version to come", with(1, 1), 0, BadVersion},
		{"a send", with(0, 0x24), 0, BadOpcode},
		{"a write on a reliable connection", with(0, 0x0a), 0, BadOpcode},
		{"another partition", with(3, 0xfe), 0, BadPartition},
		{"half a word", whole[:len(whole)-2], 0, BadPadding},
		{"half a word, the rest unstored", whole[:len(whole)-2], 2, OK},
		{"filled up", with(1, 3<<4), 0, OK},
		{"filled up with what is not there", append(with(1, 3<<4)[:32:32], 0, 0, 0, 0), 0, BadPadding},
	} {
		var p Packet
		if got := p.Read(c.b, c.unstored); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	var p Packet
	if p.Read(with(1, 3<<4), 4); len(p.Payload) != 5 || p.Len() != 9 {
		t.Errorf("payload of %d bytes, %d with those unstored, want 5 and 9", len(p.Payload), p.Len())
	}
}

func TestOpcodes(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for i := range n {
			o := Write(i, n)
			if o.Begins() != (i == 0) || o.Ends() != (i == n-1) || o.Immediate() != (i == n-1) {
				t.Errorf("packet %d of %d is %#x", i, n, o)
			}
		}
	}
}

// Numbers wrap, and are compared over the shorter way.
func TestPSN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := PSN(rapid.Uint32Max(uint32(MaxPSN)).Draw(t, "psn"))
		n := rapid.IntRange(-1<<23, 1<<23-1).Draw(t, "later")
		q := p.Add(n)
		if q > MaxPSN || q.Since(p) != n {
			t.Fatalf("%d after %#x is %#x, which is %d after", n, p, q, q.Since(p))
		}
	})
}

func FuzzRead(f *testing.F) {
	_, body := frame(Packet{Opcode: WriteFirst, RETH: RETH{1, 2, 3}}, make([]byte, 16))
	f.Add(body, 0)
	_, body = frame(Packet{Opcode: WriteLastImmediate}, nil)
	f.Add(body, 1024)
	f.Fuzz(func(t *testing.T, b []byte, unstored int) {
		var p Packet
		if problem := p.Read(b, max(0, unstored)); problem != OK {
			return
		}
		if n := p.Headers() + len(p.Payload) + ICRCLen; n > len(b) || len(b)-n > 3 {
			t.Fatalf("%d bytes read of %d", n, len(b))
		}
		Check(inet.UDPHeader(flow()), b)
	})
}

// The base transport header keeps what is put into it, whatever the operation.
func TestBTH(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := BTH(rapid.SliceOfN(rapid.Byte(), BTHLen, BTHLen).Draw(t, "before"))
		op, pad := Opcode(rapid.Byte().Draw(t, "opcode")), rapid.IntRange(0, 3).Draw(t, "pad")
		pair, psn, ask := rapid.Uint32Max(MaxQueuePair).Draw(t, "queue pair"), PSN(rapid.Uint32Max(uint32(MaxPSN)).Draw(t, "psn")), rapid.Bool().Draw(t, "ask")
		b.Put(op, pad, pair, ask, psn)
		if b.Opcode() != op || b.Pad() != pad || b.Version() != 0 || b.QueuePair() != pair || b.PSN() != psn || b.Asks() != ask || !b.defaultPartition() {
			t.Fatalf("%x", []byte(b))
		}
	})
}

// A PSN stands for the count nearest to another, on either side of a wrap.
func TestNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count, d := rapid.Uint64Range(0, 1<<40).Draw(t, "count"), rapid.Int64Range(-1<<23, 1<<23-1).Draw(t, "away")
		want := int64(count) + d
		if got := (PSN(want) & MaxPSN).Near(count); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}
