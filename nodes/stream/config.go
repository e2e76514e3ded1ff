package stream

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Port is the first of the numbers that connections get, from the dynamic range
// (RFC 6335).
const Port uint16 = 49300

// Transport names what carries the streams.
type Transport string

// The transports.
const (
	TCP    Transport = "tcp"     // NewReno, as in package newreno; the default
	TCPECN Transport = "tcp-ecn" // the same, and it reacts to links that mark congestion (RFC 3168)
	RoCE   Transport = "roce"    // a reliable connection, as in package roce
)

// Connection is one end of a connection.
type Connection struct {
	// Flow is addressed as this host sends. Its ports are TCP's, or the numbers of
	// the queue pairs: SrcPort is the near end's.
	Flow    inet.Flow
	Passive bool // the other end opens
}

// Peer is one connection as a collective wants it: to which host, and by which
// numbers of its ends.
type Peer struct {
	Host          int // in the numbering of the collective
	Local, Remote uint16
	Passive       bool // the other end opens
}

// Connect returns the connection to a peer, given how this host reaches its
// host.
func (p Peer) Connect(flow inet.Flow) Connection {
	flow.SrcPort, flow.DstPort = p.Local, p.Remote
	return Connection{Flow: flow, Passive: p.Passive}
}

// Config describes the connections of one host.
type Config struct {
	Node        string
	MTU         int          // bytes of an IP packet
	Transport   Transport    // empty means TCP
	Rate        units.Rate   // of the host's line, which paces RoCE; zero: nothing is paced
	Window      units.Bytes  // on their way by RoCE, over all connections; zero means DefaultWindow(Rate)
	Connections []Connection // by port of the inner machine
}

// DefaultWindow is what all RoCE connections of a host together have on their way
// by default: what the line sends in 200 us, well above the round-trip time of a
// rack, and well below what a switch's port queues by default (1 ms), so that
// hosts that all send to one lose nothing, as pauses see to it in real networks.
// At least 256 KiB; 1 MiB where the rate is not known. All assumed.
func DefaultWindow(r units.Rate) units.Bytes {
	if r == 0 {
		return 1 * units.MiB
	}
	return max(256*units.KiB, units.Bytes(r)/8/5000)
}

func (c Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Transport != TCP && c.Transport != TCPECN && c.Transport != RoCE {
		fault("transport %q: it must be %q, %q or %q", c.Transport, TCP, TCPECN, RoCE)
	}
	if c.Window < 1 || c.Rate < 0 {
		fault("window of %d bytes, rate of %v: they must be positive", c.Window, c.Rate)
	}
	if len(c.Connections) == 0 {
		fault("no connections: a machine that speaks by streams has at least one")
	}
	taken := map[uint16]int{}
	for i, conn := range c.Connections {
		if j, dup := taken[conn.Flow.SrcPort]; dup {
			fault("connections %d and %d both have number %d here: give each its own", j, i, conn.Flow.SrcPort)
		}
		taken[conn.Flow.SrcPort] = i
	}
	return errors.Join(errs...)
}
