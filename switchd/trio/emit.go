package trio

import (
	"bytes"
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// The way out of the PFE. Hardware fills in what depends on a packet's length and
// addresses (assumed, as network processors do): the IP header checksum of a
// packet whose head the program has changed or made, the UDP or TCP checksum of one that
// it has changed, and the UDP checksum of one that it has made.

// emit sends a packet whose turn it is.
func (p *PFE) emit(k *packet) {
	switch {
	case k.created:
		p.emitCreated(k)
	case len(k.out) == 0:
		p.emitUnchanged(k)
	case k.reshaped():
		p.emitReshaped(k)
	default:
		p.emitChanged(k)
	}
	p.stats.emitted(k, p.now)
	if p.tracer != nil {
		p.tracer.Left(p.now, k.number, k.created)
	}
}

// emitUnchanged sends a packet as it came. In instant mode the frames of one train
// that go the same way stay one train.
func (p *PFE) emitUnchanged(k *packet) {
	if p.clock != nil {
		p.eff.Send(k.to, k.train)
		return
	}
	r := &p.run
	if r.train != p.source || r.to != k.index || &r.hop[0] != &k.to[0] {
		p.flush()
		*r = run{train: p.source, from: k.index, hop: k.to}
	}
	r.to = k.index + 1
}

// run is frames of an arrived train that leave unchanged, one after another, by
// the same ports, and have not been sent yet.
type run struct {
	train    *sansio.Train // nil: none
	from, to int
	hop      []sansio.Port
}

// flush sends the run. Everything else that is sent flushes it first.
func (p *PFE) flush() {
	if p.run.train != nil {
		p.eff.SendFrames(p.run.hop, p.run.train, p.run.from, p.run.to)
		p.run = run{}
	}
}

// emitChanged sends a packet with the head that its thread has left. Where only
// headers have changed, the body is not copied.
func (p *PFE) emitChanged(k *packet) {
	p.flush()
	from := &k.train
	n := len(from.Header)
	t := sansio.Train{Header: p.eff.Header(n), Body: from.Body, Unstored: from.Unstored, Checksum: from.Checksum, Memory: from.Memory}
	got := copy(t.Header, k.out)
	copy(t.Header[got:], from.Header[got:])
	if rest := k.out[got:]; len(rest) > 0 && len(from.Body) > 0 {
		rest = rest[:min(len(rest), len(from.Body))]
		if !bytes.Equal(rest, from.Body[:len(rest)]) {
			t.Body = p.eff.Body(len(from.Body))
			copy(t.Body[copy(t.Body, rest):], from.Body[len(rest):])
			t.Memory = p.eff.Owner(t.Body)
		}
	}
	fillSums(&t, from)
	p.eff.Send(k.to, t)
}

// fillSums makes the sums of a packet right again whose head a program has changed.
func fillSums(t, from *sansio.Train) {
	l, problem := t.Layout()
	fillIPSum(t.Header, problem)
	switch {
	case problem != inet.OK || l.Body != len(t.Header):
		t.Checksum = sansio.ChecksumAsIs // nothing that a sum could be filled into
	case t.Checksum == sansio.ChecksumPartial:
		sansio.FillPartial(t.Header, l.End-l.Body)
	default:
		adjustTransportSum(t, from, l)
	}
}

// fillIPSum makes the checksum of the IP header right, if the frame has one.
func fillIPSum(frame []byte, problem inet.Problem) {
	switch problem {
	case inet.OK, inet.Fragment, inet.ShortL4, inet.BadUDPLength, inet.BadTCPOffset:
		inet.IPv4(frame[inet.EtherLen:]).UpdateChecksum()
	}
}

// adjustTransportSum changes the UDP or TCP checksum by what else has changed, so that one
// that was wrong stays wrong. One that the program wrote, and none, stay as they are.
func adjustTransportSum(t, from *sansio.Train, l inet.Layout) {
	if before, problem := from.Layout(); problem != inet.OK || before != l || l.Proto != inet.ProtoUDP && l.Proto != inet.ProtoTCP {
		return
	}
	at := sumField(l)
	field := t.Header[at : at+2]
	sum := binary.BigEndian.Uint16(field)
	if !bytes.Equal(field, from.Header[at:at+2]) || l.Proto == inet.ProtoUDP && sum == 0 {
		return
	}
	now := inet.AdjustSum(sum, coveredSum(from, l), coveredSum(t, l))
	if now == 0 && l.Proto == inet.ProtoUDP {
		now = 0xffff // zero means "no checksum" (RFC 768)
	}
	binary.BigEndian.PutUint16(field, now)
}

// coveredSum adds up what the transport checksum of a packet covers, but for lengths and
// protocol.
func coveredSum(t *sansio.Train, l inet.Layout) uint64 {
	addresses, body := t.Header[inet.EtherLen+12:inet.EtherLen+20], t.Body[:min(len(t.Body), l.End-l.Body)]
	return inet.Sum(body, inet.Sum(t.Header[l.Transport:], inet.Sum(addresses, 0)))
}

// emitCreated sends a packet that a thread has made. Where it follows one of the
// same headers and size in this batch, both are one train.
func (p *PFE) emitCreated(k *packet) {
	p.flush()
	if !inet.WholeUDP(k.out, len(k.out)+len(k.tail)) {
		p.eff.Send(k.to, p.eff.Frame(k.out, k.tail, sansio.ChecksumAsIs))
		return
	}
	header, rest := k.out[:inet.UDPHeaders], k.out[inet.UDPHeaders:]
	n := sansio.Content(p.stored-inet.UDPHeaders, rest, k.tail)
	payload := p.eff.Body(n)
	copy(payload[copy(payload, rest):], k.tail)
	p.latest = p.eff.Template(p.latest, header)
	p.eff.EmitUnstored(k.to, p.latest, payload, len(rest)+len(k.tail)-n)
}
