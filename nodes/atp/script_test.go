package atp

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/gradient"
)

// script drives one worker by hand and takes down both directions.
type script struct {
	strings.Builder
	t    *testing.T
	core *Core
	feed sansiotest.Feed
	sent []wire.Header
	body [][]byte // values of each
	eff  sansio.Effects
}

func newScript(t *testing.T, cfg Config) *script {
	t.Helper()
	core, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, core: core}
	s.feed = sansiotest.Feed{Machine: core, Sent: s.take}
	return s
}

// take writes down what the worker sends.
func (s *script) take(at units.Time, send *sansio.Send) {
	for f := range send.Train.Frames() {
		var h wire.Header
		if problem := h.Read(send.Train.Payload(f), send.Train.Unstored); problem != wire.OK {
			s.t.Fatalf("sent: %s", problem)
		}
		s.sent = append(s.sent, h)
		s.body = append(s.body, append([]byte(nil), send.Train.Payload(f)[wire.HeaderLen:]...))
		fmt.Fprintf(s, "%7.3f ms  -> %s\n", units.Duration(at).Milliseconds(), describe(&h))
	}
}

func describe(h *wire.Header) string {
	out := fmt.Sprintf("number %d, index %d", h.Sequence, h.Index)
	for _, f := range []struct {
		flag wire.Flags
		name string
	}{{wire.Resend, "resend"}, {wire.Overflow, "floats"}, {wire.ECN, "marked"}, {wire.EdgeSwitch, "second level"}} {
		if h.Flags.Has(f.flag) {
			out += ", " + f.name
		}
	}
	if h.Flags.Has(wire.Collision) {
		out += fmt.Sprintf(", from now on index %d", h.Bitmaps[0])
	}
	return out
}

// begin hands the worker a gradient of values that differ.
func (s *script) begin(gen int) {
	fmt.Fprintf(s, "%7.3f ms  generation %d begins\n", units.Duration(s.feed.Now).Milliseconds(), gen)
	s.core.Begin(s.feed.Now, gen, tensors(0, gen+1, s.core.held)[gen], &s.eff)
	for i := range s.eff.Sends {
		s.take(s.feed.Now, &s.eff.Sends[i])
	}
	s.eff.Reset()
}

// parameters hands the worker a parameter packet 10 us later, and writes down the first stream's
// window.
func (s *script) parameters(number uint32, flags wire.Flags, change ...func(*wire.Header)) {
	h := wire.Header{Job: 1, Sequence: number, Flags: wire.IsAck | flags, FanIns: [2]uint8{1, 1}}
	for _, last := range s.sent {
		if last.Sequence == number {
			h.Index = last.Index
		}
	}
	for _, f := range change {
		f(&h)
	}
	at := s.feed.Now.Add(10 * units.Microsecond)
	s.feed.Until(at)
	fmt.Fprintf(s, "%7.3f ms  <- %s\n", units.Duration(at).Milliseconds(), describe(&h))
	s.arrive(at, &h, 7)
	x := &s.core.streams[0]
	fmt.Fprintf(s, "            packet %d is expected, %d lack parameters, window %d\n", x.expected, x.inFlight, x.window.size)
}

// arrive hands a packet over, all of whose values are one.
func (s *script) arrive(at units.Time, h *wire.Header, value uint32) {
	payload := make([]byte, wire.PayloadLen)
	h.Put(payload)
	for k := range block {
		binary.BigEndian.PutUint32(payload[wire.HeaderLen+4*k:], value)
	}
	s.feed.Arrive(at, sansio.Arrival{Train: sansio.Train{Header: downHeader(0), Body: payload}})
}

// downHeader is that of packets from a server to the group.
func downHeader(server int) []byte {
	h := inet.UDPHeader(inet.Flow{Src: serverAddr(server), Dst: groupAddr(), SrcPort: wire.Port, DstPort: wire.Port})
	inet.SetUDPBody(h, wire.PayloadLen)
	return h
}

func (s *script) wait(d units.Duration) { s.feed.Until(s.feed.Now.Add(d)) }

func (s *script) compare(name string) {
	s.t.Helper()
	for _, c := range s.core.Counters() {
		fmt.Fprintf(s, "%s %d\n", c.Name, c.N)
	}
	golden.Equal(s.t, name, s.String())
}

func moveTo(index uint32) func(*wire.Header) {
	return func(h *wire.Header) { h.Flags, h.Bitmaps[0] = h.Flags|wire.Collision, index }
}

// thrice has the expected packet time out twice, and a later one once.
func thrice(s *script) {
	s.begin(0)
	s.wait(250 * units.Microsecond)
	s.parameters(2, 0)
	s.parameters(1, 0)
	s.wait(150 * units.Microsecond)
	s.parameters(4, 0)
	s.parameters(3, 0)
	s.wait(units.Millisecond)
}

// What a worker sends and when, against a server that follows a script.
func TestTranscripts(t *testing.T) {
	for name, test := range map[string]struct {
		config func(*Config)
		run    func(*script)
	}{
		"loss.txt": {func(c *Config) { c.Tensor, c.Window = 16*block, 6 }, func(s *script) {
			s.begin(0)
			for _, number := range []uint32{1, 3, 5, 5, 6, 7, 8, 2, 4, 9, 11, 12, 13, 10, 14, 15, 16} {
				s.parameters(number, 0)
			}
		}},
		"loss-each-mark.txt": {func(c *Config) { c.Tensor, c.Window, c.EachMark = 8*block, 8, true }, func(s *script) {
			s.begin(0)
			for _, number := range []uint32{2, 3, 4, 5, 6, 1} {
				s.parameters(number, 0)
			}
		}},
		"timeout.txt": {func(c *Config) { c.Tensor, c.Window = 4*block, 4 }, thrice},
		// Nothing comes for a whole timeout: all in flight is sent again but for what has parameters, as
		// half the window allows. What comes without a resend is not sent again.
		"go-back.txt": {func(c *Config) { c.Tensor, c.Window, c.Span = 12*block, 8, 8 }, func(s *script) {
			s.begin(0)
			s.parameters(3, 0)
			s.wait(100 * units.Microsecond)
			for _, number := range []uint32{1, 7, 2, 4, 5, 6, 8} {
				s.parameters(number, 0)
			}
		}},
		// What is sent again is lost again: a second timeout goes back as far.
		"go-back-twice.txt": {func(c *Config) { c.Tensor, c.Window, c.Keep = 6*block, 4, true }, func(s *script) {
			s.begin(0)
			s.wait(150 * units.Microsecond)
			s.parameters(2, 0)
			s.wait(50 * units.Microsecond)
			for _, number := range []uint32{1, 3, 4, 5, 6} {
				s.parameters(number, 0)
			}
		}},
		"timeout-alone.txt": {func(c *Config) { c.Tensor, c.Window, c.Alone = 4*block, 4, true }, thrice},
		// Number 2 is lost, and lost again; 4 is lost, and three behind it have parameters when it is expected.
		"passed.txt": {func(c *Config) { c.Tensor, c.Window, c.Span, c.Fixed, c.Resend = 16*block, 8, 16, true, Passed }, func(s *script) {
			s.begin(0)
			for _, number := range []uint32{1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 2, 4} {
				s.parameters(number, 0)
			}
		}},
		"keep.txt": {func(c *Config) { c.Tensor, c.Window, c.Keep = 4*block, 4, true }, func(s *script) {
			s.begin(0)
			s.wait(150 * units.Microsecond)
			s.parameters(1, 0)
		}},
		"gaps.txt": {func(c *Config) { c.Tensor, c.Window, c.Span, c.Resend = 12*block, 12, 12, Gaps }, func(s *script) {
			s.begin(0)
			for _, number := range []uint32{2, 4, 6, 1, 8, 9, 11} {
				s.parameters(number, 0)
			}
			s.wait(150 * units.Microsecond)
			for _, number := range []uint32{5, 3, 7} {
				s.parameters(number, 0)
			}
		}},
		"marks.txt": {func(c *Config) { c.Tensor, c.Window, c.Span = 30*block, 4, 20 }, func(s *script) {
			s.begin(0)
			s.parameters(1, 0)
			s.parameters(2, wire.ECN)
			s.parameters(3, wire.ECN)
			for number := uint32(4); number <= 16; number++ {
				s.parameters(number, map[uint32]wire.Flags{10: wire.ECN}[number])
			}
		}},
		"moved.txt": {func(c *Config) { c.Tensor, c.Window, c.Fixed, c.Indexing, c.Aggregators = 40*block, 1, true, Linear, 8 }, func(s *script) {
			s.begin(0)
			s.parameters(1, 0, moveTo(5))
			s.parameters(2, 0, moveTo(2))
			s.parameters(3, 0, moveTo(99))
			s.parameters(3, 0, moveTo(1)) // not looked at: it came before
			s.wait(100 * units.Microsecond)
			s.parameters(4, 0)
			s.parameters(5, 0, moveTo(6))
			for number := uint32(6); number <= 14; number++ {
				s.parameters(number, 0)
			}
		}},
		// What is sent again has the index of its first sending.
		"sent-again.txt": {func(c *Config) { c.Tensor, c.Window, c.Fixed, c.Indexing, c.Aggregators = 5*block, 2, true, Linear, 3 }, func(s *script) {
			s.begin(0)
			s.parameters(1, 0, func(h *wire.Header) { h.Index, h.Flags, h.Bitmaps[0] = 2, wire.IsAck|wire.Collision, 0 })
			s.wait(200 * units.Microsecond)
			s.parameters(2, 0)
			s.parameters(3, 0)
			s.parameters(4, 0)
		}},
		"aligned.txt": {func(c *Config) {
			c.Tensor, c.Window, c.Fixed, c.Indexing, c.Aggregators, c.Span, c.Aligned = 20*block, 2, true, Linear, 4, 6, true
		}, func(s *script) {
			s.begin(0)
			s.parameters(1, 0, moveTo(3))
			for number := uint32(2); number <= 10; number++ {
				s.parameters(number, 0)
			}
		}},
		"floats.txt": {func(c *Config) { c.Tensor = 3 * block }, func(s *script) {
			s.begin(0)
			s.parameters(1, 0)
			s.parameters(2, wire.Overflow)
			s.parameters(2, wire.Overflow)
			s.wait(150 * units.Microsecond)
			s.parameters(3, wire.Overflow|wire.Resend)
			s.parameters(2, wire.Overflow|wire.Resend)
			s.parameters(3, 0)
		}},
		"direct.txt": {func(c *Config) {
			c.Tensor = 2 * block
			c.Servers[0].Direct, c.Servers[0].Bitmaps, c.Servers[0].FanIns = true, [2]uint32{1, 4}, [2]uint8{1, 3}
		}, func(s *script) {
			s.begin(0)
			s.wait(100 * units.Microsecond)
		}},
		// Halves of 7 numbers: a sweep of two before each is entered again.
		"again.txt": {func(c *Config) {
			c.Tensor, c.Window, c.Fixed, c.Span, c.SequenceBits, c.Aggregators, c.Indexing = 20*block, 2, true, 2, 4, 2, Linear
		}, func(s *script) {
			s.begin(0)
			for number := range uint32(10) {
				s.parameters(number+1, 0)
			}
			s.wait(3 * units.Millisecond)
			for number := range uint32(7) {
				s.parameters((number+10)%14+1, 0)
			}
			s.wait(3 * units.Millisecond)
		}},
		"used.txt": {func(c *Config) { c.Tensor, c.Window, c.Fixed, c.Aggregators, c.Sweep = 2*block, 2, true, 3, true }, func(s *script) {
			s.wait(units.Millisecond)
			s.begin(0)
			s.wait(3050 * units.Microsecond)
			for number := range uint32(5) {
				s.parameters(number+1, 0, moveTo(1))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig(0, 2, 1)
			test.config(&cfg)
			s := newScript(t, cfg)
			test.run(s)
			s.compare(name)
		})
	}
}

// A block whose sum came as floats has their mean, the others that of their integers.
func TestFloatsAreDelivered(t *testing.T) {
	cfg := testConfig(0, 2, 1)
	cfg.Tensor = 2*block + 5
	rec := &floatRecorder{}
	cfg.Recorder = rec
	s := newScript(t, cfg)
	grad := tensors(0, 1, cfg.Tensor)[0]
	s.begin(0)
	s.parameters(1, 0)
	s.parameters(3, wire.Overflow)
	for i, want := range grad[2*block:] {
		if got := math.Float32frombits(binary.BigEndian.Uint32(s.body[len(s.body)-1][4*i:])); got != want {
			t.Fatalf("sent %v for %v", got, want)
		}
	}
	h := wire.Header{Job: 1, Sequence: 3, Flags: wire.IsAck | wire.Overflow | wire.Resend, FanIns: [2]uint8{1, 1}}
	s.arrive(s.feed.Now, &h, math.Float32bits(3000))
	s.parameters(2, 0)
	if !s.core.Complete(0) {
		t.Fatal("not complete")
	}
	clear(s.core.open[0].grad) // it was borrowed until now
	_, take := s.core.Finish(0)
	mean := make([]float32, cfg.Tensor)
	take(mean)
	for i, v := range mean {
		want := float32(3.5e-8)
		if i >= 2*block {
			want = 1500
		}
		if v != want || i < 2*block && rec.In[0][i] != 7 || i >= 2*block && rec.In[0][i] != 0 {
			t.Fatalf("element %d: mean %v, sum %d", i, v, rec.In[0][i])
		}
	}
	sums := []float32{3000, 3000, 3000, 3000, 3000}
	if want := []gradient.Floats{{Lo: 2 * block, Values: grad[2*block:]}, {Lo: 2 * block, Values: sums}}; !reflect.DeepEqual(rec.floats, want) {
		t.Errorf("told %v, want %v", rec.floats, want)
	}
}

// floatRecorder also keeps floats: those sent, then those delivered.
type floatRecorder struct {
	sansiotest.Recorder
	floats []gradient.Floats
}

func (r *floatRecorder) SentFloats(gen, lo int, g []float32) {
	if len(r.In)+len(r.Out) > 0 {
		panic("floats are told behind the integers of their generation")
	}
	r.floats = append(r.floats, gradient.Floats{Lo: lo, Values: slices.Clone(g)})
}

func (r *floatRecorder) DeliveredFloats(gen, lo int, sums []float32) { r.SentFloats(gen, lo, sums) }

// int32 tensors have no floats: a request for such is counted, and the generation stays open.
func TestFloatsOfIntegersAreRefused(t *testing.T) {
	cfg := testConfig(0, 2, 1)
	cfg.Tensor, cfg.Integers = block, true
	s := newScript(t, cfg)
	s.core.BeginInts(0, 0, make([]int32, block), &s.eff)
	s.eff.Reset()
	s.parameters(1, wire.Overflow)
	s.wait(units.Millisecond)
	if n := s.core.count.Get(CountRefused); n != 1 || s.core.Complete(0) {
		t.Errorf("%d requests are counted, complete: %v", n, s.core.Complete(0))
	}
	for _, h := range s.sent {
		if h.Flags.Has(wire.Overflow) {
			t.Error("floats were sent")
		}
	}
}

// A sweep carries no one's values: a server may have floats of it, whatever tensors are.
func TestFloatsOfSweeps(t *testing.T) {
	cfg := testConfig(0, 2, 1)
	cfg.Tensor, cfg.Integers, cfg.Sweep = block, true, true
	s := newScript(t, cfg)
	s.core.BeginInts(0, 0, make([]int32, block), &s.eff)
	s.wait(3 * units.Millisecond)
	s.parameters(1, wire.Overflow)
	s.parameters(1, wire.Overflow|wire.Resend)
	if x := &s.core.streams[0]; x.expected != 1 || s.core.count.Get(CountRefused) != 0 {
		t.Errorf("packet %d is expected; counters %v", x.expected, s.core.Counters())
	}
}

// The last tensor of a gradient is sent first, as back-propagation makes it first.
func TestTheLastTensorIsSentFirst(t *testing.T) {
	cfg := testConfig(0, 2, 1)
	cfg.Tensors, cfg.Tensor = []int{block, 5}, block+5
	s := newScript(t, cfg)
	s.begin(0)
	for i, want := range []int{4 * 5, 4 * block} {
		if used := len(strings.TrimRight(string(s.body[i]), "\x00")); (used+3)/4*4 != want {
			t.Errorf("packet %d has %d bytes of values, want %d", i, used, want)
		}
	}
}

// Sums at a limit of int32 are counted: they may stand for others.
func TestClippedSumsAreCounted(t *testing.T) {
	for value, want := range map[uint32]uint64{0x7fffffff: block, 0x80000000: block, 0x7ffffffe: 0, 0x80000001: 0} {
		cfg := testConfig(0, 2, 1)
		cfg.Tensor = block
		s := newScript(t, cfg)
		s.begin(0)
		h := wire.Header{Job: 1, Sequence: 1, Flags: wire.IsAck, FanIns: [2]uint8{1, 1}}
		s.arrive(s.feed.Now, &h, value)
		out, _ := s.core.Finish(0)
		if got := s.core.count.Get(CountClipped); got != want || out.Saturated != int(want) {
			t.Errorf("%#x: %d clipped sums are counted, the outcome says %d", value, got, out.Saturated)
		}
	}
}
