package vm

import (
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// checksum is a field that a deparser fills in.
type checksum struct {
	head  int
	id    fit.FieldID
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

// plan says how a deparser writes the valid headers before what was not parsed. From the last to
// the first they stay as long as they stand where they belong; those before are moved.
type plan struct {
	order      []int // of the headers
	moves      int   // headers of them, from the first on, that are moved if they are valid
	at         int   // place behind those that are moved
	begin, end int   // where those are, if they stand together and can be moved so
	how        planKind
}

type planKind uint8

const (
	planStay   planKind = iota // all stand where they belong
	planMove                   // those that are moved stand together
	planGather                 // they do not
)

// plan makes the plan for the headers that are valid. All before the cursor is parsed.
func (s *Pass) plan(order []int, cursor int) plan {
	p := plan{order: order, at: cursor}
	i := len(order) - 1
	for ; i >= 0; i-- {
		h := &s.heads[order[i]]
		if h.pass != s.pass {
			continue
		}
		if h.at < 0 || int(h.at)+s.code.lengths[order[i]] != p.at {
			break
		}
		p.at = int(h.at)
	}
	if i < 0 {
		return p
	}
	p.moves, p.how = i+1, planGather
	if p.begin, p.end = s.together(order[:p.moves]); p.end > 0 && p.end-p.begin <= p.at {
		p.how = planMove
	}
	return p
}

// deparseBy moves the headers of the packet as a plan says.
func (s *Pass) deparseBy(p *plan) {
	k := s.packet
	if k.off = p.at; p.how != planStay {
		s.order = p.order
	}
	switch p.how {
	case planMove:
		k.off -= p.end - p.begin
		copy(k.buf[k.off:], k.buf[p.begin:p.end])
	case planGather:
		s.gather(p.order[:p.moves])
		if len(s.moved) > p.at {
			k.move(len(s.moved)+Headroom, k.end-p.at)
		}
		k.off -= len(s.moved)
		copy(k.buf[k.off:], s.moved)
	}
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
