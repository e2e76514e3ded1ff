package traffic

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/meter"
)

// Sink counts what comes of a flow of UDP. It is a [sansio.Machine] without timers.
type Sink struct {
	sansio.Untimed
	Options bool         // packets have some in their IP header, of which a live host does not tell
	Meter   *meter.Meter // of the payload of UDP; may be nil

	got   Received
	next  uint64 // number behind the highest that came
	drops sansio.Tally
}

// Handle takes packets of the flow.
func (s *Sink) Handle(now units.Time, in []sansio.Arrival, _ *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		ip, _, ok := t.UDP()
		if !ok {
			s.drops.Add(DropUnexpected, uint64(t.Frames()))
			continue
		}
		for k := range t.Frames() {
			s.packet(now, t, k, ip.ECN() == inet.CE)
		}
	}
}

func (s *Sink) packet(now units.Time, t *sansio.Train, k int, marked bool) {
	body := t.Payload(k)
	if len(body) < stampBytes {
		s.drops.Add(DropUnexpected, 1)
		return
	}
	number := binary.BigEndian.Uint64(body)
	delay := now.Sub(units.Time(binary.BigEndian.Uint64(body[8:])))
	got := &s.got
	got.Packets++
	got.Bytes += LeastPacket(s.Options) + units.Bytes(len(body)+t.Unstored-stampBytes)
	got.Last = now
	s.Meter.Add(now, units.Bytes(len(body)+t.Unstored))
	got.DelaySum, got.DelayMax = got.DelaySum+delay, max(got.DelayMax, delay)
	if marked {
		got.Marks++
	}
	if number < s.next {
		got.Reordered++
	}
	s.next = max(s.next, number+1)
}

// Received returns what came so far.
func (s *Sink) Received() Received {
	got := s.got
	got.Lost = s.next - min(s.next, got.Packets)
	return got
}

// Counters returns drops by reason.
func (s *Sink) Counters() []sansio.Count { return s.drops.List() }
