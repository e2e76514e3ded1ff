package roce

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/roce"
)

// Names of counters.
const (
	CountPackets  = "roce-packets"
	CountAgain    = "roce-packets-again"
	CountAcks     = "roce-acks"
	CountNaks     = "roce-naks"
	CountTimeouts = "roce-timeouts"

	DropForeign    = "roce-foreign-packet"
	DropMalformed  = "roce-malformed-packet"
	DropSequence   = "roce-packet-out-of-sequence"
	DropDuplicate  = "roce-duplicate-packet"
	DropBadAck     = "roce-acknowledges-packets-never-sent"
	DropBuffer     = "roce-message-beyond-buffer"
	DropFailed     = "roce-message-after-failure"
	CountExhausted = "roce-retries-exhausted"
)

// Conn is one end of a connection. It is driven like a machine, but hands what
// arrives to its caller.
type Conn struct {
	cfg    Config
	window uint64 // packets
	peer   uint32 // queue pair of the other end
	own    uint32
	header []byte // template of every packet
	to     []sansio.Port
	count  sansio.Tally

	tx sender
	rx receiver
}

// New returns an end that has sent nothing. What it emits leaves by port 0.
func New(cfg Config) (*Conn, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring a reliable connection from %v to %v: %w", cfg.Flow.Src, cfg.Flow.Dst, err)
	}
	return &Conn{
		cfg: cfg, window: cfg.packets(), peer: uint32(cfg.Flow.DstPort), own: uint32(cfg.Flow.SrcPort),
		header: inet.UDPHeader(datagram(cfg.Flow)), to: []sansio.Port{0}, tx: sender{line: units.Serializer{Rate: cfg.Rate}, pace: units.Never, deadline: units.Never},
	}, nil
}

// Open does nothing: queue pairs are ready from the start.
func (c *Conn) Open(units.Time, *sansio.Effects) {}

// Counters returns packets by kind and drops by reason.
func (c *Conn) Counters() []sansio.Count { return c.count.List() }

// NextDeadline returns when the next burst is due or the retransmission timeout
// is over, or never.
func (c *Conn) NextDeadline() units.Time { return min(c.tx.pace, c.tx.deadline) }

// Expire sends what is due, and goes back where the timeout is over.
func (c *Conn) Expire(now units.Time, eff *sansio.Effects) {
	tx := &c.tx
	if tx.pace <= now {
		c.fill(now, eff)
	}
	if tx.deadline > now {
		return
	}
	if tx.timeouts == c.cfg.Retries {
		tx.failed, tx.deadline, tx.pace = true, units.Never, units.Never
		c.count.Add(CountExhausted, 1)
		return
	}
	tx.timeouts++
	c.count.Add(CountTimeouts, 1)
	c.goBack(now, eff)
}

// Handle takes a train of packets from the network. For every packet that
// arrives in order deliver is called with its bytes, which are memory of the
// train, and the number of unstored bytes behind them.
func (c *Conn) Handle(now units.Time, t *sansio.Train, eff *sansio.Effects, deliver func(body []byte, unstored int)) {
	if !c.fromPeer(t) {
		c.count.Add(DropForeign, uint64(t.Frames()))
		return
	}
	for i := range t.Frames() {
		c.packet(now, t.Payload(i), t.Unstored, eff, deliver)
	}
}

// fromPeer reports whether a train comes from the peer.
func (c *Conn) fromPeer(t *sansio.Train) bool {
	ip, udp, ok := t.UDP()
	return ok && udp.DstPort() == Port && ip.Src() == c.cfg.Flow.Dst && ip.Dst() == c.cfg.Flow.Src
}

func (c *Conn) packet(now units.Time, p []byte, unstored int, eff *sansio.Effects, deliver func([]byte, int)) {
	if len(p) < overhead {
		c.count.Add(DropMalformed, 1)
		return
	}
	h := wire.BTH(p)
	rest := p[bthLen : len(p)-icrcLen]
	switch op := h.Opcode(); {
	case h.QueuePair() != c.own:
		c.count.Add(DropForeign, 1)
	case op == acknowledge && len(rest) == aethLen:
		c.answer(now, h.PSN(), rest[0], eff)
	case op <= sendLast || op == sendOnly:
		if len(rest)-h.Pad() < 0 || len(rest)+unstored-h.Pad() == 0 {
			c.count.Add(DropMalformed, 1)
			return
		}
		c.data(h, rest[:len(rest)-h.Pad()], unstored, eff, deliver)
	default:
		c.count.Add(DropMalformed, 1)
	}
}

// answer takes an acknowledgement of all up to PSN p, or the news that p is
// missing.
func (c *Conn) answer(now units.Time, p wire.PSN, syndrome byte, eff *sansio.Effects) {
	seq := p.Near(c.tx.acked)
	switch syndrome {
	case syndromeACK:
		c.acknowledged(now, seq+1)
		c.fill(now, eff)
	case syndromeNAKSequence:
		if c.acknowledged(now, seq) && c.tx.highest > c.tx.acked {
			c.goBack(now, eff)
		}
	default:
		c.count.Add(DropMalformed, 1)
	}
}
