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
	acked  uint64 // stream offset of buf[0]
	sent   uint64 // offset behind the last byte in flight
	dups   int    // acknowledgements of acked again
	rto    units.Time
	repeat uint64 // offset below which bytes were sent before
}

// New wraps inner.
func New(cfg Config, inner sansio.Machine) (*Node, error) {
	if cfg.Window == 0 {
		cfg.Window = DefaultWindow
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.MTU <= overhead || cfg.Window < 1 || cfg.Timeout < 1 {
		return nil, fmt.Errorf("configuring stream of %s: MTU %d must be above %d, window %v and timeout %v positive", cfg.Node, cfg.MTU, overhead, cfg.Window, cfg.Timeout)
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
	inOrder := seq == n.expected
	if inOrder {
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
	end := min(tx.acked+uint64(n.cfg.Window), tx.acked+uint64(len(tx.buf)))
	for tx.sent < end {
		size := min(uint64(n.segment), end-tx.sent)
		lo := tx.sent - tx.acked
		n.count.Add(CountSegments, 1)
		if tx.sent < tx.repeat {
			n.count.Add(CountRetransmits, 1)
		}
		n.emit(n.next, kindData, tx.sent, tx.buf[lo:lo+size], eff)
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
	if upTo <= tx.acked || upTo > max(tx.sent, tx.repeat) {
		if tx.dups++; upTo == tx.acked && tx.dups == duplicates {
			n.goBack(now, eff)
		}
		return
	}
	tx.dups = 0
	tx.buf = tx.buf[:copy(tx.buf, tx.buf[upTo-tx.acked:])]
	tx.acked, tx.sent = upTo, max(tx.sent, upTo)
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
