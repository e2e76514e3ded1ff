package stream

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/newreno"
	"github.com/inalab/inalab/nodes/roce"
)

// conn is one end of a connection, of any transport. What it emits leaves by
// port 0.
type conn interface {
	// Open starts, or gets ready for the other end to start.
	Open(now units.Time, eff *sansio.Effects)
	// Write sends the bytes of body, of which it keeps nothing, and the unstored
	// ones behind them.
	Write(now units.Time, body []byte, unstored int, eff *sansio.Effects)
	// Handle takes a train from the network and calls deliver with what is next of
	// the stream. The bytes are memory of the train, or else stay as they are until
	// time has passed.
	Handle(now units.Time, t *sansio.Train, eff *sansio.Effects, deliver func(body []byte, unstored int))
	Expire(now units.Time, eff *sansio.Effects)
	NextDeadline() units.Time
	Counters() []sansio.Count
}

// dial makes the near end of a connection.
func (c Config) dial(at Connection) (conn, error) {
	if c.Transport == RoCE {
		return c.dialRoCE(at)
	}
	end, err := newreno.New(newreno.Config{Node: c.Node, Flow: at.Flow, Out: []sansio.Port{0}, Passive: at.Passive, MTU: c.MTU, ECN: c.Transport == TCPECN})
	if err != nil {
		return nil, err
	}
	return end, nil
}

func (c Config) dialRoCE(at Connection) (conn, error) {
	mtu := roce.PathMTU(c.MTU)
	if mtu == 0 {
		return nil, fmt.Errorf("IP packets of %d bytes: RoCE needs room for %d bytes of payload and its headers", c.MTU, roce.MinPathMTU)
	}
	window := c.Window / units.Bytes(len(c.Connections))
	end, err := roce.New(roce.Config{Flow: at.Flow, PathMTU: mtu, Rate: c.Rate, Window: max(window, minWindow*units.Bytes(mtu))})
	if err != nil {
		return nil, err
	}
	return end, nil
}

// minWindow is the least window of a connection in packets: one on its way while
// the acknowledgement of another is.
const minWindow = 2

// number returns the number of the connection end that a train is for.
func (c Config) number(t *sansio.Train) (uint16, bool) {
	l, problem := t.Layout()
	if problem != inet.OK {
		return 0, false
	}
	transport := t.Header[l.Transport:]
	switch {
	case c.Transport != RoCE && l.Proto == inet.ProtoTCP:
		return inet.TCP(transport).DstPort(), true
	case c.Transport == RoCE && l.Proto == inet.ProtoUDP:
		qp, ok := roce.QueuePair(transport, t.Body)
		return uint16(qp), ok && qp <= 0xffff
	}
	return 0, false
}
