package reference

import (
	"bytes"

	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/program/atp"
)

// emit sends frame f of the train at hand on, as its fate is.
func (e *Engine) emit(f int, p *atp.Packet, is fate) {
	switch {
	case is == gone:
		e.out.flush()
	case is == untouched, is == onward && !e.out.changed(p):
		e.out.pass(f, f+1)
	case is == sum:
		e.out.send(f, p, e.table[p.Index].values)
	default:
		e.out.send(f, p, p.Payload[p.Len():])
	}
}

// output is what a batch sends. Frames that go on as they came are sent as the train that they
// were, without a copy; others are made anew, and join to trains where they can.
type output struct {
	eff  *sansio.Effects
	ways map[sansio.Port][]sansio.Port // looked up, never ranged

	t        *sansio.Train // at hand
	to       []sansio.Port
	from, n  int    // frames of it that go on as they came, and are not sent yet
	template []byte // of the last frame that was made anew, in this batch
	header   []byte // memory for that of one frame
}

// begin starts a batch.
func (o *output) begin(eff *sansio.Effects) { o.eff, o.template = eff, nil }

// take has the frames of a train follow.
func (o *output) take(in *sansio.Arrival) {
	to, ok := o.ways[in.Port]
	if !ok {
		if o.ways == nil {
			o.ways = map[sansio.Port][]sansio.Port{}
		}
		to = []sansio.Port{in.Port}
		o.ways[in.Port] = to
	}
	o.t, o.to, o.from, o.n = &in.Train, to, 0, 0
}

// changed reports whether a packet goes on otherwise than it came.
func (o *output) changed(p *atp.Packet) bool {
	var b [wire.HeaderLen + (wire.MaxLevels-2)*wire.ExtensionLen]byte
	p.Header.Put(b[:])
	return p.Marked || !bytes.Equal(b[:p.Len()], p.Payload[:p.Len()])
}

// pass has frames i to j-1 go on as they came, behind those before them.
func (o *output) pass(i, j int) {
	if o.n == o.from {
		o.from = i
	}
	o.n = j
}

// flush sends what is to go on as it came.
func (o *output) flush() {
	if o.n > o.from {
		o.eff.SendFrames(o.to, o.t, o.from, o.n)
	}
	o.from, o.n = 0, 0
}

// send sends frame f with the header of p and some values.
func (o *output) send(f int, p *atp.Packet, values []byte) {
	o.flush()
	o.template = o.eff.Template(o.template, o.headerOf(f))
	body := o.eff.Body(p.Len() + len(values))
	p.Header.Put(body)
	copy(body[p.Len():], values)
	o.eff.EmitUnstored(o.to, o.template, body, p.Unstored)
}

// headerOf returns the header of frame f without its mark, which is in that of ATP now.
func (o *output) headerOf(f int) []byte {
	o.header = append(o.header[:0], o.t.Header...)
	if o.t.Frames() > 1 && inet.IPv4(o.header[inet.EtherLen:]).ID() != 0 {
		o.header = o.t.Frame(f, o.header).Header
	}
	if ip := inet.IPv4(o.header[inet.EtherLen:]); ip.ECN() == inet.CE {
		ip.SetECN(inet.ECT0)
	}
	return o.header
}
