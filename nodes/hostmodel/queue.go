package hostmodel

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// burst is packets that a core handles together: trains, kept until the core is
// through with them.
type burst []sansio.Arrival

// frames returns how many there are, and their bytes behind the headers.
func (b burst) frames() (n int, payload units.Bytes) {
	for i := range b {
		t := &b[i].Train
		n += t.Frames()
		payload += max(0, t.Bytes()-units.Bytes(t.Frames()*len(t.Header)))
	}
	return n, payload
}

// queue is trains that wait for a core, in order.
type queue struct {
	trains []sansio.Train
	head   int
	frames int // of all that wait
}

func (q *queue) empty() bool { return q.head == len(q.trains) }

// push keeps a train. Its memory is kept where it counts its keepers, and copied
// where it does not.
func (q *queue) push(t *sansio.Train) {
	if q.head > 64 && q.head > len(q.trains)/2 {
		n := copy(q.trains, q.trains[q.head:])
		clear(q.trains[n:])
		q.trains, q.head = q.trains[:n], 0
	}
	kept := *t
	kept.Header = append([]byte(nil), t.Header...)
	if kept.Memory != nil {
		kept.Memory.Keep()
	} else {
		kept.Body = append([]byte(nil), t.Body...)
	}
	q.trains = append(q.trains, kept)
	q.frames += kept.Frames()
}

// take moves at most most frames to a burst, and none behind the end of the first
// message where whole says so. A train that is longer is cut. ends reports whether
// a message ends there.
func (q *queue) take(most int, whole bool, out burst) (_ burst, ends bool) {
	for most > 0 && !q.empty() && !ends {
		t := &q.trains[q.head]
		all := t.Frames()
		n := min(all, most)
		if whole {
			n, ends = messageEnd(t, n)
		}
		q.frames -= n
		most -= n
		if n < all {
			out = append(out, sansio.Arrival{Train: t.Sub(0, n, nil)})
			if t.Memory != nil {
				t.Memory.Keep()
			}
			*t = t.Sub(n, all, nil)
			continue
		}
		out = append(out, sansio.Arrival{Train: *t})
		*t = sansio.Train{}
		q.head++
	}
	return out, ends
}
