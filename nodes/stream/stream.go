// Package stream is a plain reliable byte-stream transport for the virtual
// clock: a sliding window with cumulative acknowledgements and go-back-N. It
// carries the streams of ring all-reduce where live runs use kernel TCP, and
// models no congestion control: a ring keeps every link busy with one flow, so
// there is nothing to share.
//
// A [Node] wraps a machine that speaks streams and is itself a machine with one
// port, the host's interface. Its headers are as long as Ethernet, IPv4 and TCP
// with timestamps (66 bytes), so that goodput compares with TCP's.
//
//	inner machine --Next--> send window --frames--> interface
//	inner machine <--Prev-- receive side <--frames-- interface
//
// A segment is UDP with 24 bytes of header: kind 1, pad 7, sequence number 8,
// pad 8, all big-endian.
package stream

import (
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Port is the UDP port of stream segments, from the dynamic range (RFC 6335).
const Port uint16 = 49300

// headerLen brings the headers to the 66 bytes of TCP with timestamps.
const headerLen = 24

// overhead is what precedes the bytes of a segment behind the IP header's start.
const overhead = inet.IPv4Len + inet.UDPLen + headerLen

// maxMTU is the largest IP packet.
const maxMTU = 65535

const (
	kindData uint8 = 1
	kindAck  uint8 = 2
)

// Names of counters.
const (
	CountSegments    = "stream-segments"
	CountRetransmits = "stream-segments-again"
	DropForeign      = "stream-foreign-packet"
	DropOutOfOrder   = "stream-out-of-order-segment"
	DropBadAck       = "stream-acknowledges-bytes-never-sent"
)

// Config describes one host of a chain of streams.
type Config struct {
	Node    string
	Next    inet.Flow      // from this host to the next; the ports are Port
	Prev    inet.Flow      // from this host back to the previous
	MTU     int            // bytes of an IP packet
	Window  units.Bytes    // bytes in flight; zero means DefaultWindow
	Timeout units.Duration // zero means DefaultTimeout
}

func (c Config) validate() error {
	if c.MTU <= overhead || c.MTU > maxMTU || c.Window < 1 || c.Timeout < 1 {
		return fmt.Errorf("MTU %d must be above %d and at most %d, window %v and timeout %v positive", c.MTU, overhead, maxMTU, c.Window, c.Timeout)
	}
	for _, f := range []inet.Flow{c.Next, c.Prev} {
		if !f.Src.Is4() || !f.Dst.Is4() {
			return fmt.Errorf("a stream from %v to %v: both must be IPv4 addresses", f.Src, f.Dst)
		}
	}
	return nil
}

// Defaults, both assumed: a window well above the bandwidth-delay product of
// the topologies here, and a timeout well above their round-trip times.
const (
	DefaultWindow  = 1 * units.MiB
	DefaultTimeout = 10 * units.Millisecond
)

// Node runs an inner machine, whose ports 0 and 1 are the streams to the next
// and from the previous host, over one interface.
type Node struct {
	sansio.Machine // the inner machine; its Handle and Expire are wrapped

	cfg      Config
	segment  int
	to       []sansio.Port
	next     []byte // header templates
	prev     []byte
	tx       sender
	expected uint64 // next byte of the stream from the previous host
	scratch  sansio.Effects
	count    sansio.Tally
}

// sender is the sending half: bytes from acked on are kept in buf.
type sender struct {
	buf    []byte
	head   int    // index in buf of the first byte that is not acknowledged
	acked  uint64 // stream offset of that byte
	sent   uint64 // offset behind the last byte in flight
	dups   int    // acknowledgements of acked again
	rto    units.Time
	repeat uint64 // offset below which bytes were sent before
}

// pending returns the bytes that are not acknowledged.
func (tx *sender) pending() []byte { return tx.buf[tx.head:] }

// release drops what was acknowledged. The buffer is moved only when half of it
// is free, so that a byte is moved once on average, however much is queued.
func (tx *sender) release(upTo uint64) {
	tx.head += int(upTo - tx.acked)
	tx.acked, tx.sent = upTo, max(tx.sent, upTo)
	if tx.head > len(tx.buf)/2 {
		tx.buf = tx.buf[:copy(tx.buf, tx.pending())]
		tx.head = 0
	}
}

// mayRepeat reports whether repeated acknowledgements mean a loss. Until the
// bytes that were sent twice are acknowledged, and one more, they may be the
// answers to segments that the receiver had already: going back for these would
// send every window twice, for ever (RFC 6582 §3.2 step 1, RFC 5681 §3.2).
func (tx *sender) mayRepeat() bool { return tx.repeat == 0 || tx.acked > tx.repeat }

// New wraps inner.
func New(cfg Config, inner sansio.Machine) (*Node, error) {
	if cfg.Window == 0 {
		cfg.Window = DefaultWindow
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring stream of %s: %w", cfg.Node, err)
	}
	return &Node{
		Machine: inner, cfg: cfg, segment: cfg.MTU - overhead, to: []sansio.Port{0},
		next: inet.UDPHeader(cfg.Next), prev: inet.UDPHeader(cfg.Prev), tx: sender{rto: units.Never},
	}, nil
}

// Counters returns segments by kind and drops by reason.
func (n *Node) Counters() []sansio.Count { return n.count.List() }

// NextDeadline returns the inner machine's or the retransmission timer's.
func (n *Node) NextDeadline() units.Time { return min(n.Machine.NextDeadline(), n.tx.rto) }

// Handle takes segments from the interface.
func (n *Node) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		for f := range t.Frames() {
			n.frame(now, t, t.Payload(f), eff)
		}
	}
}

func (n *Node) frame(now units.Time, t *sansio.Train, payload []byte, eff *sansio.Effects) {
	l, problem := t.Layout()
	if problem != inet.OK || l.Proto != inet.ProtoUDP || len(payload) < headerLen || inet.FlowOf(t.Header, l).DstPort != Port {
		n.count.Add(DropForeign, 1)
		return
	}
	src := inet.IPv4(t.Header[inet.EtherLen:]).Src()
	seq := binary.BigEndian.Uint64(payload[8:])
	switch {
	case payload[0] == kindData && src == n.cfg.Prev.Dst:
		n.data(now, seq, payload[headerLen:], eff)
	case payload[0] == kindAck && src == n.cfg.Next.Dst:
		n.ack(now, seq, eff)
	default:
		n.count.Add(DropForeign, 1)
	}
}

// data takes a segment of the previous host's stream and acknowledges it.
func (n *Node) data(now units.Time, seq uint64, b []byte, eff *sansio.Effects) {
	known := n.expected - seq // bytes of the segment that came before: a sender that goes back may cut elsewhere
	inOrder := seq <= n.expected && (known == 0 || known < uint64(len(b)))
	if inOrder {
		b = b[known:]
		n.expected += uint64(len(b))
	} else {
		n.count.Add(DropOutOfOrder, 1)
	}
	n.emit(n.prev, kindAck, n.expected, nil, eff)
	if inOrder {
		n.inner(now, eff, func(e *sansio.Effects) {
			n.Machine.Handle(now, []sansio.Arrival{{Port: 1, Train: sansio.Train{Body: b}}}, e)
		})
	}
}

// inner calls the inner machine and carries its stream output over.
func (n *Node) inner(now units.Time, eff *sansio.Effects, call func(*sansio.Effects)) {
	n.scratch.Reset()
	call(&n.scratch)
	for _, s := range n.scratch.Sends {
		n.tx.buf = append(n.tx.buf, s.Train.Body...)
	}
	eff.Computes = append(eff.Computes, n.scratch.Computes...)
	eff.Samples = append(eff.Samples, n.scratch.Samples...)
	n.fill(now, eff)
}

// Expire runs the inner machine's timers and the retransmission timer.
func (n *Node) Expire(now units.Time, eff *sansio.Effects) {
	if n.Machine.NextDeadline() <= now {
		n.inner(now, eff, func(e *sansio.Effects) { n.Machine.Expire(now, e) })
	}
	if n.tx.rto <= now {
		n.goBack(now, eff)
	}
}

// fill sends new bytes as far as the window allows.
func (n *Node) fill(now units.Time, eff *sansio.Effects) {
	tx := &n.tx
	pending := tx.pending()
	end := tx.acked + min(uint64(n.cfg.Window), uint64(len(pending)))
	for tx.sent < end {
		size := min(uint64(n.segment), end-tx.sent)
		lo := tx.sent - tx.acked
		n.count.Add(CountSegments, 1)
		if tx.sent < tx.repeat {
			n.count.Add(CountRetransmits, 1)
		}
		n.emit(n.next, kindData, tx.sent, pending[lo:lo+size], eff)
		tx.sent += size
		if tx.rto == units.Never {
			tx.rto = now.Add(n.cfg.Timeout)
		}
	}
}

// duplicates is the number of repeated acknowledgements that mean a loss (RFC 5681 §3.2).
const duplicates = 3

func (n *Node) ack(now units.Time, upTo uint64, eff *sansio.Effects) {
	tx := &n.tx
	switch {
	case upTo > max(tx.sent, tx.repeat):
		n.count.Add(DropBadAck, 1)
		return
	case upTo < tx.acked: // overtaken by a later one
		return
	case upTo == tx.acked:
		if tx.dups++; tx.dups == duplicates && tx.mayRepeat() {
			n.goBack(now, eff)
		}
		return
	}
	tx.dups = 0
	tx.release(upTo)
	tx.rto = units.Never
	if tx.sent > tx.acked {
		tx.rto = now.Add(n.cfg.Timeout)
	}
	n.fill(now, eff)
}

// goBack sends everything from the first unacknowledged byte again.
func (n *Node) goBack(now units.Time, eff *sansio.Effects) {
	tx := &n.tx
	tx.repeat, tx.sent, tx.rto = max(tx.repeat, tx.sent), tx.acked, units.Never
	n.fill(now, eff)
}

func (n *Node) emit(template []byte, kind uint8, seq uint64, b []byte, eff *sansio.Effects) {
	payload := eff.Body(headerLen + len(b))
	clear(payload[:headerLen])
	payload[0] = kind
	binary.BigEndian.PutUint64(payload[8:], seq)
	copy(payload[headerLen:], b)
	eff.Emit(n.to, template, payload)
}
