package trio

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/inalab/inalab/switchd/trio/mem"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// ways does with a packet what its first byte says, in every way there is.
const ways = `
export virtual DROP_ASKED = 7;
counter SEEN;
counter KINDS[2];
lmem u8 chunk[256];
register u32 offset;
register u32 n;
packet entry start;

start:
begin
    CounterIncPhys(SEEN, r_work.pkt_len);
    offset = pkt->body.count;
end
begin
    n = pkt->body.arg;
    switch (pkt->body.kind) {
    case 0: goto pass;
    case 1: goto drop;
    case 2: goto swap;
    case 3: goto echo;
    case 4: goto make;
    case 5: goto lost;
    case 6: goto loop;
    default: goto done;
    }
end
pass: begin Forward(1); exit; end
drop: begin async Drop(7); exit; end
swap: begin pkt->body.value = 0xdeadbeef; Forward(2); exit; end
echo: begin TailRead(offset, chunk, 64); end    // bytes of the tail come back in the head
begin pkt->body.value = chunk[0]; end
begin pkt->body.count = chunk[1]; Forward(1); exit; end
make: begin PacketCreate(60); end
begin pkt->ip.len = 60 - 14 + 16; pkt->udp.len = 60 - 34 + 16; end
begin pkt->ip.id = 0; pkt->ip.sum = 0x5555; end
begin TailRead(0, chunk, 16); end
begin TailWrite(0, chunk, 16); end
begin Forward(1); end
begin CounterIncPhys(KINDS + 2, n); if (n == 0) goto done; end
begin Forward(2); exit; end                     // and the packet that came
lost: begin Forward(99); exit; end
loop: begin offset = offset + 1; goto loop; end
done: begin exit; end
`

func TestForwardUnchanged(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "ways", ways), Timing: timing})
		for _, size := range []int{0, 100, 156, 157, 1000, 4090} {
			in := train(3, payload(0, 9, 0, size))
			got := b.handle(in).idle().take()
			if len(got) != 1 || got[0].port != 1 || got[0].frame != frameOf(in) {
				t.Errorf("%d bytes: sent %d frames %v, want what came by port 1", size, len(got), frames(got))
			}
		}
		b.wantCount(CountForwarded, 6)
		b.wantCount("ways-seen", 6)
	})
}

// anyway counts and forwards every packet.
const anyway = `
counter BYTES;
packet entry start;
start: begin CounterIncPhys(BYTES, r_work.pkt_len); end
begin Forward(1); exit; end`

// A frame that is not UDP is all header, longer than a head or not, and leaves as
// it came; the counter of the program has its length.
func TestForwardUnparsed(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "any", anyway), Timing: timing})
		for _, size := range []int{0, 1, 13, 14, 60, 205, 206, 207, 1514} {
			frame := make([]byte, size)
			for i := range frame {
				frame[i] = byte(i)
			}
			got := b.handle(sansio.Arrival{Train: sansio.NewTrain(frame, 0, sansio.ChecksumAsIs)}).idle().take()
			if len(got) != 1 || got[0].frame != string(frame) {
				t.Errorf("%d bytes: sent %v", size, frames(got))
			}
		}
		b.wantCount("any-bytes-bytes", 0+1+13+14+60+205+206+207+1514)
	})
}

func TestDropHasTheNameOfItsConstant(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "ways", ways), Timing: timing})
		b.handle(train(1, payload(1, 0, 0, 10)), train(1, payload(5, 0, 0, 10))).idle()
		b.wantCount("ways-asked", 1)
		b.wantCount(DropNextHop, 1)
		b.wantCount(CountPackets, 2)
		if got := b.take(); len(got) != 0 {
			t.Errorf("sent %v", frames(got))
		}
	})
}

// A changed head leaves with sums that fit: that of the IP header, and the
// partial one of UDP.
func TestForwardChanged(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "ways", ways), Timing: timing})
		in := train(1, payload(2, 0, 0, 500))
		got := b.handle(in).idle().take()
		want := []byte(frameOf(in))
		binary.BigEndian.PutUint32(want[inet.UDPHeaders+4:], 0xdeadbeef)
		if len(got) != 2 || got[0].port != 2 || got[1].port != 3 {
			t.Fatalf("sent %v, want it by ports 2 and 3", frames(got))
		}
		for _, s := range got {
			if s.frame != string(want) {
				t.Errorf("sent %x\nwant %x", s.frame, want)
			}
		}
	})
}

func TestTailReadsBack(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "ways", ways), Timing: timing})
		const size = 1000
		p := payload(3, 0, 0, size)
		tail := len(p) - 164 // 206 bytes less 42 of headers are in the head
		for _, offset := range []int{0, 1, 63, 500, tail - 2, tail - 1, tail, 5000} {
			binary.BigEndian.PutUint16(p[2:], uint16(offset))
			got := b.handle(train(1, p)).idle().take()
			at := func(i int) byte {
				if i < len(p) {
					return p[i]
				}
				return 0 // nothing is there
			}
			if len(got) != 1 {
				t.Fatalf("sent %v", frames(got))
			}
			body := got[0].frame[inet.UDPHeaders:]
			if body[7] != at(164+offset) || body[3] != at(164+offset+1) {
				t.Errorf("offset %d: the tail has %d %d, want %d %d", offset, body[7], body[3], at(164+offset), at(164+offset+1))
			}
		}
	})
}

// A created packet is the head of LMEM and the tail that was written, with its
// sums filled in; the packet that came can still be sent on behind it.
func TestCreatedPacket(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "ways", ways), Timing: timing})
		in := train(1, payload(4, 1, 0, 300))
		got := b.handle(in).idle().take()
		if len(got) != 3 || got[0].port != 1 || got[1].port != 2 || got[2].port != 3 {
			t.Fatalf("sent %v, want one created by port 1, then what came by ports 2 and 3", frames(got))
		}
		made := []byte(got[0].frame)
		if len(made) != 76 {
			t.Fatalf("created %d bytes, want 60 and 16", len(made))
		}
		ip := inet.IPv4(made[inet.EtherLen:])
		if !ip.ChecksumOK() || ip.TotalLen() != 62 {
			t.Errorf("IP header %x", made[14:34])
		}
		if got, want := made[42:], in.Train.Body[:18]; string(got[:18]) != string(want) {
			t.Errorf("head of the created packet %x, want %x", got[:18], want)
		}
		if got, want := made[60:], in.Train.Body[164:180]; string(got) != string(want) {
			t.Errorf("tail of the created packet %x, want %x", got, want)
		}
		b.wantCount(CountCreated, 1)
		b.wantCount(CountForwarded, 1)
		b.wantCount("ways-kinds-1", 1)
	})
}

func TestThreadWithoutDecisionConsumes(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "ways", ways), Timing: timing})
		b.handle(train(1, payload(9, 0, 0, 300)), train(1, payload(4, 0, 0, 300))).idle()
		b.wantCount(CountConsumed, 2)
		b.wantCount(CountCreated, 1)
	})
}

func TestInstructionLimit(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "ways", ways), Timing: timing, Instructions: 1000})
		b.handle(train(1, payload(6, 0, 0, 300))).idle()
		b.wantCount("pfe-instruction-limit", 1)
		if got := b.p.Snapshot().Most; got != 1000 {
			t.Errorf("the thread executed %d instructions, want 1000", got)
		}
	})
}

// A packet's thread may have a limit of its own, below that of a timer's.
func TestInstructionLimitOfPackets(t *testing.T) {
	const endless = "packet entry start;\ntimer tick entry start;\nstart: begin goto start; end"
	modes(t, func(t *testing.T, timing *Timing) {
		cfg := Config{Program: compile(t, "endless", endless), Timing: timing, Instructions: 2000, PacketInstructions: 1000}
		b := newBench(t, cfg)
		b.handle(train(1, payload(0, 0, 0, 300))).idle()
		cfg.Timers = []Timer{{Name: "tick", Period: units.Millisecond}}
		timer := newBench(t, cfg)
		timer.at(ms / 2)
		if got := [2]uint64{b.p.Snapshot().Most, timer.p.Snapshot().Most}; got != [2]uint64{1000, 2000} {
			t.Errorf("a packet's and a timer's thread executed %d instructions, want 1000 and 2000", got)
		}
	})
}

// Programs that do wrong lose their packet under a name, and nothing else.
func TestFaultsAreCountedDrops(t *testing.T) {
	for reason, body := range map[string]string{
		"pfe-memory-address-out-of-range": `begin MemRead(0x7fffffff, 512, 64); exit; end`,
		"pfe-bad-half-of-a-word":          `begin value = FetchAdd32(8, 2, 1); exit; end`,
		"pfe-bad-part-of-the-hash-table":  `begin value = HashScan(3, 3, 0); exit; end`,
		"pfe-lmem-out-of-range":           `begin value = *(u32 *)value; exit; end`,
		"pfe-xtxn-buffer-out-of-range":    `begin MemRead(8, (u8 *)value, 64); exit; end`,
		DropHeadLength:                    `begin PacketCreate(1215); exit; end`,
		DropTailLength:                    `begin PacketCreate(60); end begin TailWrite(65500, 512, 256); exit; end`,
		DropNoTail:                        `begin TailWrite(0, 512, 256); exit; end`,
		"pfe-xtxn-bad-length":             `begin MemRead(8, 512, value); exit; end`,
		"pfe-read-not-waited-for":         `begin async MemRead(8, 512, 64); value = 575; end begin value = *(u8 *)value; exit; end`,
	} {
		t.Run(reason, func(t *testing.T) {
			modes(t, func(t *testing.T, timing *Timing) {
				prog := compile(t, "bad", "register u32 value = 1279; packet entry start; start: "+body)
				b := newBench(t, Config{Program: prog, Timing: timing})
				b.handle(train(1, payload(0, 0, 0, 300))).idle()
				b.wantCount(reason, 1)
				b.wantCount(CountPackets, 1)
				b.wantCount(CountConsumed, 0)
				if n := b.p.Snapshot().PacketMemory; n != 0 {
					t.Errorf("%v of packet memory is still in use", n)
				}
			})
		})
	}
}

// A head of which an asynchronous read still fills a part is not sent: what would leave
// depends on the time.
func TestHeadIsWaitedFor(t *testing.T) {
	for wait, sent := range map[string]uint64{"": 0, "begin XtxnWait(); end": 1} {
		modes(t, func(t *testing.T, timing *Timing) {
			prog := compile(t, "head", "sram two[2]; packet entry start; start: begin async MemRead(two, HEAD_START + 48, 8); end "+wait+" begin Forward(1); exit; end")
			b := newBench(t, Config{Program: prog, Timing: timing})
			b.handle(train(1, payload(9, 9, 9, 300))).idle()
			b.wantCount("pfe-read-not-waited-for", 1-sent)
			b.wantCount(CountForwarded, sent)
		})
	}
}

// What an asynchronous read brings is what memory had when it was sent, and is in local
// memory once the thread has waited, with time and without.
func TestReadsArriveAtTheWait(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		prog := compile(t, "arrive", `
sram out[2];
lmem u32 a[2]; lmem u32 c[2]; register u32 seen;
packet entry start;
start: begin a[1] = 7; c[0] = 5; end
begin MemWrite(out, c, 8); end
begin async MemRead(out, a, 8); end
begin async MemAdd32(out, 0, &c[0], 4); end
begin XtxnWait(); end
begin seen = a[0] << 8 | a[1]; end
begin a[0] = seen; end
begin MemWrite(out + 1, a, 8); end
begin Drop(0); exit; end`)
		b := newBench(t, Config{Program: prog, Timing: timing})
		b.handle(train(1, payload(9, 9, 9, 300))).idle()
		out, _ := prog.Symbol("out")
		sum, _ := b.p.Memory().Load(mem.Addr(out.Value))
		seen, _ := b.p.Memory().Load(mem.Addr(out.Value) + 1)
		if sum != 10<<32 || seen>>32 != 5<<8 {
			t.Errorf("memory has %#x, and the thread has read %#x", sum, seen)
		}
	})
}

// Without their own packet threads lose nothing: what they could not send is
// counted.
func TestNothingToSend(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "twice", `packet entry start;
start: begin Forward(1); end
begin Forward(1); end
begin PacketCreate(60); end
begin PacketCreate(60); exit; end`), Timing: timing})
		b.handle(train(1, payload(0, 0, 0, 30))).idle()
		b.wantCount(CountForwarded, 1)
		b.wantCount(CountNothing, 1)
		b.wantCount(CountNotSent, 2)
		if n := b.p.Snapshot().PacketMemory; n != 0 {
			t.Errorf("%v of packet memory is still in use", n)
		}
	})
}

// Packets that carry unstored values read as zero, leave unstored, and what
// is created from them is unstored where they were.
func TestUnstoredPackets(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "ways", ways), Timing: timing})
		unstored := func(kind byte) sansio.Arrival {
			in := train(1, payload(kind, 0, 0, 0))
			inet.SetUDPBody(in.Train.Header, 8+500)
			in.Train.Unstored = 500
			return in
		}
		got := b.handle(unstored(0)).idle().take()
		if len(got) != 1 || got[0].unstored != 500 || len(got[0].frame) != 50 {
			t.Fatalf("forwarded %v", frames(got))
		}
		got = b.handle(unstored(3)).idle().take()
		if len(got) != 1 || got[0].unstored != 500 || got[0].frame[42:] != "\x03\x00\x00\x00\x00\x00\x00\x00" {
			t.Errorf("changed by zeros of the tail: %v", frames(got))
		}
		got = b.handle(unstored(4)).idle().take()
		if len(got) != 1 || len(got[0].frame) != 50 || got[0].unstored != 26 {
			t.Errorf("created %v, want 50 bytes with content and 26 without", frames(got))
		}
		b.wantCount("ways-seen-bytes", 3*550)
		got = b.handle(train(1, payload(4, 0, 0, 300))).idle().take()
		if len(got) != 1 || len(got[0].frame) != 76 || got[0].unstored != 0 {
			t.Errorf("created from content: %v, want 76 bytes", frames(got))
		}
	})
}

// Frames that go the same way stay in trains.
func TestTrainsStayTrains(t *testing.T) {
	b := newBench(t, Config{Program: compile(t, "ways", ways)})
	var parts [][]byte
	for range 8 {
		parts = append(parts, payload(0, 0, 0, 500))
	}
	parts[5] = payload(4, 0, 0, 500)
	parts[6] = payload(4, 0, 0, 500)
	in := train(1, parts...)
	b.p.Handle(0, []sansio.Arrival{in}, &b.eff)
	var got []int
	for i := range b.eff.Sends {
		got = append(got, b.eff.Sends[i].Train.Frames())
	}
	if diff := cmp.Diff([]int{5, 2, 1}, got); diff != "" {
		t.Errorf("frames of the trains sent (-want +got):\n%s", diff)
	}
}

func TestConfigErrorsNameTheFault(t *testing.T) {
	prog := compile(t, "ways", ways)
	for want, change := range map[string]func(*Config){
		"it has no program":                    func(c *Config) { c.Program = nil },
		"15 PPEs: 16 to 160":                   func(c *Config) { c.PPEs = 15 },
		"65 threads of a PPE":                  func(c *Config) { c.Threads = 65 },
		`timer "scan": program ways.mc has no`: func(c *Config) { c.Timers = []Timer{{Name: "scan", Period: 1}} },
		"next hop 3 has no port":               func(c *Config) { c.NextHops = []NextHop{{Index: 3}} },
		"fixed cost of a packet of -1":         func(c *Config) { c.Timing = timed(func(t *Timing) { t.Packet = -1 }) },
		"instruction cost of 0s":               func(c *Config) { c.Timing = &Timing{TailBytesPerCycle: 1, Issue: 1} },
		"shared memory: SRAM":                  func(c *Config) { c.Memory.SRAM = 5 },
		"counter SEEN of 16B at word":          func(c *Config) { c.Memory.SRAM, c.Memory.Records = 64<<10, 1024 },
	} {
		cfg := Config{Node: "pfe7", Program: prog}
		change(&cfg)
		_, err := New(cfg)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "pfe7") {
			t.Errorf("error is %v, want one with %q and the node", err, want)
		}
	}
}

// The largest datagrams are longer than 16 bits can say: their threads, and what
// counts by them, have the most that these can say.
func TestLengthOfLongPackets(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "any", anyway), Timing: timing})
		for _, beyond := range []int{-1, 0, 1, 14} {
			b.handle(train(1, make([]byte, maxLength+beyond-inet.UDPHeaders))).idle()
		}
		padded := train(1, make([]byte, 100))
		padded.Train.Unstored = maxLength
		b.handle(padded).idle().wantCount("any-bytes-bytes", 5*maxLength-1)
		b.wantCount(CountForwarded, 5)
	})
}
