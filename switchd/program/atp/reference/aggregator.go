package reference

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/program/atp"
)

// aggregator is one of the table (§3.3, Fig 6).
type aggregator struct {
	id       uint32 // job and number that it is reserved for; 0: free
	bitmap   uint32 // who is in it
	count    int
	ecn      bool
	time     units.Time // of the latest packet of its number
	values   []byte     // big-endian int32, without unstored bytes
	unstored int

	part      *atp.Part // that its packets are of, for who asks
	saturated bool
}

// reserve gives a free aggregator to a packet, and puts it in.
func (a *aggregator) reserve(now units.Time, p *atp.Packet) {
	a.id, a.bitmap, a.count, a.ecn, a.time = p.ID(), p.Bit, 1, p.Flags.Has(wire.ECN), now
	a.values, a.unstored = append(a.values[:0], p.Payload[p.Len():]...), p.Unstored
	a.part, a.saturated = p.Part, false
}

// add puts a packet in whose values are not in it; it reports whether some element has come to an
// end of the range by that.
func (a *aggregator) add(p *atp.Packet) (saturated bool) {
	end := vec.AddSatBE(a.values, p.Payload[p.Len():])
	saturated = end && !a.saturated
	a.saturated = end
	a.bitmap |= p.Bit
	a.count++
	return saturated
}

// touch notes that a packet of its number came.
func (a *aggregator) touch(now units.Time, p *atp.Packet) {
	a.ecn = a.ecn || p.Flags.Has(wire.ECN)
	a.time = now
}

// alike reports whether a packet has as many values stored as those in the aggregator.
func (a *aggregator) alike(p *atp.Packet) bool { return a.unstored == p.Unstored }

// bear makes the header of a packet that of the sum.
func (a *aggregator) bear(p *atp.Packet) {
	p.SetBitmap(p.Part.Level, a.bitmap)
	p.Climb(p.Part.Level)
	if a.ecn {
		p.Flags |= wire.ECN
	}
}

// show describes the aggregator of an index.
func (a *aggregator) show(index int) atp.Aggregator {
	return atp.Aggregator{
		Index: index, Job: uint8(a.id >> wire.SequenceBits), Sequence: a.id & (1<<wire.SequenceBits - 1),
		Bitmap: a.bitmap, Count: a.count, Part: a.part, ECN: a.ecn, Since: a.time,
	}
}
