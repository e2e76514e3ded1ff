package reference

import (
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// tag numbers the phases of a slot, so far as packets tell: job byte and low 24
// bits of the packet id. Both count up at every worker alike, and wrap.
type tag uint32

// window is how far apart the phases may be that a slot meets: four jobs of a
// client, for the top byte counts its jobs. A packet that is older than that would
// count as new; none stays on its way so long (assumed).
const window tag = 1 << 26

func tagOf(h *wire.Header) tag { return firstTag(h.Job) | tag(h.PacketID&(1<<24-1)) }

// firstTag is the lowest tag of a job byte.
func firstTag(job uint8) tag { return tag(job) << 24 }

// after reports whether t is of a later phase than u.
func (t tag) after(u tag) bool {
	d := t - u
	return 0 < d && d < window
}

// late takes a packet's tag into its slot, unless the packet is late.
func (j *job) late(h *wire.Header) bool {
	s, other, row := &j.pool[h.Set][h.Slot], &j.pool[1-h.Set][h.Slot], &j.lateInRow[h.Slot]
	t := tagOf(h)
	if other.tag.after(t) {
		if *row++; *row < switchml.LateLimit {
			return true
		}
		other.tag = t
	}
	*row, s.tag = 0, t
	return false
}
