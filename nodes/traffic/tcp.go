package traffic

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/meter"
	"github.com/inalab/inalab/nodes/newreno"
)

// TCPConfig describes one end of a flow of TCP.
type TCPConfig struct {
	Node string
	Flow inet.Flow // as this end sends
	MTU  int       // bytes of an IP packet
	ECN  bool      // the end wants ECN (RFC 3168), which needs both
}

func (c *TCPConfig) dial(passive bool) (connection, error) {
	conn, err := newreno.New(newreno.Config{Node: c.Node, Flow: c.Flow, Out: port, Passive: passive, MTU: c.MTU, ECN: c.ECN})
	return connection{Conn: conn, wake: units.Never}, err
}

// connection is an end of TCP. Its deadline moves with every acknowledgement, mostly
// backwards: wake follows only forwards, and is set right when it is due, so that timers
// are seldom touched.
type connection struct {
	*newreno.Conn
	wake units.Time // not behind the connection's deadline
}

func (c *connection) follow() { c.wake = min(c.wake, c.NextDeadline()) }

func (c *connection) expire(now units.Time, eff *sansio.Effects) {
	if c.wake > now {
		return
	}
	if c.NextDeadline() <= now {
		c.Expire(now, eff)
	}
	c.wake = c.NextDeadline()
}

// sendBuffer is what a sender has written and not acknowledged at most, as Linux by itself
// (tcp_wmem, 4 MiB), which is also what newreno has on its way at most.
const sendBuffer = newreno.DefaultSndWindow

// Sender is the sending end of a flow of TCP: it opens the connection at the start, and
// closes its half at the stop. It is a [sansio.Machine].
type Sender struct {
	conn    connection
	pattern Pattern
	writer  Writer
	sent    Sent
	opened  bool
	closed  bool
	due     units.Time // of the next write; never while there is no room for it
}

// NewSender returns a sender that has not connected yet.
func NewSender(cfg TCPConfig, p Pattern) (*Sender, error) {
	if p.Packet < 1 || p.Packet > MaxWrite {
		return nil, fmt.Errorf("a flow of TCP with writes of %v: they must be of 1B to %v", p.Packet, MaxWrite)
	}
	conn, err := cfg.dial(false)
	return &Sender{conn: conn, pattern: p, writer: NewWriter(p), due: units.Never}, err
}

// Handle takes segments of the receiver.
func (s *Sender) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		s.conn.Handle(now, &in[i].Train, eff, func([]byte, int) {})
	}
	s.write(now, eff)
}

// Expire runs the timers that are due.
func (s *Sender) Expire(now units.Time, eff *sansio.Effects) {
	s.conn.expire(now, eff)
	s.write(now, eff)
}

// write does what the pattern wants done by now.
func (s *Sender) write(now units.Time, eff *sansio.Effects) {
	if start := units.Time(s.pattern.Start); now >= start && !s.opened {
		s.opened = true
		s.conn.Open(now, eff)
	}
	s.closed = s.closed || s.opened && s.conn.State() == newreno.Closed // reset, or given up
	if s.opened && !s.closed {
		s.fill(now, eff)
	}
	if now >= s.pattern.stop() && !s.closed {
		s.closed = true
		s.conn.Close(now, eff)
	}
	s.conn.follow()
}

// fill writes what is due, as long as there is room.
func (s *Sender) fill(now units.Time, eff *sansio.Effects) {
	s.due = units.Never
	for s.room() {
		if s.due = s.writer.Due(now); s.due > now {
			return
		}
		s.conn.Write(now, nil, int(s.pattern.Packet), eff)
		s.sent.Bytes += s.pattern.Packet
		s.writer.Next()
		s.due = units.Never
	}
}

// room reports whether the connection takes another write.
func (s *Sender) room() bool { return s.conn.Buffered()+s.pattern.Packet <= sendBuffer }

// NextDeadline returns when there is something to write, to open, to close, or to
// send again. A sender without room waits for acknowledgements.
func (s *Sender) NextDeadline() units.Time {
	next := s.conn.wake
	switch {
	case !s.opened:
		return min(next, units.Time(s.pattern.Start))
	case s.closed:
		return next
	}
	return min(next, s.due, s.pattern.stop())
}

// Sent returns what was sent so far.
func (s *Sender) Sent() Sent {
	sent, list := s.sent, s.conn.Counters()
	sent.Packets = sansio.CountOf(list, newreno.CountSegments)
	sent.Resent = sansio.ResentOf(list)
	return sent
}

// Counters returns segments by kind and drops by reason.
func (s *Sender) Counters() []sansio.Count { return s.conn.Counters() }

// Receiver is the receiving end of a flow of TCP. It is a [sansio.Machine].
type Receiver struct {
	Meter *meter.Meter // of the byte stream; may be nil

	conn connection
	got  Received
}

// NewReceiver returns a receiver that waits for its sender.
func NewReceiver(cfg TCPConfig) (*Receiver, error) {
	conn, err := cfg.dial(true)
	return &Receiver{conn: conn}, err
}

// Handle takes segments of the sender, and closes when it has.
func (r *Receiver) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		r.count(t)
		r.conn.Handle(now, t, eff, func(body []byte, unstored int) {
			n := units.Bytes(len(body) + unstored)
			r.got.Bytes += n
			r.got.Last = now
			r.Meter.Add(now, n)
		})
	}
	if r.conn.State() == newreno.CloseWait {
		r.conn.Close(now, eff)
	}
	r.conn.follow()
}

// count counts segments with data and their marks.
func (r *Receiver) count(t *sansio.Train) {
	if len(t.Body)+t.Unstored == 0 {
		return
	}
	frames := uint64(t.Frames())
	r.got.Packets += frames
	if l, problem := t.Layout(); problem == inet.OK && l.Proto == inet.ProtoTCP && inet.IPv4(t.Header[inet.EtherLen:]).ECN() == inet.CE {
		r.got.Marks += frames
	}
}

// Expire runs the timers that are due.
func (r *Receiver) Expire(now units.Time, eff *sansio.Effects) { r.conn.expire(now, eff) }

// NextDeadline returns the next timer's.
func (r *Receiver) NextDeadline() units.Time { return r.conn.wake }

// Received returns what came so far.
func (r *Receiver) Received() Received { return r.got }

// Counters returns segments by kind and drops by reason.
func (r *Receiver) Counters() []sansio.Count { return r.conn.Counters() }
