package newreno

import "sort"

// span is bytes with content, then ghost, at a place in the stream.
type span struct {
	at    offset
	body  []byte
	ghost int
}

func (s *span) end() offset { return s.at + offset(len(s.body)+s.ghost) }

// tail returns the span without its first n bytes.
func (s span) tail(n int) span {
	content := min(n, len(s.body))
	return span{s.at + offset(n), s.body[content:], s.ghost - (n - content)}
}

// first returns the first n bytes of the span.
func (s span) first(n int) span {
	content := min(n, len(s.body))
	return span{s.at, s.body[:content], n - content}
}

// spans is what was written and is not acknowledged, without gaps.
type spans struct {
	list []span
	head int // index of the first that is not acknowledged as a whole
}

// spanBytes is the least room that a span without ghost gets, so that small
// writes share one (assumed: a page).
const spanBytes = 4096

// append adds what is written at end. The content is copied.
func (q *spans) append(end offset, body []byte, ghost int) {
	last := len(q.list) - 1
	fits := last >= q.head && q.list[last].ghost == 0 &&
		len(q.list[last].body)+len(body) <= cap(q.list[last].body)
	switch {
	case len(body) > 0 && !fits:
		room := len(body)
		if ghost == 0 {
			room = max(room, spanBytes)
		}
		q.list = append(q.list, span{at: end, body: append(make([]byte, 0, room), body...), ghost: ghost})
	case last >= q.head:
		q.list[last].body = append(q.list[last].body, body...)
		q.list[last].ghost += ghost
	default:
		q.list = append(q.list, span{at: end, ghost: ghost})
	}
}

// release forgets what lies before upTo. What is left is moved only when half of
// the list is free, so that an entry is moved once on average.
func (q *spans) release(upTo offset) {
	for q.head < len(q.list) && q.list[q.head].end() <= upTo {
		q.list[q.head].body = nil
		q.head++
	}
	if q.head > len(q.list)/2 {
		n := copy(q.list, q.list[q.head:])
		clear(q.list[n:])
		q.list, q.head = q.list[:n], 0
	}
}

// find returns the index of the span that holds a place.
func (q *spans) find(from offset) int {
	live := q.list[q.head:]
	return q.head + sort.Search(len(live), func(i int) bool { return live[i].end() > from })
}

// cut returns how many bytes with content and how many ghost bytes behind them a
// segment from that place on holds, of at most limit bytes: no content follows
// ghost in a segment.
func (q *spans) cut(from offset, limit int) (content, ghost int) {
	for i := q.find(from); i < len(q.list) && content+ghost < limit; i++ {
		s := q.list[i].tail(int(max(0, from-q.list[i].at)))
		if ghost > 0 && len(s.body) > 0 {
			break
		}
		s = s.first(min(len(s.body)+s.ghost, limit-content-ghost))
		content, ghost = content+len(s.body), ghost+s.ghost
	}
	return content, ghost
}

// read copies content from that place on, which must be there without ghost
// between, until b is full.
func (q *spans) read(from offset, b []byte) {
	for i := q.find(from); len(b) > 0; i++ {
		n := copy(b, q.list[i].tail(int(from-q.list[i].at)).body)
		b, from = b[n:], from+offset(n)
	}
}
