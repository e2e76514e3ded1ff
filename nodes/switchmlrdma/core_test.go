package switchmlrdma_test

import (
	"encoding/binary"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchmlrdma"
)

// bench is one core, whose packets are taken apart and whose results are made here.
type bench struct {
	t    *testing.T
	core *switchmlrdma.Core
	cfg  switchmlrdma.Config
	eff  sansio.Effects
}

func newBench(t *testing.T, change func(*switchmlrdma.Config)) *bench {
	t.Helper()
	p := params{n: 2, tensor: 6 * 3 * elements, packets: 3, queues: 2}
	b := &bench{t: t, cfg: p.core(0)}
	change(&b.cfg)
	var err error
	if b.core, err = switchmlrdma.New(b.cfg); err != nil {
		t.Fatal(err)
	}
	for d := b.eff.Body(1 << 15); len(d) > 0; d = d[1:] {
		d[0] = 0xdb // memory was used before
	}
	b.eff.Reset()
	return b
}

// sent returns the packets that were sent, and resets the effects.
func (b *bench) sent() (out []roce.Packet) {
	b.t.Helper()
	for _, s := range b.eff.Sends {
		for f := range s.Train.Frames() {
			var p roce.Packet
			if problem := p.Read(slices.Clone(s.Train.Payload(f)), s.Train.Unstored); problem != roce.OK {
				b.t.Fatal(problem)
			}
			out = append(out, p)
		}
	}
	b.eff.Reset()
	return out
}

// packet is packet i of the three of a result on queue pair q; its values are all v.
func (b *bench) packet(i, q int, psn roce.PSN, imm uint32) roce.Packet {
	return roce.Packet{
		Opcode: roce.Write(i, 3), QueuePair: b.cfg.QPN + uint32(q), PSN: psn, Immediate: imm,
		RETH: roce.RETH{Address: uint64(q * 3 * 4 * elements), Key: b.cfg.Key, Length: 3 * 4 * elements},
	}
}

// hand hands packets over whose values are all v.
func (b *bench) hand(now units.Time, v int32, packets ...roce.Packet) {
	for _, p := range packets {
		b.core.Handle(now, []sansio.Arrival{arrival(p, v, elements)}, &b.eff)
	}
}

func arrival(p roce.Packet, v int32, values int) sansio.Arrival {
	body := make([]byte, p.Headers()+4*values+roce.ICRCLen)
	for payload := p.Put(body); len(payload) > 0; payload = payload[4:] {
		binary.BigEndian.PutUint32(payload, uint32(v))
	}
	header := inet.UDPHeader(flowOf(0).Reverse())
	inet.SetUDPBody(header, len(body))
	roce.Seal(header, body)
	return sansio.Arrival{Train: sansio.Train{Header: header, Body: body}}
}

// A message is its block in packets: where it goes in the pool and in memory stands
// in the first, its number and the exponent of the next in the last.
func TestMessages(t *testing.T) {
	b := newBench(t, func(*switchmlrdma.Config) {})
	grad := make([]float32, b.cfg.Tensor)
	for block, v := range []float32{1, 0.25, 100} { // 2^e above: 1, -1, 7
		grad[block*3*elements+5] = -v
	}
	b.core.Begin(0, 0, grad, &b.eff)
	first := b.sent()
	if len(first) != 6 {
		t.Fatalf("%d packets", len(first))
	}
	for i, p := range first {
		q, k := i/3, i%3
		want := roce.Packet{Opcode: roce.Write(k, 3), QueuePair: b.cfg.PeerQPN + uint32(q), PSN: b.cfg.PSN.Add(k)}
		if k == 0 {
			want.RETH = roce.RETH{Address: uint64(q * 768), Key: uint32(6 * q), Length: 768}
		}
		if k == 2 {
			want.Immediate = 1<<16 | uint32(uint8([]int8{1, -1}[q]))<<8
		}
		if slices.ContainsFunc(p.Payload, func(b byte) bool { return b != 0 }) || len(p.Payload) != 4*elements {
			t.Errorf("packet %d carries %x", i, p.Payload)
		}
		p.Payload = nil
		if p.Opcode != want.Opcode || p.QueuePair != want.QueuePair || p.PSN != want.PSN || p.RETH != want.RETH || p.Immediate != want.Immediate {
			t.Errorf("packet %d is %+v, want %+v", i, p, want)
		}
	}
	imm := uint32(1<<16 | 1<<8)
	b.hand(0, 0, b.packet(0, 0, 9, 0), b.packet(1, 0, 10, 0), b.packet(2, 0, 11, imm))
	next := b.sent()
	if len(next) != 3 || next[0].RETH.Key != 1 || next[0].PSN != b.cfg.PSN.Add(3) || next[2].Immediate != 2<<16|7<<8 {
		t.Fatalf("the second message is %+v", next)
	}
	f := gradient.BlockFactor(2, 1)
	if got, want := int32(binary.BigEndian.Uint32(next[0].Payload[4*5:])), int32(math.RoundToEven(-f)); got != want {
		t.Errorf("value -1 is sent as %d, want %d", got, want)
	}
}

// The card takes a message only whole and in sequence, and takes up any PSN with a
// first packet (App B).
func TestCard(t *testing.T) {
	const imm = 1 << 16
	for _, c := range []struct {
		name  string
		psns  []roce.PSN // of the packets, and which they are
		which []int
		whole bool
		want  map[string]int
	}{
		{"in sequence", []roce.PSN{5, 6, 7}, []int{0, 1, 2}, true, nil},
		{"numbers wrap", []roce.PSN{roce.MaxPSN, 0, 1}, []int{0, 1, 2}, true, nil},
		{"a gap", []roce.PSN{5, 7}, []int{0, 2}, false, map[string]int{switchmlrdma.DropSequence: 1, switchmlrdma.CountCut: 1}},
		{"a gap, then the missing one", []roce.PSN{5, 7, 6, 7}, []int{0, 2, 1, 2}, false, map[string]int{switchmlrdma.DropSequence: 3}},
		{"a copy inside", []roce.PSN{5, 6, 6, 7}, []int{0, 1, 1, 2}, false, map[string]int{switchmlrdma.DropSequence: 2}},
		{"begun again", []roce.PSN{5, 6, 40, 41, 42}, []int{0, 1, 0, 1, 2}, true, map[string]int{switchmlrdma.CountCut: 1}},
		{"begun again with numbers from before", []roce.PSN{5, 6, 1, 2, 3}, []int{0, 1, 0, 1, 2}, true, nil},
		{"no beginning", []roce.PSN{6, 7}, []int{1, 2}, false, map[string]int{switchmlrdma.DropSequence: 2}},
		{"too short", []roce.PSN{5, 6}, []int{0, 2}, false, map[string]int{switchmlrdma.DropLength: 1}},
		{"too long", []roce.PSN{5, 6, 7, 8}, []int{0, 1, 1, 2}, false, map[string]int{switchmlrdma.DropLength: 1, switchmlrdma.DropSequence: 1}},
	} {
		b := newBench(t, func(c *switchmlrdma.Config) { c.Integers = true })
		b.core.BeginInts(0, 0, make([]int32, b.cfg.Tensor), &b.eff)
		b.sent()
		for i, psn := range c.psns {
			b.hand(0, 9, b.packet(c.which[i], 0, psn, imm))
		}
		if whole := len(b.sent()) == 3; whole != c.whole || whole != (b.core.Sums()[0] == 9) {
			t.Errorf("%s: whole %v, first sum %d", c.name, whole, b.core.Sums()[0])
		}
		for name, n := range c.want {
			if got := count(b.core, name); got != n {
				t.Errorf("%s: %s is %d, want %d", c.name, name, got, n)
			}
		}
	}
}

// What is not for the message on its way changes nothing.
func TestBadResults(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		change       func(p *roce.Packet)
	}{
		{"another queue pair", switchmlrdma.DropForeign, func(p *roce.Packet) { p.QueuePair += 2 }},
		{"a queue pair below", switchmlrdma.DropForeign, func(p *roce.Packet) { p.QueuePair = 1<<24 - 1 }},
		{"another's memory", switchmlrdma.DropAccess, func(p *roce.Packet) { p.RETH.Key++ }},
		{"behind the memory", switchmlrdma.DropAccess, func(p *roce.Packet) { p.RETH.Address = 769 }},
		{"far behind the memory", switchmlrdma.DropAccess, func(p *roce.Packet) { p.RETH.Address = 1<<64 - 4 }},
		{"half a packet", switchmlrdma.DropLength, func(p *roce.Packet) { p.RETH.Length = 100 }},
		{"of no length", switchmlrdma.DropLength, func(p *roce.Packet) { p.RETH.Length = 0 }},
		{"an earlier message", switchmlrdma.DropStale, func(p *roce.Packet) { p.Immediate -= 1 << 16 }},
		{"a later message", switchmlrdma.DropStale, func(p *roce.Packet) { p.Immediate += 1 << 16 }},
	} {
		b := newBench(t, func(c *switchmlrdma.Config) { c.Integers = true })
		b.core.BeginInts(0, 0, make([]int32, b.cfg.Tensor), &b.eff)
		b.sent()
		for i := range 3 {
			p := b.packet(i, 0, roce.PSN(i), 1<<16)
			c.change(&p)
			b.hand(0, 9, p)
		}
		if n := len(b.sent()); n != 0 || count(b.core, c.reason) == 0 || b.core.Sums()[0] != 0 {
			t.Errorf("%s: %d packets follow; %v", c.name, n, b.core.Counters())
		}
	}
	b := newBench(t, func(*switchmlrdma.Config) {})
	spoilt := arrival(b.packet(0, 0, 0, 0), 1, elements)
	spoilt.Train.Body[40] ^= 1
	short := arrival(b.packet(0, 0, 0, 0), 1, elements-1)
	foreign := arrival(b.packet(0, 0, 0, 0), 1, elements)
	inet.IPv4(foreign.Train.Header[inet.EtherLen:]).SetSrc(netip.MustParseAddr("10.0.0.77"))
	for reason, a := range map[string]sansio.Arrival{
		switchmlrdma.DropICRC: spoilt, switchmlrdma.DropLength: short, switchmlrdma.DropForeign: foreign,
		string(roce.Short): {Train: sansio.Train{Header: foreign.Train.Header[:0:0], Body: nil}},
	} {
		if reason == string(roce.Short) {
			a = arrival(b.packet(0, 0, 0, 0), 1, elements)
			a.Train.Body = a.Train.Body[:10]
			inet.SetUDPBody(a.Train.Header, 10)
		}
		before := count(b.core, reason)
		b.core.Handle(0, []sansio.Arrival{a}, &b.eff)
		if count(b.core, reason) != before+1 || len(b.eff.Sends) != 0 {
			t.Errorf("%s: %v", reason, b.core.Counters())
		}
	}
}

func TestDeadlines(t *testing.T) {
	const ms = units.Time(units.Millisecond)
	b := newBench(t, func(c *switchmlrdma.Config) { c.Timeout, c.Integers = 3*units.Millisecond, true })
	if b.core.NextDeadline() != units.Never {
		t.Error("a deadline before the first message")
	}
	b.core.BeginInts(ms, 0, make([]int32, b.cfg.Tensor), &b.eff)
	b.sent()
	b.hand(2*ms, 1, b.packet(0, 0, 0, 0), b.packet(1, 0, 1, 0), b.packet(2, 0, 2, 1<<16))
	b.sent()
	if d := b.core.NextDeadline(); d != 4*ms {
		t.Errorf("deadline %v", d)
	}
	b.core.Expire(4*ms-1, &b.eff)
	if n := len(b.sent()); n != 0 {
		t.Errorf("%d packets are sent too early", n)
	}
	b.core.Expire(4*ms, &b.eff)
	again := b.sent()
	if len(again) != 3 || again[0].RETH.Key != 6 || again[0].PSN != b.cfg.PSN.Add(3) || again[2].Immediate>>16 != 1 {
		t.Errorf("sent again: %+v, want the message of queue pair 1 with new numbers", again)
	}
	if d := b.core.NextDeadline(); d != 5*ms {
		t.Errorf("deadline %v, want that of queue pair 0's second message", d)
	}
	b.hand(5*ms, 1, b.packet(0, 0, 3, 0), b.packet(1, 0, 4, 0), b.packet(2, 0, 5, 2<<16))
	b.sent()
	for _, want := range []units.Time{8 * ms, 10 * ms, 14 * ms, 22 * ms} { // of queue pair 0, 1, 0, 1: 3 and 6 ms, then 6 and 12
		if d := b.core.NextDeadline(); d != want {
			t.Fatalf("deadline %v, want %v", d, want)
		}
		b.core.Expire(want, &b.eff)
		b.sent()
	}
	if w := b.core.Waiting(1); len(w) != 1 || w[0].Block != 0 || w[0].Gen != 3 {
		t.Errorf("waits for %+v", w)
	}
}

func TestBadConfigurations(t *testing.T) {
	for want, change := range map[string]func(*switchmlrdma.Config){
		"32 elements a packet":        func(c *switchmlrdma.Config) { c.Elements = 32 },
		"17 packets a message":        func(c *switchmlrdma.Config) { c.Packets = 17 },
		"0 queue pairs":               func(c *switchmlrdma.Config) { c.Queues = 0 },
		"1025 queue pairs, each with": func(c *switchmlrdma.Config) { c.Queues, c.Packets = 1025, 16 },
		"0 workers":                   func(c *switchmlrdma.Config) { c.Workers = 0 },
		"must be IPv4 addresses":      func(c *switchmlrdma.Config) { c.Flow.Dst = netip.Addr{} },
		"they have 24 bits":           func(c *switchmlrdma.Config) { c.QPN = roce.MaxQueuePair },
		`scaling "x"`:                 func(c *switchmlrdma.Config) { c.Scaling = "x" },
	} {
		p := params{n: 2, tensor: 100, packets: 3, queues: 2}
		cfg := p.core(0)
		change(&cfg)
		if _, err := switchmlrdma.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
