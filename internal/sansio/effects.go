package sansio

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Effects is a reusable batch of what machines want done. The driver carries it
// out and then calls Reset; until then everything in it is valid.
type Effects struct {
	Sends    []Send
	Computes []Compute
	Samples  []result.Sample

	// Keeping lends bodies out in [Memory], for a driver that passes trains on
	// inside its process. It is set before the batch is first used.
	Keeping bool

	kept    lender
	drops   []*Memory
	headers arena
	bodies  arena
}

// Reset empties the batch and takes its memory back.
func (e *Effects) Reset() {
	e.Sends = e.Sends[:0] // what they point at is reused, too: nothing is gained by clearing them
	clear(e.Computes)
	e.Computes = e.Computes[:0]
	e.Samples = e.Samples[:0]
	e.headers.reset()
	e.bodies.reset()
	for _, m := range e.drops {
		m.Drop()
	}
	e.drops = e.drops[:0]
	e.kept.settle()
}

// Owner returns the memory that a slice from Body is in, or nil.
func (e *Effects) Owner(b []byte) *Memory { return e.kept.owner(b) }

// Drop takes a keeper off m at Reset, when what was sent is with its receivers.
func (e *Effects) Drop(m *Memory) { e.drops = append(e.drops, m) }

// Send appends a train as it stands: header and body are borrowed.
func (e *Effects) Send(to []Port, t Train) {
	s := e.add()
	s.To, s.Train, s.template = to, t, nil
}

// SendFrames appends frames i to j-1 of t. Their header is in memory of the
// batch; all else is borrowed.
func (e *Effects) SendFrames(to []Port, t *Train, i, j int) {
	s := e.add()
	s.To, s.template = to, nil
	s.Train.Set(t)
	header := e.headers.alloc(len(t.Header))
	if t.whole(i, j) {
		copy(header, t.Header)
		s.Train.Header = header
	} else {
		s.Train.cut(i, j, header)
	}
}

// add returns the place of one more send, with any contents: trains are large
// enough for their copies to show, so they are written where they stay.
func (e *Effects) add() *Send {
	n := len(e.Sends)
	if n == cap(e.Sends) {
		e.Sends = append(e.Sends, Send{})
	}
	e.Sends = e.Sends[:n+1]
	return &e.Sends[n]
}

// Header returns n bytes that live until Reset, for a rewritten header.
func (e *Effects) Header(n int) []byte { return e.headers.alloc(n) }

// Body returns n bytes that live until Reset, for a packet's payload. Bodies
// that are asked for one after another lie one behind another as far as the
// memory allows, so that Emit can join them into one train.
func (e *Effects) Body(n int) []byte {
	if e.Keeping {
		return e.kept.alloc(n)
	}
	return e.bodies.alloc(n)
}

// Emit appends one UDP frame with the given payload, sent by every port of to.
// The header template is one that [inet.UDPHeader] made; it is copied, and its
// lengths and partial checksum are set. The payload is borrowed. Where the last
// send has the same ports and template, full frames of the same size, and its
// body ends where payload begins in memory, the frame joins it as one train.
func (e *Effects) Emit(to []Port, template, payload []byte) { e.EmitUnstored(to, template, payload, 0) }

// EmitUnstored is Emit for a frame that has unstored bytes behind its payload
// ([Train.Unstored]).
func (e *Effects) EmitUnstored(to []Port, template, payload []byte, unstored int) {
	if e.join(to, template, payload, unstored) {
		return
	}
	header := e.headers.alloc(len(template))
	inet.CopyUDPHeader(header, template, len(payload)+unstored)
	s := e.add()
	s.To, s.template = to, &template[0]
	t := &s.Train
	t.Header, t.Body, t.Seg, t.Unstored = header, payload, len(payload), unstored
	t.Checksum, t.Memory = ChecksumPartial, e.Owner(payload)
}

func (e *Effects) join(to []Port, template, payload []byte, unstored int) bool {
	if len(e.Sends) == 0 || len(payload) == 0 {
		return false
	}
	last := &e.Sends[len(e.Sends)-1]
	t := &last.Train
	n := len(t.Body)
	switch {
	case last.template != &template[0] || !samePorts(last.To, to):
		return false
	case t.Seg == 0 || n%t.Seg != 0 || len(payload) > t.Seg || unstored != t.Unstored:
		return false
	case n >= MaxTrainFrames*t.Seg || t.PayloadBytes()+len(payload)+unstored > MaxTrainBody || n+len(payload) > cap(t.Body):
		return false
	case &t.Body[:n+1][n] != &payload[0]:
		return false
	}
	t.Body = t.Body[:n+len(payload)]
	inet.FitUDPHeader(t.Header, template, t.PayloadBytes())
	return true
}

func samePorts(a, b []Port) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// arena hands out memory that is taken back all at once.
type arena struct {
	chunk []byte // current chunk; its length is what is handed out
}

const arenaChunk = 64 << 10

func (a *arena) alloc(n int) []byte {
	if len(a.chunk)+n > cap(a.chunk) {
		a.chunk = make([]byte, 0, max(arenaChunk, 2*cap(a.chunk), n))
	}
	lo := len(a.chunk)
	a.chunk = a.chunk[:lo+n]
	return a.chunk[lo : lo+n]
}

// reset keeps the newest chunk, the largest: chunks double, so a steady load
// ends in one.
func (a *arena) reset() {
	a.chunk = a.chunk[:0]
}
