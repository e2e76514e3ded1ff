package mem

import "iter"

// Written returns the parts of a range whose pages were written to, in order. What is
// between them is zero. The memory must not be changed meanwhile.
func (m *Memory) Written(r Range) iter.Seq[Range] {
	return func(yield func(Range) bool) {
		for a := r.Start; a < r.End; {
			f := int(a>>pageShift) / frameSize
			if f >= len(m.frames) {
				return
			}
			end := min(r.End, (a>>pageShift+1)<<pageShift)
			switch {
			case m.frames[f] == nil:
				end = min(r.End, Addr((f+1)*frameSize)<<pageShift)
			case m.given(int(a>>pageShift)) != nil:
				if !yield(Range{a, end}) {
					return
				}
			}
			if end < a {
				return // beyond the last address
			}
			a = end
		}
	}
}
