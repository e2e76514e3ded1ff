package trio

import (
	"bytes"
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/microcode/isa"
)

// Headers that are pushed and pulled (trio §2.2: a PPE can create new headers and consume
// existing ones). Nothing in local memory moves: the head of the packet begins earlier or
// later in it.
//
//	local memory | room | head as it came                |
//	HeaderPush   | |<- new ->|<- head --------------->|  |  the head begins earlier
//	HeaderPull   |      |<- gone ->|<- head ---------->| |  the head begins later
//
// On the way out the PFE fills in the checksum of the IP header that the frame then begins
// with. A transport checksum that was to be filled in later, as on a packet from the same
// host, is filled in as the packet came. All else is the program's.

// reshape does HeaderPush and HeaderPull. It returns the byte of local memory at which the
// head begins then; false if the thread has to be killed.
func (p *PFE) reshape(t *thread) (uint64, bool) {
	k, n := t.outgoing(), t.Pending.Args[0]
	if k == nil {
		t.reason = DropNoHeader
		return 0, false
	}
	if t.Pending.XTXN == isa.HeaderPush {
		ok := p.push(t, k, n)
		return uint64(k.start), ok
	}
	if n == 0 || n > uint64(max(k.head-inet.EtherLen, 0)) {
		t.reason = DropPull
		return 0, false
	}
	k.start, k.head = k.start+int(n), k.head-int(n)
	return uint64(k.start), true
}

// push lets the head begin n bytes earlier; false if the thread has to be killed.
func (p *PFE) push(t *thread, k *packet, n uint64) bool {
	const first = isa.HeadStart - isa.HeadRoom
	if n == 0 || n > uint64(k.start-first) || k.long()+int(n) > maxPacket {
		t.reason = DropPush
		return false
	}
	k.start, k.head = k.start-int(n), k.head+int(n)
	return !k.created || p.charge(t, units.Bytes(n))
}

// long returns the length of a packet as it is now.
func (k *packet) long() int {
	if k.created {
		return k.head + len(k.tail)
	}
	return k.length() + isa.HeadStart - k.start
}

// reshaped reports whether the head of a packet has grown or shrunk.
func (k *packet) reshaped() bool { return k.start != isa.HeadStart }

// emitReshaped sends an arrived packet whose head has grown or shrunk.
func (p *PFE) emitReshaped(k *packet) {
	p.flush()
	from := &k.train
	k.completeSum()
	came := k.head + k.start - isa.HeadStart // bytes of the head as it came
	unstored := from.Unstored - max(0, came-len(from.Header)-len(from.Body))
	frame := p.eff.Body(len(k.out) + len(k.tail))
	copy(frame[copy(frame, k.out):], k.tail)
	t := sansio.Train{Header: frame, Unstored: unstored}
	l, problem := inet.ParseHeader(frame, len(frame)+unstored)
	fillIPSum(frame, problem)
	if problem == inet.OK {
		t.Header, t.Body = frame[:l.Body], frame[l.Body:]
		t.Memory = p.eff.Owner(t.Body)
	}
	p.eff.Send(k.to, t)
}

// completeSum fills in the transport checksum of a packet that came with a partial one, where
// the program has left its field as it was.
func (k *packet) completeSum() {
	t := &k.train
	l, problem := t.Layout()
	at := sumField(l)
	if t.Checksum != sansio.ChecksumPartial || problem != inet.OK || at == 0 || l.Body != len(t.Header) {
		return
	}
	now := at + isa.HeadStart - k.start // in the head as it leaves
	if now < 0 || now+2 > len(k.out) || !bytes.Equal(k.out[now:now+2], t.Header[at:at+2]) {
		return
	}
	body := t.Body[:min(len(t.Body), l.End-l.Body)]
	sum := ^inet.Fold(inet.Sum(body, inet.Sum(t.Header[l.Transport:], 0)))
	if sum == 0 && l.Proto == inet.ProtoUDP {
		sum = 0xffff // zero means "no checksum" (RFC 768)
	}
	binary.BigEndian.PutUint16(k.out[now:], sum)
}

// sumField returns where the transport checksum of a packet is, 0 if it has none.
func sumField(l inet.Layout) int {
	switch l.Proto {
	case inet.ProtoUDP:
		return l.Transport + 6
	case inet.ProtoTCP:
		return l.Transport + 16
	}
	return 0
}
