package tensor

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
)

// HeaderLen is what precedes a message.
const HeaderLen = 12

// Header is what a message says of itself.
type Header struct {
	Gen   int // generation
	Kind  int // which message of the generation: a step, a shard
	Bytes int // that follow
}

// Put writes the header.
func (h Header) Put(b []byte) {
	binary.BigEndian.PutUint32(b[0:], uint32(h.Gen))
	binary.BigEndian.PutUint32(b[4:], uint32(h.Kind))
	binary.BigEndian.PutUint32(b[8:], uint32(h.Bytes))
}

// Send sends a part of values by ports: behind a header where the part is the
// first of a message, else alone.
func Send(to []sansio.Port, h *Header, values []byte, p Part, eff *sansio.Effects) {
	n := p.Hi - p.Lo
	if h == nil {
		b := eff.Body(n)
		copy(b, values[p.Lo:p.Hi])
		eff.Send(to, sansio.Train{Body: b, Unstored: p.Unstored})
		return
	}
	b := eff.Body(HeaderLen + n)
	h.Put(b)
	copy(b[HeaderLen:], values[p.Lo:p.Hi])
	eff.Send(to, sansio.Train{Body: b, Unstored: p.Unstored})
}

// Reader is what has come by a stream and was not taken yet. The zero value is
// the start of a stream.
type Reader struct {
	real     []byte
	head     int // index in real of the next byte
	unstored int // unstored bytes that came and were not taken

	inside bool // the header of a message was taken, and the message was not
	taken  int  // bytes of it that were
}

// Add takes what the stream brought.
func (r *Reader) Add(t *sansio.Train) {
	if r.head > len(r.real)/2 { // so that a byte is moved once on average
		r.real = r.real[:copy(r.real, r.real[r.head:])]
		r.head = 0
	}
	r.real = append(r.real, t.Body...)
	r.unstored += t.Unstored
}

// Empty reports whether all was taken.
func (r *Reader) Empty() bool { return r.head == len(r.real) && r.unstored == 0 }

// State says whether what is wanted of a stream can be taken.
type State uint8

// States of a stream.
const (
	Short State = iota // it has not come yet
	Ready
	Wrong // it is not what comes next, and never will be
)

// Next takes the next slice, of at most so many bytes, of the message that comes: a part
// behind this header. Ready, it returns the values, valid until the next Add.
func (r *Reader) Next(h Header, p Part, most int) (s Slice, values []byte, state State) {
	if !r.inside {
		if state := r.header(h); state != Ready {
			return s, nil, state
		}
		r.inside = true
	}
	s = p.Slice(r.taken, most)
	if state := r.has(s.Part); state != Ready {
		return s, nil, state
	}
	r.taken += s.Bytes()
	if s.Last {
		r.inside, r.taken = false, 0
	}
	return s, r.take(s.Part), Ready
}

// header takes the header of the next message, which must be want.
func (r *Reader) header(want Header) State {
	if s := r.has(Part{Hi: HeaderLen}); s != Ready {
		return s
	}
	var b [HeaderLen]byte
	want.Put(b[:])
	if [HeaderLen]byte(r.real[r.head:]) != b {
		return Wrong
	}
	r.head += HeaderLen
	return Ready
}

// has says whether all bytes of a part are here.
func (r *Reader) has(p Part) State {
	switch n := len(r.real) - r.head; {
	case n >= p.Hi-p.Lo && r.unstored >= p.Unstored:
		return Ready
	case n < p.Hi-p.Lo && r.unstored > 0: // unstored bytes come behind the values
		return Wrong
	}
	return Short
}

// take takes a part that is here and returns its values.
func (r *Reader) take(p Part) []byte {
	n := p.Hi - p.Lo
	r.head += n
	r.unstored -= p.Unstored
	return r.real[r.head-n : r.head]
}
