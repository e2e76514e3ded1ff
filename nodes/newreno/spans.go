package newreno

import "sort"

// span is bytes with content, then unstored ones, at a place in the stream.
type span struct {
	at       offset
	body     []byte
	unstored int
}

func (s *span) end() offset { return s.at + offset(len(s.body)+s.unstored) }

// tail returns the span without its first n bytes.
func (s span) tail(n int) span {
	content := min(n, len(s.body))
	return span{s.at + offset(n), s.body[content:], s.unstored - (n - content)}
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

// spanBytes is the least room that a span without unstored bytes gets, so that small
// writes share one (assumed: a page).
const spanBytes = 4096

// append adds what is written at end. The content is copied.
func (q *spans) append(end offset, body []byte, unstored int) {
	last := len(q.list) - 1
	fits := last >= q.head && q.list[last].unstored == 0 &&
		len(q.list[last].body)+len(body) <= cap(q.list[last].body)
	switch {
	case len(body) > 0 && !fits:
		room := len(body)
		if unstored == 0 {
			room = max(room, spanBytes)
		}
		q.list = append(q.list, span{at: end, body: append(make([]byte, 0, room), body...), unstored: unstored})
	case last >= q.head:
		q.list[last].body = append(q.list[last].body, body...)
		q.list[last].unstored += unstored
	default:
		q.list = append(q.list, span{at: end, unstored: unstored})
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

// cut returns how many bytes with content and how many unstored ones behind them a
// segment from that place on holds, of at most limit bytes: no content follows
// unstored bytes in a segment.
func (q *spans) cut(from offset, limit int) (content, unstored int) {
	for i := q.find(from); i < len(q.list) && content+unstored < limit; i++ {
		s := q.list[i].tail(int(max(0, from-q.list[i].at)))
		if unstored > 0 && len(s.body) > 0 {
			break
		}
		s = s.first(min(len(s.body)+s.unstored, limit-content-unstored))
		content, unstored = content+len(s.body), unstored+s.unstored
	}
	return content, unstored
}

// read copies content from that place on, which must be there without unstored
// bytes between, until b is full.
func (q *spans) read(from offset, b []byte) {
	for i := q.find(from); len(b) > 0; i++ {
		n := copy(b, q.list[i].tail(int(from-q.list[i].at)).body)
		b, from = b[n:], from+offset(n)
	}
}
