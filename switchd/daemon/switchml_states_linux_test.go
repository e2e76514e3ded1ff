package daemon_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/inalab/inalab/internal/wire/switchmlproto"
)

// move is a packet of a slot with one value throughout.
type move struct {
	id     uint32
	set    uint16
	slot   uint16
	e0, e1 int8
	value  int32
}

// tries plays moves by hand.
type tries struct {
	t *testing.T
	*worker
	fenced move // in a slot that is complete for good
}

func (w *tries) send(ms ...move) {
	w.t.Helper()
	for _, m := range ms {
		b := w.frame(0, 9)
		binary.LittleEndian.PutUint32(b[offID:], m.id)
		binary.BigEndian.PutUint16(b[offSlot:], m.set*setBit|1<<14|m.slot) // the switch ignores bit 14
		b[offE0], b[offE1] = byte(m.e0), byte(m.e1)
		for at := offValues; at < len(b); at += 4 {
			binary.BigEndian.PutUint32(b[at:], uint32(m.value))
		}
		if err := w.rawHost.send(b); err != nil {
			w.t.Fatal(err)
		}
	}
}

// wants takes the next frame, which must be a result, value for value.
func (w *tries) wants(m move) {
	w.t.Helper()
	b := w.next()
	got := move{
		binary.LittleEndian.Uint32(b[offID:]), binary.BigEndian.Uint16(b[offSlot:]) / setBit, binary.BigEndian.Uint16(b[offSlot:]) % setBit,
		int8(b[offE0]), int8(b[offE1]), int32(binary.BigEndian.Uint32(b[offValues:])),
	}
	if got != m || b[offJob] != 9 {
		w.t.Fatalf("rank %d got %+v of job %d, want %+v", w.rank, got, b[offJob], m)
	}
	for at := offValues; at < len(b); at += 4 {
		if v := int32(binary.BigEndian.Uint32(b[at:])); v != m.value {
			w.t.Fatalf("rank %d: value %d of packet %d is %d, want %d", w.rank, (at-offValues)/4, m.id, v, m.value)
		}
	}
}

func (w *tries) next() []byte {
	w.t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); {
		if b, err := w.recv(); err != nil {
			w.t.Fatalf("rank %d: %v", w.rank, err)
		} else if b != nil {
			return b
		}
	}
	w.t.Fatalf("rank %d: no result", w.rank)
	return nil
}

// fence returns when the switch has met all that this worker sent, to which it has
// sent nothing in answer: frames stay in order, and what is sent again of a slot
// that is complete for good is answered.
func (w *tries) fence() {
	w.t.Helper()
	w.send(w.fenced)
	sum := w.fenced
	sum.value *= int32(w.n)
	w.wants(sum)
}

// newTries returns the workers of a job that have completed slot 0.
func newTries(t *testing.T, ws []*worker) (out []*tries) {
	fence := move{id: 1, slot: 0, value: 1000}
	for _, w := range ws {
		out = append(out, &tries{t, w, fence})
		out[len(out)-1].send(fence)
	}
	sum := fence
	sum.value *= int32(len(ws))
	for _, w := range out {
		w.wants(sum)
	}
	return out
}

// A packet that is sent again meets its slot in every state that the protocol has.
func TestRetransmissionsInEveryState(t *testing.T) {
	for _, e := range switchmlEngines {
		for _, elements := range []int{64, 256} {
			t.Run(fmt.Sprintf("%s/%d values", e.name, elements), func(t *testing.T) {
				l := newSessionLab(t, 3, e)
				ws := newTries(t, l.job(5, 0, 3, elements))
				retransmit(ws[0], ws[1], ws[2])
			})
		}
	}
}

func retransmit(a, b, c *tries) {
	phase := func(id uint32, set uint16, unit int32) (of [3]move, sum move) {
		m := move{id: id, set: set, slot: 3}
		of = [3]move{m, m, m}
		of[0].e0, of[0].e1, of[0].value = -4, -100, unit
		of[1].e0, of[1].e1, of[1].value = 7, -128, 10*unit
		of[2].e0, of[2].e1, of[2].value = -128, -99, 100*unit
		m.e0, m.e1, m.value = 7, -99, 111*unit // the greatest of each, signed
		return of, m
	}
	fence := func() { a.fence(); b.fence(); c.fence() }

	p, sum := phase(10, 0, 1)
	a.send(p[0], p[0]) // alone in an open slot: counted once, not answered
	a.fence()
	b.send(p[1])
	b.fence()
	a.send(p[0]) // in an open slot with others
	a.fence()
	c.send(p[2])
	a.wants(sum)
	b.wants(sum)
	c.wants(sum)
	b.send(p[1], p[1]) // complete: answered each time, to nobody else
	b.wants(sum)
	b.wants(sum)
	fence()

	q, next := phase(11, 1, -7)
	a.send(q[0]) // a is in the next phase, which clears its bit in this one
	a.fence()
	c.send(p[2]) // complete still, for its count is zero
	c.wants(sum)
	b.send(q[1])
	b.fence()
	c.send(p[2]) // all but the last are in the next phase
	c.wants(sum)
	a.send(q[0]) // open again
	fence()
	c.send(q[2])
	a.wants(next)
	b.wants(next)
	c.wants(next)

	r, last := phase(12, 0, 1<<28) // the first set anew, whose old sums must not show
	c.send(r[2])
	c.fence()
	a.send(q[0])
	a.wants(next)
	a.send(r[0])
	a.fence()
	b.send(q[1], r[1]) // the answer was lost, then found
	b.wants(next)
	a.wants(last)
	b.wants(last)
	c.wants(last)
	for _, w := range []*tries{a, b, c} { // the end of the job: the last result is lost
		w.send(r[w.rank])
		w.wants(last)
	}
	fence()
}

// isRefused waits until the worker is told that its job is refused.
func (w *tries) isRefused(text string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for ctx.Err() == nil {
		_, err := w.Barrier(ctx, &switchmlproto.BarrierRequest{NumWorkers: uint32(w.n)}) // alone, so that it goes on till then
		if err == nil {
			continue
		}
		if status.Code(err) != codes.FailedPrecondition || !regexp.MustCompile(text).MatchString(status.Convert(err).Message()) {
			w.t.Fatalf("rank %d: %v, want %s", w.rank, err, text)
		}
		return
	}
	w.t.Fatalf("rank %d: its job is not refused", w.rank)
}

// Two jobs at once do not notice one another, nor a third one that is refused, since its packets
// go beyond its slots, and set up again.
func TestTwoJobsAtOnce(t *testing.T) {
	for _, e := range switchmlEngines {
		t.Run(e.name, func(t *testing.T) {
			l := newSessionLab(t, 6, e)
			one, two := l.job(1, 0, 2, 256), l.job(2, 2, 3, 64)
			bad := newTries(t, l.job(3, 5, 1, 64))[0]
			bad.send(move{slot: 1023}) // the last of its pool
			bad.wants(move{slot: 1023})
			done := make(chan bool)
			go func() {
				defer close(done)
				reduceIntegers(t, rand.New(rand.NewPCG(3, 1)), one, 60)
			}()
			bad.send(move{slot: 1024})
			bad.isRefused(`^Barrier: job \d \(session 3\) is refused: rank 0 sends to slot 1024, and the job has slots 0 to 1023: .*; then start all workers again$`)
			bad.send(move{slot: 1<<14 - 1}, bad.fenced) // not answered any more
			reduceFloats(t, rand.New(rand.NewPCG(3, 2)), two, 60)
			<-done
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := bad.setUp(ctx, 3); err != nil {
				t.Fatal(err)
			}
			bad.fence()
			bad.elements = 256 // of another job
			bad.send(move{})
			bad.isRefused(`^Barrier: job \d \(session 3\) is refused: rank 0 sends packets of another size than that of the job, 64 values: `)
		})
	}
}

// A worker dies in the middle of a job. Its peers' packets stay in open slots;
// those of the next run meet fresh ones, whether rank 0 makes up a new id or not,
// and whoever was not in time is told.
func TestWorkerRestarts(t *testing.T) {
	for _, e := range switchmlEngines {
		t.Run(e.name, func(t *testing.T) {
			l := newSessionLab(t, 2, e)
			dice := rand.New(rand.NewPCG(4, 4))
			for _, id := range []uint64{7, 7, 8} {
				ws := l.job(id, 0, 2, 256)
				reduceIntegers(t, dice, ws, 20)
				tried := tries{t, ws[0], move{}}
				tried.send(move{slot: 5, value: 99})
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				told := make(chan error, 1)
				go func() {
					_, err := ws[0].Barrier(ctx, &switchmlproto.BarrierRequest{NumWorkers: 2})
					told <- err
				}()
				ws[1].end(t)
				text := regexp.MustCompile(`^Barrier: rank 1 at 192\.168\.99\.2:\d+ has gone`)
				if err := <-told; status.Code(err) != codes.Aborted || !text.MatchString(status.Convert(err).Message()) {
					t.Errorf("error %v", err)
				}
				cancel()
				ws[0].end(t)
			}
		})
	}
}
