package impair

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

const (
	us = units.Microsecond
	ms = units.Millisecond

	headerLen = inet.UDPHeaders
	overhead  = headerLen + int(units.EthernetFraming)
)

// train returns UDP frames with ordinals first, first+1, ... in the last bytes
// of each payload of size bytes, at least 4.
func train(first, frames, size int) sansio.Train {
	h := inet.UDPHeader(inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{2, 0, 0, 0, 0, 2},
		Src: netip.MustParseAddr("10.1.0.1"), Dst: netip.MustParseAddr("10.1.0.2"), SrcPort: 1, DstPort: 2,
	})
	inet.IPv4(h[inet.EtherLen:]).SetID(uint16(first%0xffff + 1))
	inet.SetUDPBody(h, frames*size)
	sansio.FillPartial(h, frames*size)
	body := make([]byte, frames*size)
	for i := range frames {
		binary.BigEndian.PutUint32(body[(i+1)*size-4:], uint32(first+i))
	}
	return sansio.Train{Header: h, Body: body, Seg: size, Checksum: sansio.ChecksumPartial}
}

// frameOf returns a train of one of size bytes in all, framing not counted.
func frameOf(id, size int) sansio.Train { return train(id, 1, size-headerLen) }

// seen is one frame that left a link.
type seen struct {
	at    units.Time
	id    int
	bytes string // all of the frame
	train int    // ordinal of the send it was in
}

// String leaves out the train and rounds nothing.
func (s seen) String() string { return fmt.Sprintf("%d@%d:%x", s.id, int64(s.at), s.bytes) }

// bench drives one link as a runner with exact deadlines does.
type bench struct {
	link  *Link
	eff   sansio.Effects
	seen  []seen
	sends int
	fail  func(format string, args ...any)
}

func newBench(t interface{ Fatalf(string, ...any) }, cfg Config) *bench {
	l, err := New(cfg)
	if err != nil {
		t.Fatalf("%v", err)
	}
	l.Begin(0)
	return &bench{link: l, fail: t.Fatalf}
}

// runTo lets every deadline up to t pass.
func (b *bench) runTo(t units.Time) {
	for d := b.link.NextDeadline(); d <= t && d != units.Never; d = b.link.NextDeadline() {
		b.link.Expire(d, &b.eff)
		if b.link.NextDeadline() <= d {
			b.fail("deadline %v stands after Expire(%v)", b.link.NextDeadline(), d)
		}
		b.collect(d)
	}
}

// at hands trains over at t, and spoils their memory afterwards.
func (b *bench) at(t units.Time, trains ...sansio.Train) {
	b.runTo(t)
	var in []sansio.Arrival
	for i, tr := range trains {
		tr.Header, tr.Body = slices.Clone(tr.Header), slices.Clone(tr.Body)
		in = append(in, sansio.Arrival{Port: sansio.Port(i), Train: tr})
	}
	b.link.Handle(t, in, &b.eff)
	b.collect(t)
	for _, a := range in {
		clear(a.Train.Header)
		clear(a.Train.Body)
	}
}

func (b *bench) drain() { b.runTo(units.Never) }

func (b *bench) collect(now units.Time) {
	for _, s := range b.eff.Sends {
		if len(s.To) != 1 || s.To[0] != b.link.cfg.Out {
			b.fail("sent to ports %v", s.To)
		}
		for i := range s.Train.Frames() {
			f := s.Train.Frame(i, nil)
			b.seen = append(b.seen, seen{now, int(binary.BigEndian.Uint32(f.Body[len(f.Body)-4:])), string(f.Header) + string(f.Body), b.sends})
		}
		b.sends++
	}
	b.eff.Reset()
}

func (b *bench) ids() []int {
	var ids []int
	for _, s := range b.seen {
		ids = append(ids, s.id)
	}
	return ids
}

func (b *bench) times() []units.Time {
	var at []units.Time
	for _, s := range b.seen {
		at = append(at, s.at)
	}
	return at
}

// lost returns the ordinals below n that did not arrive.
func (b *bench) lost(n int) []int {
	got := map[int]bool{}
	for _, s := range b.seen {
		got[s.id] = true
	}
	var lost []int
	for i := range n {
		if !got[i] {
			lost = append(lost, i)
		}
	}
	return lost
}

func (b *bench) count(name string) uint64 {
	i, ok := slices.BinarySearchFunc(b.link.Counters(), name, func(c sansio.Count, name string) int { return cmp.Compare(c.Name, name) })
	if !ok {
		b.fail("no counter %q", name)
	}
	return b.link.Counters()[i].N
}

func streams(seed rng.Root) (loss, jitter *rng.Stream) {
	return seed.Stream("link/test/loss"), seed.Stream("link/test/jitter")
}

// reseed gives a link all streams anew.
func (c *Config) reseed(seed rng.Root) {
	c.LossStream, c.JitterStream = streams(seed)
	c.BurstStream, c.MarkStream = seed.Stream("link/test/bursts"), seed.Stream("link/test/mark")
	c.ReorderStream, c.DuplicateStream, c.CorruptStream = seed.Stream("link/test/reorder"), seed.Stream("link/test/duplicate"), seed.Stream("link/test/corrupt")
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
