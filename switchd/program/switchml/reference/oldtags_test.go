package reference

import (
	"testing"

	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/clienttest"
)

// oldTags is a rule for late packets that was the program's: tags of job byte and packet id
// that wrap every 256 tensors, of which some are later than a packet by up to four tensors.
// The 16th late packet of a slot in a row is taken for new.
type oldTags struct {
	slots []oldSlot
	marks [][2]oldSlot // of patterns
}

type oldSlot struct {
	tag [2]uint32 // by set
	row int
}

func (o *oldTags) late(h *wire.Header) bool {
	const window, limit = 1 << 26, 16
	s, tag, set := &o.slots[h.Slot], uint32(h.Job)<<24|h.PacketID&(1<<24-1), h.Set
	if ahead := s.tag[1-set] - tag; 0 < ahead && ahead < window {
		if s.row++; s.row < limit {
			return true
		}
		s.tag[1-set] = tag
	}
	s.row, s.tag[set] = 0, tag
	return false
}

// newOldSwitch is Algorithm 3 behind the old rule, which answered a late packet of the phase
// in its set whose worker still waited.
func newOldSwitch(t testing.TB, c clienttest.Config) *clientSwitch {
	s := newClientSwitch(t, c, true)
	old := &oldTags{slots: make([]oldSlot, c.Slots())}
	s.first = func(p *clienttest.Packet) bool {
		h := p.Header(elements)
		at := &s.job().pool[h.Set][h.Slot]
		waits := old.slots[h.Slot].tag[h.Set] == uint32(h.Job)<<24|h.PacketID && at.count == 0 && at.seen.Has(uint8(p.Worker))
		return old.late(&h) && !waits
	}
	return s
}
