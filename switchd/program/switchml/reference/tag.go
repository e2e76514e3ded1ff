package reference

import wire "github.com/inalab/inalab/internal/wire/switchml"

// tag numbers the packets of a slot, so far as they tell: job byte and low 24 bits of the
// packet id. Both count up at every worker alike, and wrap.
type tag uint32

func tagOf(h *wire.Header) tag { return tag(h.Job)<<24 | tag(h.PacketID&(1<<24-1)) }

// after reports whether t is later than u, where less than half of all job bytes are between.
func (t tag) after(u tag) bool { return int32(t-u) > 0 }

// quarter is a fourth of all job bytes. A job counts how many its packets have come through,
// by which a tag is known to be too old to compare: modulo 4, that is where the newest byte is.
const quarter = 64

// firstQuarters is what that is at least: more than 1 further than slots that are not used yet.
const firstQuarters = 4

// stamp says what a set of a slot was last used for.
type stamp struct {
	quarters uint32
	tag      tag
}

// newer reports whether a set is in a later phase than a packet, p. Its tag tells if it is in
// the quarter before, or a later one: then less than half of all bytes are between.
func (s stamp) newer(p stamp) bool { return s.quarters+1 >= p.quarters && s.tag.after(p.tag) }

// stampOf takes a packet into the count of quarters, and reports how many it is behind.
func (j *job) stampOf(h *wire.Header) (p stamp, behind uint32) {
	at := uint32(h.Job / quarter)
	if (j.quarters+1)%4 == at {
		j.quarters++
	}
	behind = (j.quarters - at) % 4
	return stamp{j.quarters - min(behind, 1), tagOf(h)}, behind
}

// late reports of a packet whether the other set of its slot is in a later phase, and whether
// its own set is not: it is of the phase there, or the first of the next. A packet that is two
// quarters behind has been on its way for too long to leave a stamp.
func (j *job) late(h *wire.Header) (late, current bool) {
	p, behind := j.stampOf(h)
	own, other := &j.pool[h.Set][h.Slot].stamp, &j.pool[1-h.Set][h.Slot].stamp
	if current = !own.newer(p); current && behind < 2 {
		*own = p
	}
	return other.newer(p), current
}
