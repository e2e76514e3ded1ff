package trio

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

var _ dataplane.Engine = (*PFE)(nil)

const (
	ns = units.Time(units.Nanosecond)
	us = units.Time(units.Microsecond)
	ms = units.Time(units.Millisecond)
)

// headers begins every program of these tests. The first byte of a packet's UDP
// payload says what is done with it.
const headers = `
struct ether_t { dmac : 48; smac : 48; etype : 16; };
struct ipv4_t { ver_ihl : 8; tos : 8; len : 16; id : 16; frag : 16; ttl : 8; proto : 8; sum : 16; src : 32; dst : 32; };
struct udp_t { sport : 16; dport : 16; len : 16; sum : 16; };
struct body_t { kind : 8; arg : 8; count : 16; value : 32; };
struct packet_t { ether_t eth; ipv4_t ip; udp_t udp; body_t body; u8 rest[156]; };
virtual packet_t *pkt = HEAD_START;
register packet_work_t r_work @ WORK_REGISTER;
`

// compile compiles a program that begins with headers.
func compile(t rapid.TB, name, src string) *isa.Program {
	t.Helper()
	return compileFor(t, isa.Machine{}, name, src)
}

// wide is the machine with the widest adds; its memory has to have them also.
var wide = isa.Machine{AddBytes: isa.MaxAddBytes}

func compileFor(t rapid.TB, m isa.Machine, name, src string) *isa.Program {
	t.Helper()
	p, err := microcode.CompileFor(m, name+".mc", headers+src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// small is a memory that takes little room.
func small() mem.Config {
	return mem.Config{SRAM: units.MiB, DRAM: 64 * units.MiB, Records: 256}
}

// bench drives one PFE and takes down what it sends.
type bench struct {
	t   rapid.TB
	p   *PFE
	eff sansio.Effects
	now units.Time
	out []sent
}

// sent is one frame, by one port.
type sent struct {
	at       units.Time
	port     sansio.Port
	frame    string // headers and content
	unstored int
}

func newBench(t rapid.TB, cfg Config) *bench {
	t.Helper()
	if cfg.Memory == (mem.Config{}) {
		cfg.Memory = small()
	}
	if cfg.NextHops == nil {
		cfg.NextHops = []NextHop{{Index: 1, To: []sansio.Port{1}}, {Index: 2, To: []sansio.Port{2, 3}}}
	}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, p: p}
}

// instruction is the cost of an instruction in these tests, whatever the default is.
const instruction = 20 * units.Nanosecond

// timed returns the default timing but for that cost, and without one of a packet, changed.
func timed(change ...func(*Timing)) *Timing {
	out := DefaultTiming()
	out.Instruction, out.Packet = instruction, 0
	for _, f := range change {
		f(&out)
	}
	return &out
}

// at moves the time, stopping at every deadline.
func (b *bench) at(now units.Time) *bench {
	for {
		d := b.p.NextDeadline()
		if d > now {
			break
		}
		if d < b.now {
			b.t.Fatalf("deadline %v is before %v", d, b.now)
		}
		b.now = d
		b.p.Expire(d, &b.eff)
		b.collect()
		if n := b.p.NextDeadline(); n <= d {
			b.t.Fatalf("deadline %v is still there after Expire", n)
		}
	}
	b.now = now
	return b
}

// idle runs until nothing is left to do.
func (b *bench) idle() *bench {
	for d := b.p.NextDeadline(); d != units.Never; d = b.p.NextDeadline() {
		b.at(d)
	}
	return b
}

func (b *bench) handle(in ...sansio.Arrival) *bench {
	b.p.Handle(b.now, in, &b.eff)
	b.collect()
	return b
}

// collect takes every frame of every send apart.
func (b *bench) collect() {
	for i := range b.eff.Sends {
		s := &b.eff.Sends[i]
		for f := range s.Train.Frames() {
			one := s.Train.Frame(f, nil)
			for _, port := range s.To {
				b.out = append(b.out, sent{b.now, port, string(one.Header) + string(one.Payload(0)), one.Unstored})
			}
		}
	}
	b.eff.Reset()
}

// take returns what was sent since it was last called.
func (b *bench) take() []sent {
	out := b.out
	b.out = nil
	return out
}

func (b *bench) count(name string) uint64 {
	for _, c := range b.p.Counters() {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

func (b *bench) wantCount(name string, want uint64) {
	b.t.Helper()
	if got := b.count(name); got != want {
		b.t.Errorf("%s is %d, want %d; all: %v", name, got, want, b.p.Counters())
	}
}

// flow is the addressing of test packets; n tells flows apart.
func flowOf(n int) inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 1, byte(n)}, DstMAC: inet.MAC{2, 0, 0, 0, 0, 1},
		Src: netip.AddrFrom4([4]byte{10, 0, 1, byte(n)}), Dst: netip.MustParseAddr("10.0.0.1"), SrcPort: 4000, DstPort: 12000,
	}
}

// payload is a body_t and n bytes behind it, which count up.
func payload(kind, arg byte, count uint16, n int) []byte {
	out := []byte{kind, arg, byte(count >> 8), byte(count), 0, 0, 0, 1}
	for i := range n {
		out = append(out, byte(i*7+int(arg)))
	}
	return out
}

// train joins payloads of one flow; all but the last have one size.
func train(n int, payloads ...[]byte) sansio.Arrival {
	body := bytes.Join(payloads, nil)
	header := inet.UDPHeader(flowOf(n))
	inet.SetUDPBody(header, len(body))
	t := sansio.Train{Header: header, Body: body, Seg: len(payloads[0]), Checksum: sansio.ChecksumPartial}
	sansio.FillPartial(header, len(body))
	return sansio.Arrival{Port: sansio.Port(n), Train: t}
}

// frameOf returns the only frame of an arrival, as bytes.
func frameOf(a sansio.Arrival) string { return string(a.Train.Header) + string(a.Train.Body) }

func frames(list []sent) (out []string) {
	for _, s := range list {
		out = append(out, fmt.Sprintf("port %d pad %d %x", s.port, s.unstored, s.frame))
	}
	return out
}

// modes runs a test with and without time.
func modes(t *testing.T, f func(t *testing.T, timing *Timing)) {
	t.Run("instant", func(t *testing.T) { f(t, nil) })
	t.Run("timed", func(t *testing.T) { f(t, timed()) })
}
