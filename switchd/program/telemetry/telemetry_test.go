package telemetry

import (
	"bytes"
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/middlebox"
	"github.com/inalab/inalab/switchd/program/middlebox/middleboxtest"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

var _ dataplane.Engine = (*Engine)(nil)

const collectorPort sansio.Port = 7

// tap is a PFE with all that it sends.
type tap struct {
	middleboxtest.Bench
	t         rapid.TB
	e         *Engine
	forwarded int
	reports   []Report
}

func newTap(t rapid.TB, heavy units.Bytes, timing *trio.Timing) *tap {
	t.Helper()
	e, err := New(Config{
		PFE: middlebox.Config{
			Node: "pfe", Threads: 4, Timing: timing,
			Memory: mem.Config{SRAM: units.MiB, DRAM: units.MiB, Records: 64},
		},
		HeavyBytes: heavy, Reports: []sansio.Port{collectorPort},
		Collector: inet.Flow{Src: host(1), Dst: host(2), SrcPort: 9, DstPort: 4739},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &tap{t: t, e: e}
	p.Bench = middleboxtest.New(e, p.take)
	return p
}

func host(n byte) netip.Addr { return middleboxtest.Host(n) }

func (p *tap) take(_ units.Time, s *sansio.Send) {
	p.t.Helper()
	if s.To[0] == middleboxtest.Port {
		p.forwarded += s.Train.Frames()
		return
	}
	for f := range s.Train.Frames() {
		one := s.Train.Frame(f, nil)
		r, ok := ParseReport(one.Body)
		frame := bytes.Join([][]byte{one.Header, one.Body}, nil)
		l, problem := inet.Parse(frame)
		if s.To[0] != collectorPort || !ok || problem != inet.OK || inet.FlowOf(frame, l).DstPort != 4739 {
			p.t.Fatalf("by port %v leaves %x: %q", s.To, frame, problem)
		}
		p.reports = append(p.reports, r)
	}
}

const period = units.Time(DefaultPeriod)

// A pair that has sent enough within a period is reported with all that it has
// sent, once in the period; others are not, and are forgotten when they are silent.
func TestHeavyPairsAreReported(t *testing.T) {
	p := newTap(t, 5000, nil)
	var heavy units.Bytes
	for range 5 {
		heavy += p.Send(11, 12, 1400)
	}
	p.Send(12, 11, 1400)
	p.Until(period)
	if len(p.reports) != 1 || p.reports[0].Pair != (Pair{host(11), host(12), 5, heavy}) || p.reports[0].Since != heavy {
		t.Fatalf("reports %+v, want one of %v", p.reports, heavy)
	}
	last := p.Send(11, 12, 100)
	p.Until(2 * period)
	if n := p.Count(CountReports); len(p.reports) != 1 || n != 1 {
		t.Errorf("%d reports, %d counted: %v in a period is not heavy", len(p.reports), n, last)
	}
	p.Until(5 * period)
	if n := p.e.Memory().Hash().Len(); n != 0 || p.e.NextDeadline() != units.Never {
		t.Errorf("%d pairs are known after three silent periods", n)
	}
	if p.forwarded != 7 {
		t.Errorf("%d packets were forwarded, want 7", p.forwarded)
	}
}

// Frames that are not IPv4, and pairs for which there is no room, are forwarded and
// counted.
func TestNothingIsHeldUp(t *testing.T) {
	p := newTap(t, 1000, nil)
	p.ARP()
	for i := range byte(70) {
		p.Send(i, 100, 10)
	}
	if o, n := p.Count(CountOther), p.Count(CountNotCounted); o != 1 || n != 6 || p.forwarded != 71 {
		t.Errorf("%d not IPv4, %d without room, %d forwarded, want 1, 6 and 71", o, n, p.forwarded)
	}
	if _, err := New(Config{HeavyBytes: 1 << 40}); err == nil {
		t.Error("a threshold of more than 32 bits is taken")
	}
	if _, ok := ParseReport(make([]byte, 31)); ok {
		t.Error("a short report is taken")
	}
}

// Whatever packets come and however slow the PFE is: what is counted, and what was
// reported, are the packets.
func TestCountsAreThePackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var timing *trio.Timing
		if rapid.Bool().Draw(t, "timed") {
			d := trio.DefaultTiming()
			timing = &d
		}
		p := newTap(t, 300, timing)
		want := map[[2]byte]Pair{}
		n := rapid.IntRange(1, 60).Draw(t, "packets")
		for range n {
			k := [2]byte{byte(rapid.IntRange(1, 3).Draw(t, "from")), byte(rapid.IntRange(4, 6).Draw(t, "to"))}
			w := want[k]
			w.Src, w.Dst, w.Packets = host(k[0]), host(k[1]), w.Packets+1
			w.Bytes += p.Send(k[0], k[1], rapid.IntRange(0, 300).Draw(t, "body"))
			want[k] = w
			p.Until(p.Now + units.Time(rapid.SampledFrom([]int64{0, 0, 100, 20_000}).Draw(t, "pause"))*units.Time(units.Microsecond)/1000)
		}
		p.Until(p.Now + units.Time(units.Millisecond))
		got := map[[2]byte]Pair{}
		for c := range p.e.Pairs() {
			got[[2]byte{c.Src.As4()[3], c.Dst.As4()[3]}] = c
		}
		for k, w := range want {
			if got[k] != w {
				t.Fatalf("%+v is counted, want %+v", got[k], w)
			}
		}
		if len(got) != len(want) || p.forwarded != n {
			t.Fatalf("%d pairs, %d forwarded, want %d and %d", len(got), p.forwarded, len(want), n)
		}
		p.Until(p.Now + 3*period)
		for _, r := range p.reports {
			if w := want[[2]byte{r.Src.As4()[3], r.Dst.As4()[3]}]; r.Bytes > w.Bytes || r.Since > r.Bytes || r.Since < 300 {
				t.Fatalf("report %+v of %+v", r, w)
			}
		}
	})
}
