package newreno

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Names of counters. A segment of data has bytes or a FIN.
const (
	CountSegments    = "tcp-segments"
	CountAgain       = "tcp-segments-again"
	CountAcks        = "tcp-acks"
	CountTimeouts    = "tcp-timeouts"
	CountFast        = "tcp-fast-retransmits"
	CountPartial     = "tcp-partial-acks"
	CountProbes      = "tcp-window-probes"
	CountResets      = "tcp-resets"
	CountPeerReset   = "tcp-reset-by-peer"
	CountExhausted   = "tcp-retries-exhausted"
	CountEchoes      = "tcp-ecn-echoes"     // segments that echo a mark on data of this end
	CountMarks       = "tcp-ecn-marks"      // segments of data that met congestion
	CountReductions  = "tcp-ecn-reductions" // of the window, by echoes
	DropForeign      = "tcp-foreign-packet"
	DropMalformed    = "tcp-malformed-segment"
	DropChecksum     = "tcp-bad-checksum"
	DropUnacceptable = "tcp-unacceptable-segment"
	DropStamp        = "tcp-bad-timestamp"
	DropBadAck       = "tcp-acknowledges-bytes-never-sent"
	DropOutOfOrder   = "tcp-too-many-pieces-out-of-order"
	DropBuffer       = "tcp-write-beyond-buffer"
	DropClosed       = "tcp-write-after-end"
)

// Conn is one end of a connection. It is driven like a machine, but hands what
// arrives to its caller.
type Conn struct {
	cfg     Config
	state   State
	ended   bool // Closed for good
	synLost bool
	offered bool        // the peer offered window scaling
	stamps  bool        // both ends use timestamps
	mss     units.Bytes // payload of a full segment that this end sends
	header  []byte      // template of every segment but those with SYN
	maxBody int         // payload bytes that a train has room for

	tx    sender
	rx    receiver
	cc    congestion
	rtt   estimator
	ecn   ecn
	gone  units.Time // end of TIME-WAIT, or never
	count sansio.Tally
}

// sender is the sending half; names are those of RFC 9293 §3.3.1.
type sender struct {
	isn   seqnum
	queue spans
	una   offset // oldest place that is not acknowledged
	nxt   offset // place to send next; goes back to una after a timeout
	max   offset // all from here on was never sent
	end   offset // behind the last byte that was written
	fin   bool   // a FIN follows there

	wnd, largest offset // the peer's window from una on; its largest so far
	wl1, wl2     offset // of the segment that told it
	scale        uint8  // of the peer's windows

	timer   units.Time // retransmission or probe, or never
	silent  int        // expiries in a row without an answer
	probes  int        // probes of the peer's window without progress
	probing bool       // what nxt lies behind was a probe
	held    units.Time // until when new data wait, or never: they need not (RFC 3168 §6.1.2)
	spoke   units.Time // when data were sent last
}

// New returns an end that has sent nothing. A passive one waits for a SYN, an
// active one for Open.
func New(cfg Config) (*Conn, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring TCP of %s: %w", cfg.Node, err)
	}
	c := &Conn{
		cfg: cfg, gone: units.Never,
		tx:  sender{isn: seqnum(cfg.ISN), end: 1, timer: units.Never, held: units.Never},
		rx:  receiver{delayed: units.Never},
		rtt: estimator{rto: cfg.InitialRTO, min: cfg.MinRTO, max: cfg.MaxRTO},
	}
	if cfg.Passive {
		c.state = Listen
	}
	return c, nil
}

// Open sends the SYN of an active end. A passive one goes on waiting.
func (c *Conn) Open(now units.Time, eff *sansio.Effects) {
	if c.state == Closed && !c.ended {
		c.state = SynSent
		c.sendSyn(now, eff)
	}
}

// Write sends the bytes of body and then the unstored ones, behind what was
// written before; before the connection is established they wait.
// Nothing of body is kept. A write that the buffer has no room for, or after
// Close or the end of the connection, is dropped as a whole and counted.
func (c *Conn) Write(now units.Time, body []byte, unstored int, eff *sansio.Effects) {
	size := len(body) + unstored
	switch {
	case size == 0:
		return
	case c.ended || c.tx.fin:
		c.count.Add(DropClosed, 1)
		return
	case c.Buffered()+units.Bytes(size) > c.cfg.SndBuf:
		c.count.Add(DropBuffer, 1)
		return
	}
	c.tx.queue.append(c.tx.end, body, unstored)
	c.tx.end += offset(size)
	c.fill(now, eff)
}

// Close sends a FIN behind what was written; before the connection is established
// it waits, as data do (RFC 9293 §3.10.4 lets an end that listens give up instead).
// The other direction stays open until the peer closes it.
func (c *Conn) Close(now units.Time, eff *sansio.Effects) {
	if c.ended || c.tx.fin {
		return
	}
	c.tx.fin = true
	c.fill(now, eff)
}

// State returns the state of the connection.
func (c *Conn) State() State { return c.state }

// Buffered returns the bytes that were written and are not acknowledged, those on
// their way included.
func (c *Conn) Buffered() units.Bytes {
	return units.Bytes(max(0, c.tx.end-max(c.tx.una, 1)))
}

// Counters returns segments by kind and drops by reason.
func (c *Conn) Counters() []sansio.Count { return c.count.List() }

// NextDeadline returns when the next timer is due, or never.
func (c *Conn) NextDeadline() units.Time { return min(c.tx.timer, c.tx.held, c.rx.delayed, c.gone) }

// finish ends the connection and forgets what it kept.
func (c *Conn) finish() {
	c.state, c.ended = Closed, true
	c.tx.timer, c.tx.held, c.rx.delayed, c.gone = units.Never, units.Never, units.Never, units.Never
	c.tx.queue, c.rx.queue = spans{}, nil
	c.tx.nxt, c.tx.max, c.tx.end = c.tx.una, c.tx.una, c.tx.una
}

// follow makes the transition that a table has for the state.
func (c *Conn) follow(now units.Time, table map[State]State) {
	next, ok := table[c.state]
	if !ok {
		return
	}
	c.state = next
	switch next {
	case TimeWait:
		c.tx.timer = units.Never
		c.gone = now.Add(c.cfg.TimeWait)
	case Closed:
		c.finish()
	}
}

// begin enters the established state.
func (c *Conn) begin() {
	c.state = Established
	c.cc.begin(c.mss, c.synLost)
	c.tx.timer, c.tx.silent = units.Never, 0
	if c.synLost && !c.rtt.sampled {
		c.rtt.rto = max(c.rtt.rto, min(synLostRTO, c.cfg.MaxRTO))
	}
}
