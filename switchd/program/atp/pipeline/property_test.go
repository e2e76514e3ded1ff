package pipeline

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/program/atp"
)

func dump(v any) string {
	if b, ok := v.([]byte); ok {
		return fmt.Sprintf("%x", b)
	}
	return fmt.Sprintf("%+v", v)
}

// drawConfig returns a switch with jobs at either level.
func drawConfig(t *rapid.T) atp.Config {
	n := rapid.IntRange(1, 3).Draw(t, "jobs")
	levels := rapid.SliceOfN(rapid.IntRange(0, 1), n, n).Draw(t, "levels")
	sources := rapid.SliceOfN(rapid.IntRange(1, 4), n, n).Draw(t, "sources")
	cfg := configOf(rapid.SampledFrom([]int{0, 1, 2, 3, 5}).Draw(t, "aggregators"), levels, sources)
	if rapid.Bool().Draw(t, "second server") {
		j := &cfg.Jobs[0]
		j.Servers = append(j.Servers, serverOf(j.ID, 1, 1-levels[0], 2, 6))
	}
	return cfg
}

// drawValue returns one that often clips.
func drawValue(t *rapid.T) int32 {
	return rapid.SampledFrom([]int32{0, 1, -5, 1000, 1 << 30, -1 << 30, -1 << 31, math.MaxInt32, math.MaxInt32 - 1, -math.MaxInt32}).Draw(t, "value")
}

// drawPacket returns a packet of a job, mostly as it should be.
func drawPacket(t *rapid.T, cfg *atp.Config) *packet {
	j := &cfg.Jobs[rapid.IntRange(0, len(cfg.Jobs)-1).Draw(t, "job")]
	s := &j.Servers[rapid.IntRange(0, len(j.Servers)-1).Draw(t, "server")]
	level := 0
	if s.Levels[1].FanIn() > 0 {
		level = 1
	}
	sequence := uint32(rapid.IntRange(1, 4).Draw(t, "sequence"))
	index := uint16(sequence) % uint16(max(cfg.Aggregators, 1))
	var p *packet
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0, 1:
		p = parameter(s, j.ID, sequence, index)
	case 2, 3:
		p = gradient(s, j.ID, level, rapid.IntRange(0, s.Levels[level].FanIn()-1).Draw(t, "source"), sequence, index)
		p.Flags |= wire.Resend
	default:
		p = gradient(s, j.ID, level, rapid.IntRange(0, s.Levels[level].FanIn()-1).Draw(t, "source"), sequence, index)
	}
	a, b := drawValue(t), drawValue(t)
	for i := range p.values {
		p.values[i] = int32(i)
		if i%3 == 0 {
			p.values[i] = a
		}
		if i%5 == 0 {
			p.values[i] = b
		}
	}
	p.ce = rapid.IntRange(0, 9).Draw(t, "marked") == 0
	if rapid.IntRange(0, 5).Draw(t, "odd") == 0 {
		spoil(t, p)
	}
	return p
}

// spoil makes something of a packet other than it should be.
func spoil(t *rapid.T, p *packet) {
	switch rapid.IntRange(0, 13).Draw(t, "what is odd") {
	case 0:
		p.Index = uint16(rapid.IntRange(0, 1<<16-1).Draw(t, "index"))
	case 1:
		p.port = (p.port + 1) % MaxPorts
	case 2:
		p.Header.Job = 9
	case 3:
		p.FanIns[rapid.IntRange(0, 1).Draw(t, "level")] = 7
	case 4:
		p.Flags |= wire.Overflow
	case 5:
		p.Flags ^= wire.EdgeSwitch
	case 6:
		p.Sequence = 0
	case 7:
		p.Bitmaps[rapid.IntRange(0, 1).Draw(t, "level")] = 0
	case 8:
		p.Bitmaps = [2]uint32{3, 3}
	case 9:
		p.cut = rapid.SampledFrom([]int{1, 4, 248, 249, 264, -1, -8}).Draw(t, "cut")
	case 10:
		p.src = hostAddr(99)
	case 11:
		p.dst = hostAddr(98)
	case 12:
		p.Flags ^= rapid.SampledFrom([]wire.Flags{wire.ECN, wire.Collision, wire.Resend, wire.Overflow | wire.Resend, wire.IsAck}).Draw(t, "flag")
	default:
		p.Index++
	}
}

// drawArrivals returns trains that come at once. Packets of one train have one flow.
func drawArrivals(t *rapid.T, cfg *atp.Config, unstored bool) (in []sansio.Arrival) {
	for range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "trains") {
		p := drawPacket(t, cfg)
		var more []*packet
		switch {
		case unstored && p.cut == 0:
			p.unstored = wire.PayloadLen - wire.HeaderLen
		case p.cut == 0:
			for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "more packets") {
				q := *p
				q.Sequence = 1 + q.Sequence%4
				more = append(more, &q)
			}
		}
		in = append(in, arrival(p, more...))
	}
	return in
}

// Packet by packet, the chip does what the reference program does: the same frames, counters,
// events, aggregators.
func TestChipDoesWhatTheReferenceProgramDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		w := newTwin(t, cfg, Options{OneByOne: rapid.IntRange(0, 9).Draw(t, "one by one") == 0})
		unstored := rapid.IntRange(0, 4).Draw(t, "unstored") == 0
		for range rapid.IntRange(1, 60).Draw(t, "packets") {
			switch rapid.IntRange(0, 40).Draw(t, "do") {
			case 0:
				if a, b := w.ref.Forget(w.now), w.e.Forget(w.now); a != b {
					t.Fatalf("the chip has forgotten %d aggregators, the reference program %d", b, a)
				}
			case 1:
				w.again(&cfg.Jobs[rapid.IntRange(0, len(cfg.Jobs)-1).Draw(t, "job that begins again")])
			case 2:
				w.now = w.now.Add(age + tick*rapid.SampledFrom([]units.Duration{-10, -9, 100}).Draw(t, "ticks beside the age"))
			default:
				w.now = w.now.Add(tick * 10)
				w.give(drawArrivals(t, &cfg, unstored)...)
			}
			w.agree()
		}
	})
}

// again takes a job out and sets it up once more, in both.
func (w *twin) again(j *atp.Job) {
	w.t.Helper()
	for _, e := range []atpEngine{w.ref, w.e} {
		if _, err := e.RemoveJob(w.now, j.ID); err != nil {
			w.t.Fatal(err)
		}
	}
	w.agree()
	for _, e := range []atpEngine{w.ref, w.e} {
		if _, err := e.AddJob(w.now, j); err != nil {
			w.t.Fatal(err)
		}
	}
}
