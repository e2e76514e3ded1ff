package trio

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
)

// onward sends every packet on its way, IPv4 with another source and one hop less.
const onward = `
struct ether_ip_t { : 96; etype_ver : 20; };
virtual ether_ip_t *ether_ip = HEAD_START;
packet entry start;
start: begin if (ether_ip->etype_ver != 0x08004) goto pass; end
begin pkt->ip.ttl = pkt->ip.ttl - 1; pkt->ip.src = 0x0a636363; end
pass: begin Forward(0); exit; end`

func newOnward(t rapid.TB, timing *Timing) *bench {
	t.Helper()
	return newBench(t, Config{
		Program: compile(t, "onward", onward), Timing: timing,
		Wants: dataplane.Wants{Transit: true}, NextHops: []NextHop{{Index: 0, Back: true}},
	})
}

var onwardFrom = netip.MustParseAddr("10.99.99.99")

// drawTransit makes a train of any kind, whose checksums are right or partial.
func drawTransit(rt *rapid.T) sansio.Train {
	f := inet.Flow{
		SrcMAC: inet.MAC{1}, DstMAC: inet.MAC{2}, SrcPort: 7, DstPort: uint16(rapid.IntRange(1, 3).Draw(rt, "port")),
		Src: netip.AddrFrom4([4]byte{10, 0, 0, 1}), Dst: netip.AddrFrom4([4]byte{10, 0, 0, 2}),
	}
	h, set, sums := inet.UDPHeader(f), inet.SetUDPBody, []string{"partial", "full", "none"}
	if rapid.Bool().Draw(rt, "tcp") {
		h, set, sums = inet.TCPHeader(f, 12), inet.SetTCPBody, sums[:2]
		inet.TCP(h[inet.EtherLen+inet.IPv4Len:]).SetFlags(inet.TCPPsh | inet.TCPAck)
	}
	body := rapid.SliceOfN(rapid.Byte(), 1, 1500).Draw(rt, "body")
	set(h, len(body))
	t := sansio.Train{Header: h, Body: body}
	switch rapid.SampledFrom(sums).Draw(rt, "sum") {
	case "partial":
		t.Checksum, t.Seg = sansio.ChecksumPartial, rapid.IntRange(50, 700).Draw(rt, "mss")
		sansio.FillPartial(h, len(body))
	case "full":
		transport := h[inet.EtherLen+inet.IPv4Len:]
		sum := inet.TransportChecksum(inet.IPv4(h[inet.EtherLen:]), transport, body)
		binary.BigEndian.PutUint16(transport[sumOffset(h):], sum)
	}
	switch rapid.SampledFrom([]string{"whole", "padded", "fragment", "other"}).Draw(rt, "kind") {
	case "padded": // as short frames are
		t.Body, t.Seg = append(t.Body, make([]byte, rapid.IntRange(1, 40).Draw(rt, "padding"))...), 0
	case "fragment":
		inet.IPv4(h[inet.EtherLen:])[6] = 0x20 // more follow
		inet.IPv4(h[inet.EtherLen:]).UpdateChecksum()
		t = sansio.Train{Header: slices.Concat(h, body)}
	case "other":
		inet.Ether(h).Put(inet.MAC{2}, inet.MAC{1}, 0x88b5)
		t = sansio.Train{Header: slices.Concat(h, body)}
	}
	return t
}

func sumOffset(h []byte) int {
	if inet.IPv4(h[inet.EtherLen:]).Protocol() == inet.ProtoTCP {
		return 16
	}
	return 6
}

// expected is a frame as onward lets it leave, with sums made anew.
func expected(t sansio.Train) (out []byte) {
	h := bytes.Clone(t.Header)
	if inet.Ether(h).Type() != inet.TypeIPv4 {
		return append(h, t.Body...)
	}
	ip := inet.IPv4(h[inet.EtherLen:])
	fragment, transport := ip.IsFragment(), h[inet.EtherLen+inet.IPv4Len:]
	end := inet.EtherLen + ip.TotalLen() - len(h)
	ip.SetTTL(ip.TTL() - 1)
	ip.SetSrc(onwardFrom)
	ip.UpdateChecksum()
	at := sumOffset(h)
	switch {
	case fragment:
	case t.Checksum == sansio.ChecksumPartial:
		sansio.FillPartial(h, end)
	case binary.BigEndian.Uint16(transport[at:]) != 0:
		binary.BigEndian.PutUint16(transport[at:], 0)
		binary.BigEndian.PutUint16(transport[at:], inet.TransportChecksum(ip, transport, t.Body[:end]))
	}
	return append(h, t.Body...)
}

// Frames of every kind, alone and in trains, leave by the port that they came by, in order,
// byte for byte but for what the program has changed, and for the sums, which are right.
func TestOnward(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var timing *Timing
		if rapid.Bool().Draw(rt, "timed") {
			timing = timed()
		}
		b := newOnward(rt, timing)
		var in []sansio.Arrival
		want := map[sansio.Port][]string{}
		for i := range rapid.IntRange(1, 6).Draw(rt, "trains") {
			a := sansio.Arrival{Port: dataplane.Inbound(sansio.Port(i)), Train: drawTransit(rt)} // a flow that changes its port changes its order
			for f := range a.Train.Frames() {
				want[a.Port] = append(want[a.Port], string(expected(a.Train.Frame(f, nil))))
			}
			in = append(in, a)
		}
		got := map[sansio.Port][]string{}
		for _, s := range b.handle(in...).idle().take() {
			got[s.port] = append(got[s.port], s.frame)
		}
		for port, frames := range want {
			if !slices.Equal(got[port], frames) {
				rt.Fatalf("by port %d leave\n%x\nwant\n%x", port, got[port], frames)
			}
		}
		if len(got) != len(want) {
			rt.Fatalf("frames leave by %d ports, want %d", len(got), len(want))
		}
	})
}

// Frames that the program lets pass unchanged stay one train in instant mode.
func TestOnwardKeepsTrains(t *testing.T) {
	b := newBench(t, Config{Program: compile(t, "any", "packet entry start;\nstart: begin Forward(0); exit; end"), Wants: dataplane.Wants{Transit: true}, NextHops: []NextHop{{Back: true}}})
	in := train(1, payload(0, 9, 0, 100), payload(0, 9, 0, 100), payload(0, 9, 0, 50))
	in.Port = dataplane.Inbound(4)
	b.p.Handle(0, []sansio.Arrival{in}, &b.eff)
	if len(b.eff.Sends) != 1 || b.eff.Sends[0].Train.Frames() != 3 || b.eff.Sends[0].To[0] != in.Port {
		t.Errorf("sent %+v, want one train by port %d", b.eff.Sends, in.Port)
	}
}

// What a thread creates for a packet may go its way, too; what a timer's thread creates
// came by no port, and is dropped.
func TestOnwardOfCreatedPackets(t *testing.T) {
	const echo = `
register timer_work_t t_work @ WORK_REGISTER;
packet entry start;
timer tick entry beat;
start: begin PacketCreate(60); end
begin Forward(0); exit; end
beat: begin PacketCreate(60); end
begin Forward(0); exit; end`
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{
			Program: compile(t, "echo", echo), Timing: timing, Wants: dataplane.Wants{Leaving: true},
			Timers: []Timer{{Name: "tick", Period: 1000 * 1000 * 1000}}, NextHops: []NextHop{{Index: 0, Back: true}},
		})
		in := train(1, payload(0, 9, 0, 100))
		in.Port = dataplane.Outbound(4)
		got := b.handle(in).at(3 * ms).take()
		if len(got) != 1 || got[0].port != in.Port {
			t.Errorf("sent %v, want one packet by port %d", frames(got), in.Port)
		}
		if n := b.count(DropNextHop); n < 2 {
			t.Errorf("%d packets of timers dropped", n)
		}
	})
}

// A sum that was wrong stays wrong by as much, and one that the program writes stays.
func TestSumsAreAdjusted(t *testing.T) {
	// residue is what a sum over all leaves, and all ones where the checksum is right.
	residue := func(frame []byte) uint16 {
		return inet.Fold(inet.Sum(frame[34:], uint64(inet.PseudoSum(inet.IPv4(frame[14:34]), len(frame)-34))))
	}
	modes(t, func(t *testing.T, timing *Timing) {
		in := train(1, payload(0, 9, 0, 100))
		in.Train.Checksum = sansio.ChecksumAsIs
		inet.UDP(in.Train.Header[34:]).SetChecksum(0x4321)
		for change, sum := range map[string]uint16{"pkt->ip.dst = 1;": 0, "pkt->ip.dst = 1; pkt->udp.sum = 0x1234;": 0x1234} {
			b := newBench(t, Config{
				Program: compile(t, "sums", "packet entry start;\nstart: begin "+change+" end\nbegin Forward(0); exit; end"), Timing: timing,
				NextHops: []NextHop{{Back: true}},
			})
			got := b.handle(in).idle().take()
			if len(got) != 1 {
				t.Fatalf("sent %v", frames(got))
			}
			frame := []byte(got[0].frame)
			if sum == 0 && residue(frame) != residue([]byte(frameOf(in))) {
				t.Errorf("%s a sum leaves %04x, before %04x", change, residue(frame), residue([]byte(frameOf(in))))
			}
			if is := binary.BigEndian.Uint16(frame[40:]); sum != 0 && is != sum {
				t.Errorf("%s the sum is %04x", change, is)
			}
		}
	})
}
