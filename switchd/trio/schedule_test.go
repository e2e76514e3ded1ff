package trio

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vtime"
)

// Threads go on in order of time, and at one instant in the order in which they were pushed.
func TestScheduleIsAQueue(t *testing.T) {
	const near = 20
	var both int
	rapid.Check(t, func(t *rapid.T) {
		s, want := newSchedule(near), vtime.Queue{}
		var idle []int32
		for id := range int32(rapid.IntRange(1, 100).Draw(t, "threads")) {
			s.enrol()
			idle = append(idle, id)
		}
		now := units.Time(0)
		for range 300 {
			if len(idle) > 0 && rapid.Bool().Draw(t, "push") {
				at := now + units.Time(rapid.SampledFrom([]int{0, 3, near, near, near, near + 1, 2 * near, 90}).Draw(t, "in"))
				id := idle[len(idle)-1]
				idle = idle[:len(idle)-1]
				s.push(now, at, id)
				want.Push(at, id)
			}
			if s.soon.len() > 0 && s.later.Len() > 0 {
				both++
			}
			if want.Len() == 0 {
				if at := s.peek().At; at != units.Never {
					t.Fatalf("an event at %d of an empty schedule", at)
				}
				continue
			}
			if rapid.Bool().Draw(t, "pop") {
				w, e := want.Pop(), s.peek()
				s.drop(e)
				if e != w {
					t.Fatalf("event %v, want %v", e, w)
				}
				now = e.At
				idle = append(idle, e.Target)
			}
		}
	})
	if both == 0 {
		t.Error("there was never an event in both")
	}
}
