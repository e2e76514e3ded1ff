package capture

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/inalab/inalab/internal/pcapfile"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
)

// Config says what is captured.
type Config struct {
	About  string // comment of the file
	Lab    Lab    // at least one tap
	Filter Filter
	Count  int // frames after which no more are taken; zero: no bound
	Ring   int // bytes of the newest frames that are kept, and written at the end; zero: all are written as they come

	// Hold is how long a frame waits for a decision on it. Zero: for none.
	Hold time.Duration
	// MaxHeld bounds the bytes that wait. Zero: 64 MiB.
	MaxHeld int
}

// DefaultMaxHeld is some 15 000 frames of jumbo size.
const DefaultMaxHeld = 64 << 20

// Counts are what a capture came to.
type Counts struct {
	Seen    uint64 // frames at the taps
	Taken   uint64 // of them, those that passed the filter
	Written uint64 // of them, those in the file
	Pushed  uint64 // of them, those that a ring had no room for
	Commented,
	Missed uint64 // decisions without a frame that could be the one
}

// Capture takes frames and decisions, and writes them. It is of one goroutine. A time is in
// nanoseconds, by one clock for frames and events.
type Capture struct {
	cfg    Config
	out    *pcapfile.NgWriter
	split  splitter
	queue  queue
	decide *decisions
	ring   ring
	counts Counts
	last   int64
	err    error // the first of writing
}

// New begins a file.
func New(to io.Writer, cfg Config) (*Capture, error) {
	if cfg.MaxHeld == 0 {
		cfg.MaxHeld = DefaultMaxHeld
	}
	var list []pcapfile.Interface
	for _, t := range cfg.Lab.Taps {
		list = append(list, pcapfile.Interface{Name: t.Name(), Description: describe(t), Filter: cfg.Filter.String()})
	}
	out, err := pcapfile.NewNgWriter(to, cfg.About, list)
	if err != nil {
		return nil, err
	}
	c := &Capture{cfg: cfg, out: out, queue: newQueue(), ring: ring{limit: cfg.Ring}}
	c.decide = newDecisions(cfg.Lab, &c.queue)
	return c, nil
}

// Lab returns the lab that is captured.
func (c *Capture) Lab() Lab { return c.cfg.Lab }

// describe says where a tap is.
func describe(t Tap) string {
	text := "wire of " + t.Node
	if t.Peer != "" {
		text = fmt.Sprintf("wire between %s and %s", t.Node, t.Peer)
	}
	if t.Port != "" && t.Port != t.Iface {
		text += ", port " + t.Port
	}
	return text + "; outside of the link model of the switch"
}

// Train takes what passes a tap, out of its node or in.
func (c *Capture) Train(at int64, tap int, out bool, t *sansio.Train) {
	c.split.frames(t, func(data []byte, length int) { c.frame(at, tap, out, data, length) })
}

func (c *Capture) frame(at int64, tap int, out bool, data []byte, length int) {
	c.counts.Seen++
	if c.Full() {
		return
	}
	f := read(data, length)
	if !c.cfg.Filter.wants(&f) {
		return
	}
	c.counts.Taken++
	h := &held{at: at, f: f}
	h.packet.At, h.packet.Interface, h.packet.Length, h.packet.Data = stamp(at), tap, length, slices.Clone(data)
	h.packet.Direction = pcapfile.Inbound
	if out {
		h.packet.Direction = pcapfile.Outbound
	}
	c.queue.add(h)
	if out {
		c.decide.leaves(h)
	}
	c.Advance(at)
}

// Event takes an event of a node.
func (c *Capture) Event(at int64, e *trace.Event) { c.decide.take(e, at) }

// Advance writes the frames that have waited long enough at a time.
func (c *Capture) Advance(now int64) {
	c.last = max(c.last, now)
	for h := c.queue.oldest(); h != nil; h = c.queue.oldest() {
		if c.last-h.at < int64(c.cfg.Hold) && c.queue.bytes <= c.cfg.MaxHeld {
			return
		}
		c.leave()
	}
}

// leave hands the oldest frame on.
func (c *Capture) leave() {
	h := c.queue.take()
	if h.sent != "" {
		h.packet.Comments = append(h.packet.Comments, h.sent)
	}
	if len(h.packet.Comments) > 0 {
		c.counts.Commented++
	}
	if c.cfg.Ring > 0 {
		c.ring.put(h.packet)
		return
	}
	c.write(&h.packet)
}

func (c *Capture) write(p *pcapfile.NgPacket) {
	if c.err != nil {
		return
	}
	if c.err = c.out.Write(p); c.err == nil {
		c.counts.Written++
	}
}

// Full reports whether the capture takes no more frames: it has as many as it was to take, or
// they cannot be written.
func (c *Capture) Full() bool {
	return c.err != nil || c.cfg.Count > 0 && c.counts.Taken >= uint64(c.cfg.Count)
}

// Done reports whether the capture is full, and nothing waits for a decision any more.
func (c *Capture) Done() bool { return c.err != nil || c.Full() && c.queue.len() == 0 }

// Flush brings the file up to date with what has left.
func (c *Capture) Flush() error {
	if c.err == nil {
		c.err = c.out.Flush()
	}
	return c.err
}

// Lost says how many frames of a tap were seen, and lost before that. It is written at the end.
type Lost struct {
	Tap            int
	Received, Lost uint64
}

// Close writes what still waits, and the counts of taps.
func (c *Capture) Close(lost ...Lost) (Counts, error) {
	for c.queue.len() > 0 {
		c.leave()
	}
	for i := range c.ring.list[c.ring.head:] {
		c.write(&c.ring.list[c.ring.head+i])
	}
	for _, l := range lost {
		if c.err == nil {
			c.err = c.out.Count(l.Tap, stamp(c.last), l.Received, l.Lost)
		}
	}
	c.counts.Pushed, c.counts.Missed = c.ring.pushed, c.decide.missed
	err := c.Flush()
	return c.counts, err
}
