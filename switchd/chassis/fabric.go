package chassis

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// target is what a train wants behind a link inside the switch. Of the fabric that is
// ports of the PFE there, or an engine; of a server the port that the engine is to see.
type target struct {
	engine *engine
	ports  []sansio.Port
	port   sansio.Port
}

// labels remembers where the trains inside one link go. A real fabric
// prepends a header of its own; here, so that frames keep their length and the
// link model need not know, a label takes the place of the destination MAC
// while a frame is inside. Links keep order, so labels come out as they went
// in; those that are skipped belonged to trains that were lost.
type labels struct {
	queue []label // oldest first
	next  uint64
}

// label is the number of a train, in 48 bits, with what it replaced.
type label struct {
	n      uint64
	target target
	mac    inet.MAC
}

// put labels a train that enters the link.
func (q *labels) put(to target, t sansio.Train, eff *sansio.Effects) sansio.Train {
	l := label{n: q.next, mac: inet.Ether(t.Header).Dst(), target: to}
	q.next = (q.next + 1) & (1<<48 - 1)
	// The list of ports is the sender's only until its effects were carried out.
	if last := len(q.queue) - 1; last >= 0 && slices.Equal(q.queue[last].target.ports, to.ports) {
		l.target.ports = q.queue[last].target.ports
	} else {
		l.target.ports = slices.Clone(to.ports)
	}
	q.queue = append(q.queue, l)
	return withDst(t, macOf(l.n), eff)
}

// strip takes the label off a train that leaves the link. A train that the
// link split comes in parts of one label.
func (q *labels) strip(t sansio.Train, eff *sansio.Effects) (sansio.Train, label) {
	n := numberOf(inet.Ether(t.Header).Dst())
	i := slices.IndexFunc(q.queue, func(l label) bool { return l.n == n })
	if i < 0 {
		panic("chassis: a train left the fabric that had not entered it")
	}
	q.queue = q.queue[i:]
	return withDst(t, q.queue[0].mac, eff), q.queue[0]
}

// clear forgets all labels; the link must be empty.
func (q *labels) clear() {
	clear(q.queue)
	q.queue = q.queue[:0]
}

func withDst(t sansio.Train, dst inet.MAC, eff *sansio.Effects) sansio.Train {
	h := eff.Header(len(t.Header))
	copy(h, t.Header)
	copy(h, dst[:])
	t.Header = h
	return t
}

func macOf(n uint64) inet.MAC {
	return inet.MAC{byte(n >> 40), byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
}

func numberOf(m inet.MAC) uint64 {
	return uint64(m[0])<<40 | uint64(m[1])<<32 | uint64(m[2])<<24 | uint64(m[3])<<16 | uint64(m[4])<<8 | uint64(m[5])
}
