package vm

// Headroom is how many bytes headers of a packet can grow before it is moved within
// its memory: more than the headers of an encapsulation.
const Headroom = 128

// Packet is a packet between passes. Its front is its own, in memory that is used
// again; its tail, which no pass looks at before it is pulled into the front, may be
// shared with other packets and is never written.
type Packet struct {
	buf      []byte
	off, end int    // of the front in buf
	tail     []byte // borrowed
	bridged  []uint64
	facts    *Facts // of its bytes as they are; nil: nothing is known
}

// Set makes the packet head, then body, then pad zeros, all copied. It has no tail.
func (k *Packet) Set(head, body []byte, pad int) {
	n := len(head) + len(body) + pad
	k.reserve(n)
	b := k.buf[k.off:k.end]
	m := copy(b, head)
	m += copy(b[m:], body)
	clear(b[m:])
}

// SetCopy makes the packet a copy of another, of whose bytes at most front are its
// own and the rest is borrowed: that must not change until the copy is done with.
func (k *Packet) SetCopy(source *Packet, front int) {
	from := source.Front()
	n := min(len(from), front)
	if n < len(from) && len(source.tail) > 0 {
		n = len(from) // a tail is one piece
	}
	k.reserve(n)
	copy(k.buf[k.off:], from[:n])
	if k.tail = source.tail; n < len(from) {
		k.tail = from[n:]
	}
	k.Bridge(source)
}

// Bridge gives the packet the bridged metadata of another.
func (k *Packet) Bridge(from *Packet) { k.bridged = append(k.bridged[:0], from.bridged...) }

// slack is how many bytes there are behind a front, at least: a field is read with
// what follows it.
const slack = 8

// reserve makes room for a front of n bytes behind the headroom.
func (k *Packet) reserve(n int) {
	if Headroom+n+slack > len(k.buf) {
		k.buf = make([]byte, 2*Headroom+n)
	}
	k.off, k.end, k.tail, k.facts = Headroom, Headroom+n, nil, nil
}

// Front returns what the packet has of its own; its headers are there.
func (k *Packet) Front() []byte { return k.buf[k.off:k.end] }

// Tail returns what follows the front.
func (k *Packet) Tail() []byte { return k.tail }

// Len returns the length of the packet in bytes.
func (k *Packet) Len() int { return k.end - k.off + len(k.tail) }

// Pull moves bytes of the tail into the front until that has n, as far as there are
// so many.
func (k *Packet) Pull(n int) {
	if more := min(n-(k.end-k.off), len(k.tail)); more > 0 {
		if k.end+more+slack > len(k.buf) {
			k.move(Headroom, k.end-k.off+more)
		}
		copy(k.buf[k.end:], k.tail[:more])
		k.end += more
		k.tail = k.tail[more:]
	}
}

// Own copies the tail into the front, so that the packet borrows nothing.
func (k *Packet) Own() { k.Pull(k.Len()) }

// move puts the front behind headroom bytes, into memory for room bytes of front.
func (k *Packet) move(headroom, room int) {
	from := k.buf[k.off:k.end]
	if headroom+room+slack > len(k.buf) {
		k.buf = make([]byte, headroom+room+room/2+slack)
	}
	k.off, k.end = headroom, headroom+copy(k.buf[headroom:], from)
}
