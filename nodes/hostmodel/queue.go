package hostmodel

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// burst is packets that a core handles together: trains of at most a batch's
// frames in all, kept until the core is through with them.
type burst []sansio.Arrival

// queue is trains that wait for a core, in order.
type queue struct {
	trains []sansio.Train
	head   int
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
}

// take moves at most most frames to a burst. A train that is longer is cut.
func (q *queue) take(most int, out burst) burst {
	for frames := 0; frames < most && !q.empty(); {
		t := &q.trains[q.head]
		n, room := t.Frames(), most-frames
		if n > room {
			out = append(out, sansio.Arrival{Train: t.Sub(0, room, nil)})
			if t.Memory != nil {
				t.Memory.Keep()
			}
			*t = t.Sub(room, n, nil)
			return out
		}
		out = append(out, sansio.Arrival{Train: *t})
		*t = sansio.Train{}
		q.head++
		frames += n
	}
	return out
}

// core is a processor core with the queue of a network card that is its own. It
// takes what waits, at most a batch at a time, what is to be sent first: it
// handles a batch that came in to the end, answers included, before the next
// (run to completion, SwitchML §5).
type core struct {
	model    *Model
	rx, tx   queue
	work     burst
	received bool       // that work came in; otherwise it is to be sent
	until    units.Time // when it is done; Never: the core is idle
}

// start takes the next batch, if the core is idle and there is one.
func (c *core) start(now units.Time) {
	if c.until != units.Never || c.rx.empty() && c.tx.empty() {
		return
	}
	from := &c.tx
	c.received = c.tx.empty()
	if c.received {
		from = &c.rx
	}
	c.work = from.take(max(1, c.model.Batch), c.work[:0])
	c.until = now.Add(c.model.cost(c.work))
}

// cost is the time of a core for a batch.
func (m *Model) cost(b burst) units.Duration {
	frames, payload := 0, units.Bytes(0)
	for i := range b {
		t := &b[i].Train
		frames += t.Frames()
		payload += max(0, t.Bytes()-units.Bytes(t.Frames()*len(t.Header)))
	}
	d := m.PerBatch + units.Duration(frames)*m.Frame
	if m.Rate > 0 {
		d += m.Rate.TimeToSend(payload)
	}
	return d
}
