package trio

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// whole returns a frame with its UDP checksum filled in.
func whole(a sansio.Arrival) string {
	frame := []byte(frameOf(a))
	ip := inet.IPv4(frame[inet.EtherLen:])
	transport := frame[inet.EtherLen+inet.IPv4Len : inet.UDPHeaders]
	inet.UDP(transport).SetChecksum(0)
	inet.UDP(transport).SetChecksum(inet.TransportChecksum(ip, transport, frame[inet.UDPHeaders:]))
	return string(frame)
}

func newTunnel(t *testing.T, timing *Timing) *bench {
	var hops []NextHop
	for i := range uint32(4) {
		hops = append(hops, NextHop{Index: i, To: []sansio.Port{sansio.Port(i)}})
	}
	return newBench(t, Config{Program: program(t, "tunnel.mc"), Timing: timing, NextHops: hops})
}

// A packet that enters the tunnel has an outer header with the right length and sum and is
// otherwise as it was; when it leaves the tunnel, it is as it came, its sums filled in.
func TestTunnel(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newTunnel(t, timing)
		for _, size := range []int{0, 1, 100, 155, 156, 157, 158, 1001, 4090} {
			in := train(3, payload(0, 9, 0, size))
			want := whole(in)
			got := b.handle(in).idle().take()
			if len(got) != 1 || got[0].port != 1 {
				t.Fatalf("%d bytes: sent %v, want one frame by port 1", size, frames(got))
			}
			frame := []byte(got[0].frame)
			ip := inet.IPv4(frame[inet.EtherLen:])
			if string(frame[:inet.EtherLen]) != want[:inet.EtherLen] || string(frame[inet.EtherLen+inet.IPv4Len:]) != want[inet.EtherLen:] {
				t.Errorf("%d bytes: sent\n%x, want around the outer header\n%x", size, frame, want)
			}
			if !ip.ChecksumOK() || ip.TotalLen() != len(frame)-inet.EtherLen || ip.Protocol() != 4 || ip.Dst().String() != "10.0.0.2" {
				t.Errorf("%d bytes: outer header %x", size, frame[14:34])
			}
			back := b.handle(sansio.Arrival{Train: sansio.NewTrain(frame, 0, sansio.ChecksumAsIs)}).idle().take()
			if len(back) != 1 || back[0].port != 2 || back[0].frame != want {
				t.Errorf("%d bytes: out of the tunnel comes %v\nwant %x", size, frames(back), want)
			}
		}
	})
}

// A UDP checksum that comes out as zero is sent as 0xffff (RFC 768), and bytes behind the IP
// packet do not count.
func TestTunnelFillsInSums(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newTunnel(t, timing)
		in := train(1, payload(0, 0, 0, 0))
		for v := range 1 << 16 { // one of them makes the sum zero
			binary.BigEndian.PutUint16(in.Train.Body[2:], uint16(v))
			if frame := whole(in); frame[40:42] == "\xff\xff" {
				break
			}
		}
		want := whole(in)
		if want[40:42] != "\xff\xff" {
			t.Fatal("no value makes the checksum zero")
		}
		padding := "padding"
		in.Train.Body, in.Train.Seg = append(in.Train.Body[:8:8], padding...), 0
		got := b.handle(in).idle().take()
		if len(got) != 1 || got[0].frame[34:] != want[14:]+padding {
			t.Errorf("sent %v, want %x with its padding", frames(got), want)
		}
	})
}

// A train becomes packets of the tunnel each with its own length, and they come out as they were.
func TestTunnelOfTrains(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newTunnel(t, timing)
		got := b.handle(train(1, payload(0, 1, 0, 400), payload(0, 2, 0, 400), payload(0, 3, 0, 90))).idle().take()
		if len(got) != 3 {
			t.Fatalf("sent %v, want three frames", frames(got))
		}
		for i, size := range []int{400, 400, 90} {
			frame := []byte(got[i].frame)
			one := train(1, payload(0, byte(i+1), 0, size))
			if string(frame[inet.UDPHeaders+inet.IPv4Len:]) != string(one.Train.Body) || inet.IPv4(frame[inet.EtherLen:]).TotalLen() != len(frame)-inet.EtherLen {
				t.Errorf("frame %d: %x", i, frame)
			}
		}
	})
}

// What is not stored of a packet stays so on its way through a tunnel.
func TestTunnelOfUnstored(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		for _, unstored := range []int{100, 500} {
			b := newTunnel(t, timing)
			in := train(1, payload(0, 0, 0, 0))
			inet.SetUDPBody(in.Train.Header, 8+unstored)
			sansio.FillPartial(in.Train.Header, 8+unstored)
			in.Train.Unstored = unstored
			got := b.handle(in).idle().take()
			if len(got) != 1 || len(got[0].frame)+got[0].unstored != 42+8+unstored+20 || got[0].unstored != max(0, unstored-(206-50)) {
				t.Fatalf("%d: sent %v", unstored, frames(got))
			}
			frame := append([]byte(got[0].frame), make([]byte, got[0].unstored)...)
			udp := inet.UDP(frame[54:62])
			had := udp[6:8:8]
			sum := binary.BigEndian.Uint16(had)
			udp.SetChecksum(0)
			if want := inet.TransportChecksum(inet.IPv4(frame[34:54]), udp, frame[62:]); sum != want {
				t.Errorf("%d: UDP checksum %#x, want %#x", unstored, sum, want)
			}
		}
	})
}

// A tag stands between addresses and type; a frame that then is no IPv4 is left as the
// program made it.
func TestTagsArePushedAndPulled(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "tag", `register ether_t *out;
virtual ether_t *eth = HEAD_START;
packet entry start;
start: begin if (eth->etype == 0x8100) goto pull; out = HeaderPush(4); end
begin call addresses; end
begin out->etype = 0x8100; *(u16 *)(out + 14) = 7; end
begin Forward(1); exit; end
pull: begin out = HeaderPull(4); end              // the last bytes move first
begin call source; end
begin call destination; end
begin Forward(1); exit; end
addresses: begin call destination; end
begin call source; end
begin return; end
destination: begin out->dmac[47:16] = eth->dmac[47:16]; out->dmac[15:0] = eth->dmac[15:0]; return; end
source: begin out->smac[47:16] = eth->smac[47:16]; out->smac[15:0] = eth->smac[15:0]; return; end`)})
		for _, size := range []int{10, 500} {
			in := train(1, payload(0, 0, 0, size))
			want := whole(in)
			got := b.handle(in).idle().take()
			if len(got) != 1 || got[0].frame != want[:12]+"\x81\x00\x00\x07"+want[12:] {
				t.Fatalf("tagged: %v\nwant the tag in %x", frames(got), want)
			}
			back := b.handle(sansio.Arrival{Train: sansio.NewTrain([]byte(got[0].frame), 0, sansio.ChecksumAsIs)}).idle().take()
			if len(back) != 1 || back[0].frame != want {
				t.Errorf("without its tag: %v\nwant %x", frames(back), want)
			}
		}
	})
}

// Created packets have headers pushed and pulled alike.
func TestCreatedPacketsGrow(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "grow", `register u8 *head;
packet entry start;
start: begin PacketCreate(60); end
begin head = HeaderPush(10); end
begin *(u32 *)head = 0x01020304; end
begin head = HeaderPull(8); end
begin *(u16 *)head = 0x0506; Forward(1); end
begin exit; end`)})
		in := train(1, payload(0, 0, 0, 100))
		got := b.handle(in).idle().take()
		frame := frameOf(in)
		if len(got) != 1 || got[0].frame != "\x05\x06"+frame[:60] {
			t.Errorf("sent %v, want 05 06 and %x", frames(got), frame[:60])
		}
		b.wantCount(CountCreated, 1)
		if n := b.p.Snapshot().PacketMemory; n != 0 {
			t.Errorf("%v of packet memory is still in use", n)
		}
	})
}

// Bad sizes are counted faults that lose the packet and nothing else; the largest good ones
// are taken.
func TestHeadersOutOfRange(t *testing.T) {
	for body, want := range map[string]string{
		"start: begin at = HeaderPush(n); exit; end":                                                                DropPush,
		"start: begin n = 65; end begin at = HeaderPush(n); exit; end":                                              DropPush,
		"start: begin n = 0xffffffff; end begin at = HeaderPush(n); exit; end":                                      DropPush,
		"start: begin at = HeaderPush(40); end begin at = HeaderPush(25); exit; end":                                DropPush,
		"start: begin at = HeaderPush(40); end begin at = HeaderPush(24); end begin Forward(1); exit; end":          "",
		"start: begin at = HeaderPull(n); exit; end":                                                                DropPull,
		"start: begin at = HeaderPull(46); end begin Forward(1); exit; end":                                         "", // 42 + 18 bytes
		"start: begin at = HeaderPull(47); exit; end":                                                               DropPull,
		"start: begin at = HeaderPush(64); end begin at = HeaderPull(110); end begin exit; end":                     "",
		"start: begin at = HeaderPush(64); end begin at = HeaderPull(111); end begin exit; end":                     DropPull,
		"start: begin Forward(1); end begin at = HeaderPush(4); exit; end":                                          DropNoHeader,
		"start: begin PacketCreate(14); end begin at = HeaderPull(1); exit; end":                                    DropPull,
		"start: begin PacketCreate(1214); end begin at = HeaderPush(64); end begin Forward(1); end begin exit; end": "",
	} {
		t.Run(body, func(t *testing.T) {
			modes(t, func(t *testing.T, timing *Timing) {
				prog := compile(t, "sizes", "register u32 n; register u32 at; packet entry start;\n"+body)
				b := newBench(t, Config{Program: prog, Timing: timing})
				b.handle(train(1, payload(0, 0, 0, 10))).idle()
				for _, reason := range []string{DropPush, DropPull, DropNoHeader} {
					n := uint64(0)
					if reason == want {
						n = 1
					}
					b.wantCount(reason, n)
				}
				if n := b.p.Snapshot().PacketMemory; n != 0 {
					t.Errorf("%v of packet memory is still in use", n)
				}
			})
		})
	}
}

// The longest packet does not grow.
func TestLongestPacketDoesNotGrow(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "grow", `register u32 at; packet entry start;
start: begin at = HeaderPush(20); end begin Forward(1); exit; end`)})
		for _, size := range []int{maxPacket - 20, maxPacket - 19} {
			b.handle(train(1, make([]byte, size-inet.UDPHeaders))).idle()
		}
		b.wantCount(DropPush, 1)
		b.wantCount(CountForwarded, 1)
	})
}

// A checksum that the program has written stays as it is.
func TestPushedOverAWrittenSum(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "sum", `register u32 at; packet entry start;
start: begin pkt->udp.sum = 0x1234; at = HeaderPush(4); end begin Forward(1); exit; end`)})
		got := b.handle(train(1, payload(0, 0, 0, 10))).idle().take()
		if len(got) != 1 || got[0].frame[44:46] != "\x12\x34" {
			t.Errorf("sent %v, want the checksum 1234", frames(got))
		}
	})
}

// What is pushed before a created packet takes packet memory, as all else of it does.
func TestPushedHeadersTakePacketMemory(t *testing.T) {
	const room = 64 * units.KiB
	for pushed, sent := range map[int]int{10: 1, 11: 0} {
		b := newBench(t, Config{PacketMemory: room, Program: compile(t, "room", fmt.Sprintf(`register u32 at; lmem u8 zero;
packet entry start;
start: begin PacketCreate(60); end
begin TailWrite(%d, &zero, 1); end
begin at = HeaderPush(%d); end
begin Forward(1); exit; end`, room-60-10-1, pushed))})
		if got := b.handle(train(1, payload(0, 0, 0, 10))).idle().take(); len(got) != sent {
			t.Errorf("%d bytes pushed: sent %d frames, want %d", pushed, len(got), sent)
		}
		b.wantCount(DropNoRoom, uint64(1-sent))
	}
}
