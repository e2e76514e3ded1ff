package trio

import (
	"bytes"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
)

// packet is one packet inside the PFE: one that arrived, or one that a thread
// has created.
//
//	arrived  | train.Header | train.Body            | unstored             |
//	         |<- head: first 206 bytes ->|<- tail ------------------------>|
//	created  | head, taken from LMEM     | tail, as TailWrite wrote it     |
type packet struct {
	train   sansio.Train // of one frame; not of a created packet
	arrived units.Time   // of a created packet: when that of its thread arrived
	from    sansio.Port
	created bool
	number  uint64 // in the order of arrival, from 1; of a created packet: that of its thread's

	head   int    // bytes in LMEM
	start  int    // byte of LMEM at which they begin
	tail   []byte // content of the tail; bytes behind it are zero
	out    []byte // the head as it leaves; empty: as it came
	to     []sansio.Port
	charge units.Bytes // what it takes of the packet memory

	flow      *flow   // whose order it keeps; nil: none
	next      *packet // that came after it in the flow
	held      bool    // in the reorder engine
	pending   bool    // on its way out
	ended     bool    // its thread has ended
	outOfFlow bool    // no longer in the flow

	index  int // of the frame in its train; instant mode
	header [headerHere]byte
	memory []byte // for what has to be copied: the body, or the tail of a created packet
}

// headerHere is the length of the headers that a packet has room for: Ethernet,
// IPv4, and TCP with a time stamp, rounded up. Longer ones are rare.
const headerHere = 72

// length returns the bytes of an arrived packet, unstored bytes included.
func (k *packet) length() int { return len(k.train.Header) + len(k.train.Body) + k.train.Unstored }

// arrive makes k frame i of a train. Header and body stay borrowed unless the
// header has to be derived.
func (k *packet) arrive(t *sansio.Train, i int, from sansio.Port, now units.Time) {
	if t.Single() {
		k.train.Set(t)
	} else {
		k.train = t.Frame(i, k.header[:0])
	}
	k.from, k.arrived, k.index = from, now, i
	k.created, k.out, k.to = false, k.out[:0], nil
	k.pending, k.held, k.ended, k.outOfFlow = false, false, false, false
	k.divide()
}

// divide finds head and tail. Only a frame that was not parsed has a header that
// is longer than a head; all of it counts as header.
func (k *packet) divide() {
	t := &k.train
	if len(t.Header) > isa.HeadBytes && len(t.Body) > 0 {
		k.memory = append(append(k.memory[:0], t.Header...), t.Body...)
		t.Header, t.Body, t.Memory = k.memory, nil, nil
	}
	k.head, k.start = min(k.length(), isa.HeadBytes), isa.HeadStart
	if header := len(t.Header); header <= isa.HeadBytes {
		k.tail = t.Body[min(len(t.Body), isa.HeadBytes-header):]
	} else {
		k.tail = t.Header[isa.HeadBytes:]
	}
}

// own makes the packet independent of the arrival it came with.
func (k *packet) own() {
	t := &k.train
	if len(t.Header) > 0 && &k.header[0] != &t.Header[0] {
		t.Header = append(k.header[:0], t.Header...)
	}
	if t.Memory != nil {
		t.Memory.Keep()
	} else {
		k.memory = append(k.memory[:0], t.Body...)
		t.Body = k.memory
	}
	k.divide()
}

// create makes k a new packet of a thread, with a head of n bytes and no tail.
func (k *packet) create(n int, arrived units.Time) {
	k.train = sansio.Train{}
	k.arrived, k.created, k.from = arrived, true, 0
	k.head, k.start, k.memory, k.out, k.to = n, isa.HeadStart, k.memory[:0], k.out[:0], nil
	k.tail = k.memory
	k.flow, k.next, k.charge = nil, nil, 0
	k.pending, k.held, k.ended, k.outOfFlow = false, false, false, false
}

// readTail fills b with the bytes of the tail from an offset on; what is not
// there is zero.
func (k *packet) readTail(offset uint64, b []byte) {
	n := 0
	if offset < uint64(len(k.tail)) {
		n = copy(b, k.tail[offset:])
	}
	clear(b[n:])
}

// writeTail writes into the tail of a created packet.
func (k *packet) writeTail(offset int, b []byte) { copy(k.extend(offset, len(b)), b) }

// extend returns n bytes of the tail of a created packet, to be written. The tail
// becomes as long as it has to; what lies between is zero.
func (k *packet) extend(offset, n int) []byte {
	old, end := len(k.memory), offset+n
	if end > old {
		if end > cap(k.memory) {
			k.memory = append(make([]byte, 0, max(end, 2*cap(k.memory))), k.memory...)
		}
		k.memory = k.memory[:end]
		if offset > old {
			clear(k.memory[old:offset])
		}
	}
	k.tail = k.memory
	return k.memory[offset:end]
}

// load puts the head into LMEM, which is zero.
func (k *packet) load(lmem *[isa.LMEMBytes]byte) {
	head := lmem[isa.HeadStart : isa.HeadStart+isa.HeadBytes]
	n := copy(head, k.train.Header)
	copy(head[n:], k.train.Body)
}

// unload takes the head from LMEM, unless it is as it came.
func (k *packet) unload(lmem *[isa.LMEMBytes]byte) {
	head := lmem[k.start : k.start+k.head]
	if k.created || k.reshaped() || !k.unchanged(head) {
		k.out = append(k.out[:0], head...)
	}
}

// unchanged reports whether the head of an arrived packet is as it came; unstored
// bytes do not count.
func (k *packet) unchanged(head []byte) bool {
	header, body := k.train.Header, k.train.Body
	if len(header) >= len(head) {
		return bytes.Equal(head, header[:len(head)])
	}
	rest := head[len(header):]
	n := min(len(rest), len(body))
	return bytes.Equal(head[:len(header)], header) && bytes.Equal(rest[:n], body[:n])
}
