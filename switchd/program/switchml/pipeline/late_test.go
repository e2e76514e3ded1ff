package pipeline

import (
	"slices"
	"testing"

	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// In order, any number of late packets in a row is answered: those of a worker whose peer has
// gone on from the phase that it waits in.
func TestLatePacketsInOrder(t *testing.T) {
	w := newTwin(t, oneJob(64, 1, 2), Options{})
	w.give(arrivalOfVector(packetOf(0, 0, 64)))
	result := w.give(arrivalOfVector(packetOf(1, 0, 64)))[0]
	w.give(arrivalOfVector(packetOf(1, 1, 64)))
	for i := range 3 * switchml.LateLimit {
		if out := w.give(arrivalOfVector(packetOf(0, 0, 64))); len(out) != 1 || !sameFrame(out[0], result) {
			t.Fatalf("retransmission %d: worker 0 is not answered", i+1)
		}
	}
	w.completes(t, packetOf(0, 1, 64))
	w.agree()
}

// completes gives a packet that completes phase 1 of two workers.
func (w *twin) completes(t *testing.T, v vector) {
	t.Helper()
	out := w.give(arrivalOfVector(v))
	if want := value(0, 0, 1, 5) + value(1, 0, 1, 5); len(out) != 2 || out[0].value(5) != want {
		t.Errorf("%d packets leave, or wrong sums", len(out))
	}
}

// overtaken lets worker 0 go on from phase 0, whose result is lost on its way to worker 1, and
// has copies of its packet come that its next one has overtaken. It returns the result.
func overtaken(t *testing.T, copies int) (w *twin, result sent) {
	t.Helper()
	w = newTwin(t, oneJob(64, 1, 2), Options{})
	w.give(arrivalOfVector(packetOf(0, 0, 64)))
	result = w.give(arrivalOfVector(packetOf(1, 0, 64)))[1]
	w.give(arrivalOfVector(packetOf(0, 1, 64)))
	for range copies {
		w.give(arrivalOfVector(packetOf(0, 0, 64)))
	}
	return w, result
}

// 15 overtaken copies in a row do no harm, nor does a further late packet of the worker that
// waits: it is answered.
func TestOvertakenCopies(t *testing.T) {
	w, result := overtaken(t, switchml.LateLimit-1)
	if out := w.give(arrivalOfVector(packetOf(1, 0, 64))); len(out) != 1 || !sameFrame(out[0], result) {
		t.Fatalf("worker 1 is not answered as it was before: %d packets leave", len(out))
	}
	if out := w.give(arrivalOfVector(packetOf(0, 1, 64))); len(out) != 0 {
		t.Errorf("%d packets leave for a retransmission in an open slot", len(out))
	}
	w.completes(t, packetOf(1, 1, 64))
	w.agree()
}

// The 16th overtaken copy in a row counts, as nothing tells it from a client that began anew:
// worker 1 never gets the result, and the next packet of worker 0 counts twice, so that a sum
// without worker 1 leaves. The protocol cannot promise more than a number (docs/switchml.md),
// and networks of tests hold back that copy.
func TestTooManyOvertakenCopies(t *testing.T) {
	w, _ := overtaken(t, switchml.LateLimit)
	if out := w.give(arrivalOfVector(packetOf(1, 0, 64))); len(out) != 0 || w.count(switchml.DropDuplicate) != 1 {
		t.Errorf("%d packets leave; %v", len(out), w.e.Counters())
	}
	w.agree()
	if out := w.send(packetOf(0, 1, 64)); len(out) != 2 { // others than of the reference program
		t.Errorf("%d packets leave", len(out))
	}
	row := lateRow{newest: [2]uint32{0, 1}}
	v := packetOf(0, 0, 64)
	h, _ := wire.Parse(v.payload())
	for i := range switchml.LateLimit {
		if held := row.take(h, true); held != (i == switchml.LateLimit-1) {
			t.Errorf("copy %d is held back: %v", i+1, held)
		}
	}
}

// As many late packets in a row as wires hold: copies of a host that its next packet has
// overtaken, and retransmissions of one that lacks the result. The fabric holds back what
// [TestTooManyOvertakenCopies] shows, and everybody gets on.
func TestLatePacketsOfALeaf(t *testing.T) {
	f := fabricOf(t, 64, 1, [][]int{{2}})
	for range mostInFlight {
		f.send(0, 0)
		f.send(1, 0)
	}
	f.enter(0)
	f.enter(1)
	f.rise(0)
	f.sink(0)
	f.leave(0)
	f.hostDn[1] = nil // lost
	next := f.clients[0].packet(0)
	f.hostUp[0] = slices.Insert(f.hostUp[0], 0, next.payload())
	f.enter(0)
	f.heal()
	f.spine.agree()
	f.racks[0].agree()
}
