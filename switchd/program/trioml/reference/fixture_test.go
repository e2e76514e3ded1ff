package reference

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"strings"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

var _ dataplane.Engine = (*Program)(nil)

const (
	ms = units.Time(units.Millisecond)
	us = units.Time(units.Microsecond)
)

func resultFlow() inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{1, 0, 0x5e, 0, 0, 7},
		Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("239.0.0.7"), SrcPort: wire.Port, DstPort: wire.Port,
	}
}

// job returns job id 1 with sources 0 to n-1 and results on port 9.
func testJob(n int) trioml.Job {
	j := trioml.Job{ID: 1, Out: resultFlow(), To: []sansio.Port{9}, OutSource: 99}
	for s := range n {
		j.Sources = append(j.Sources, uint8(s))
	}
	return j
}

// bench drives one program and takes its results apart.
type bench struct {
	t      rapid.TB
	p      *Program
	now    units.Time
	eff    sansio.Effects
	events []trace.Event
	out    []output
}

// output is a result packet and when it left.
type output struct {
	at    units.Time
	h     wire.Header
	grads []int32
}

func (b *bench) Event(e *trace.Event) { b.events = append(b.events, *e) }

func newBench(t rapid.TB, cfg trioml.Config) *bench {
	t.Helper()
	b := &bench{t: t}
	cfg.Trace, cfg.Node = b, "pfe"
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.p = p
	return b
}

// packet builds the UDP payload of a contribution; Job 0 means 1, SrcCnt 0 means 1.
func packet(h wire.Header, grads ...int32) []byte {
	if h.Job == 0 {
		h.Job = 1
	}
	if h.SrcCnt == 0 {
		h.SrcCnt = 1
	}
	h.Grads = uint16(len(grads))
	b := make([]byte, wire.HeaderLen)
	h.Put(b)
	for _, g := range grads {
		b = binary.BigEndian.AppendUint32(b, uint32(g))
	}
	return b
}

// arrival wraps payloads of one size (the last may be shorter) into a train.
func arrival(payloads ...[]byte) sansio.Arrival {
	body := bytes.Join(payloads, nil)
	flow := resultFlow()
	flow.Src, flow.Dst = netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("10.0.0.1")
	header := inet.UDPHeader(flow)
	inet.SetUDPBody(header, len(body))
	return sansio.Arrival{Train: sansio.Train{Header: header, Body: body, Seg: len(payloads[0])}}
}

// send hands payloads over one by one at the current time and returns the
// results that left at once.
func (b *bench) send(payloads ...[]byte) []output {
	before := len(b.out)
	for _, p := range payloads {
		b.handle(arrival(p))
	}
	return b.out[before:]
}

func (b *bench) handle(in ...sansio.Arrival) {
	b.p.Handle(b.now, in, &b.eff)
	b.collect()
}

// advance moves the time to and runs the timer threads when they are due.
func (b *bench) advance(to units.Time) []output {
	before := len(b.out)
	for d := b.p.NextDeadline(); d <= to; d = b.p.NextDeadline() {
		if d < b.now {
			b.t.Fatalf("deadline %v lies in the past of %v", d, b.now)
		}
		b.now = d
		b.p.Expire(d, &b.eff)
		b.collect()
	}
	b.now = to
	return b.out[before:]
}

// collect takes the results out of the effects and checks their headers.
func (b *bench) collect() {
	b.t.Helper()
	for _, s := range b.eff.Sends {
		if len(s.To) == 0 {
			b.t.Fatal("a result leaves by no port")
		}
		for i := range s.Train.Frames() {
			f := s.Train.Frame(i, nil)
			frame := append(append([]byte(nil), f.Header...), f.Body...)
			l, problem := inet.Parse(frame)
			if problem != inet.OK || l.End != len(frame) || !inet.IPv4(frame[inet.EtherLen:]).ChecksumOK() {
				b.t.Fatalf("result frame %x: %q", frame[:inet.UDPHeaders], problem)
			}
			if got := inet.FlowOf(frame, l); got != resultFlow() {
				b.t.Fatalf("result goes %+v, want %+v", got, resultFlow())
			}
			h, bad := wire.Parse(f.Body)
			if bad != wire.OK {
				b.t.Fatalf("result is no packet of Trio-ML: %s", bad)
			}
			o := output{at: b.now, h: h}
			for g := wire.HeaderLen; g < len(f.Body); g += 4 {
				o.grads = append(o.grads, int32(binary.BigEndian.Uint32(f.Body[g:])))
			}
			b.out = append(b.out, o)
		}
	}
	b.eff.Reset()
}

// count returns the counter of that name.
func (b *bench) count(name string) uint64 {
	for _, c := range b.p.Counters() {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

func (b *bench) wantCounts(want map[string]uint64) {
	b.t.Helper()
	for name, n := range want {
		if got := b.count(name); got != n {
			b.t.Errorf("%s: %d, want %d", name, got, n)
		}
	}
}

// wantOne checks that exactly one result is there and returns it.
func wantOne(t rapid.TB, out []output) output {
	t.Helper()
	if len(out) != 1 {
		t.Fatalf("%d results, want 1: %+v", len(out), out)
	}
	return out[0]
}

func sameInts(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// transcript writes events as lines that a person can read.
type transcript struct{ strings.Builder }

func (w *transcript) Event(e *trace.Event) {
	fmt.Fprintf(w, "%11v  gen %d block %d  %-13s", e.At, e.Gen, e.Block, e.Kind)
	switch e.Kind {
	case trace.Dropped:
		fmt.Fprintf(w, " from source %d: %s", e.Source, e.Note)
	case trace.BlockOpened:
		fmt.Fprintf(w, " by source %d", e.Source)
	case trace.Contribution:
		fmt.Fprintf(w, " of source %d, now in: %s", e.Source, sources(e.Mask))
	case trace.Scanned:
		fmt.Fprintf(w, " heard of lately, in: %s", sources(e.Mask))
	case trace.BlockAged:
		fmt.Fprintf(w, " with only %s", sources(e.Mask))
	case trace.BlockSent:
		fmt.Fprintf(w, " sum of %s, src_cnt %d", sources(e.Mask), e.Count)
		if e.Degraded {
			w.WriteString(", degraded")
		}
	}
	w.WriteString("\n")
}

func sources(m trace.Mask) string {
	var out []string
	for word, v := range m {
		for ; v != 0; v &= v - 1 {
			out = append(out, fmt.Sprint(64*word+bits.TrailingZeros64(v)))
		}
	}
	return strings.Join(out, " ")
}
