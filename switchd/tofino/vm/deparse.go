package vm

import "github.com/inalab/inalab/internal/wire/inet"

// checksum is a field that a deparser fills in.
type checksum struct {
	head  int
	field *Ref
}

func (s *Pass) fill(sums []checksum) {
	for _, c := range sums {
		if s.valid(c.head) {
			s.Put(c.field, 0)
			s.Put(c.field, uint64(^inet.Fold(inet.Sum(s.header(c.head), 0))))
		}
	}
}

// deparse writes the valid headers before what was not parsed. From the last to the
// first they stay as long as they stand where they belong; those before are moved.
func (s *Pass) deparse(order []int) {
	k, at, i := s.packet, s.cursor, len(order)-1
	for ; i >= 0; i-- {
		h := &s.heads[order[i]]
		if h.pass != s.pass {
			continue
		}
		if h.at < 0 || int(h.at)+s.code.lengths[order[i]] != at {
			break
		}
		at = int(h.at)
	}
	if k.off = at; i < 0 {
		return
	}
	s.order = order
	if begin, end := s.together(order[:i+1]); end > 0 && end-begin <= at {
		k.off = at - (end - begin)
		copy(k.buf[k.off:], k.buf[begin:end])
		return
	}
	s.gather(order[:i+1])
	if len(s.moved) > at {
		k.move(len(s.moved)+Headroom, k.end-at)
	}
	k.off -= len(s.moved)
	copy(k.buf[k.off:], s.moved)
}

// together returns where the valid ones of headers are, if they stand together in the
// memory of the packet; else the end is 0.
func (s *Pass) together(order []int) (begin, end int) {
	for _, o := range order {
		h := &s.heads[o]
		if h.pass != s.pass {
			continue
		}
		switch {
		case h.at < 0:
			return 0, 0
		case end == 0:
			begin, end = int(h.at), int(h.at)
		case int(h.at) != end:
			return 0, 0
		}
		end += s.code.lengths[o]
	}
	return begin, end
}

// gather copies the valid ones of headers to s.moved. What stands together already is
// copied together.
func (s *Pass) gather(order []int) {
	s.moved = s.moved[:0]
	begin, end := 0, 0 // of a run of headers in the memory of the packet
	for _, o := range order {
		h := &s.heads[o]
		switch {
		case h.pass != s.pass:
		case h.at >= 0 && int(h.at) == end:
			end += s.code.lengths[o]
		default:
			s.moved = append(s.moved, s.buf[begin:end]...)
			if begin, end = 0, 0; h.at < 0 {
				s.moved = append(s.moved, s.header(o)...)
			} else {
				begin, end = int(h.at), int(h.at)+s.code.lengths[o]
			}
		}
	}
	s.moved = append(s.moved, s.buf[begin:end]...)
}

// relocate notes where the headers that the deparser has moved are now: one behind another.
func (s *Pass) relocate() {
	if s.order == nil {
		return
	}
	at := s.packet.off
	for _, o := range s.order {
		if s.valid(o) {
			s.heads[o].at = int32(at)
			at += s.code.lengths[o]
		}
	}
	s.order, s.buf = nil, s.packet.buf
}
