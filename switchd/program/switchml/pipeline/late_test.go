package pipeline

import (
	"slices"
	"testing"
)

// In order, any number of late packets in a row is answered: those of a worker whose peer has
// gone on from the phase that it waits in.
func TestLatePacketsInOrder(t *testing.T) {
	w := newTwin(t, oneJob(64, 1, 2), Options{})
	w.give(arrivalOfVector(packetOf(0, 0, 64)))
	result := w.give(arrivalOfVector(packetOf(1, 0, 64)))[0]
	w.give(arrivalOfVector(packetOf(1, 1, 64)))
	for i := range 48 {
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

// Any number of copies that the next packet of their worker has overtaken do no harm, nor does a
// further late packet of the worker that waits: it is answered.
func TestOvertakenCopies(t *testing.T) {
	w := newTwin(t, oneJob(64, 1, 2), Options{})
	w.give(arrivalOfVector(packetOf(0, 0, 64)))
	result := w.give(arrivalOfVector(packetOf(1, 0, 64)))[1] // lost
	w.give(arrivalOfVector(packetOf(0, 1, 64)))
	for range 48 {
		w.give(arrivalOfVector(packetOf(0, 0, 64)))
	}
	if out := w.give(arrivalOfVector(packetOf(1, 0, 64))); len(out) != 1 || !sameFrame(out[0], result) {
		t.Fatalf("worker 1 is not answered as it was before: %d packets leave", len(out))
	}
	if out := w.give(arrivalOfVector(packetOf(0, 1, 64))); len(out) != 0 {
		t.Errorf("%d packets leave for a retransmission in an open slot", len(out))
	}
	w.completes(t, packetOf(1, 1, 64))
	w.agree()
}

// As many late packets in a row as wires hold: copies of a host that its next packet has
// overtaken, and retransmissions of one that lacks the result. Everybody gets on.
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
