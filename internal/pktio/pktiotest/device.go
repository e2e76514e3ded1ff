package pktiotest

import (
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Reasons under which a device counts the trains it drops.
const (
	DropNoLink = "no-link"     // the port is linked to nothing
	DropClosed = "peer-closed" // the device at the other end is closed
)

// ErrClosed is what a closed device answers.
var ErrClosed = errors.New("device is closed")

// poison overwrites the memory of arrivals that are no longer valid.
const poison = 0xdb

// Device is an in-memory [pktio.Device]. Several goroutines may use it at once.
type Device struct {
	clock *Clock        // nil: real time
	bell  chan struct{} // holds a value after something changed

	mu     sync.Mutex
	links  []end
	inbox  []delivery // in order of time, then of delivery
	lent   []sansio.Arrival
	sent   []sansio.Send
	woken  bool
	closed bool
	err    error
	drops  sansio.Tally
	stats  pktio.Stats
}

var _ pktio.Device = (*Device)(nil)

// end is the far end of a link.
type end struct {
	dev  *Device // nil: none
	port sansio.Port
}

type delivery struct {
	at units.Time
	in sansio.Arrival
}

// New returns a device of n ports that are linked to nothing. Where clock is
// nil it waits in real time.
func New(n int, clock *Clock) *Device {
	return &Device{clock: clock, bell: make(chan struct{}, 1), links: make([]end, n)}
}

// Link joins two ports in both directions. Trains arrive at once.
func Link(a *Device, pa sansio.Port, b *Device, pb sansio.Port) {
	a.link(pa, end{b, pb})
	b.link(pb, end{a, pa})
}

func (d *Device) link(p sansio.Port, e end) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.links[p] = e
}

// NewPair returns two devices in real time, each port of one linked to the same
// port of the other.
func NewPair(n int) (a, b *Device) {
	a, b = New(n, nil), New(n, nil)
	for p := range sansio.Port(n) {
		Link(a, p, b, p)
	}
	return a, b
}

// Deliver copies trains into the inbox, to arrive at the given time; a device
// without a clock ignores the time, except for the order.
func (d *Device) Deliver(at units.Time, in ...sansio.Arrival) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range in {
		d.put(delivery{at, sansio.Arrival{Port: a.Port, Train: clone(a.Train)}})
	}
	d.ring()
}

func (d *Device) put(v delivery) {
	i := len(d.inbox)
	for i > 0 && d.inbox[i-1].at > v.at {
		i--
	}
	d.inbox = slices.Insert(d.inbox, i, v)
}

// Break makes every later Recv and Send fail with err.
func (d *Device) Break(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
	d.ring()
}

// Sent returns copies of all sends so far, dropped ones too.
func (d *Device) Sent() []sansio.Send {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.sent)
}

// Recv implements [pktio.Device].
func (d *Device) Recv(wait time.Duration) ([]sansio.Arrival, error) {
	d.takeBack()
	until := d.deadline(wait)
	for {
		in, over, err := d.collect(until)
		if over || err != nil {
			return in, err
		}
		if until.real == nil {
			<-d.bell
			continue
		}
		select {
		case <-d.bell:
		case <-until.real:
			until.passed = true
		}
	}
}

// limit is the end of a wait, in real time or on a clock.
type limit struct {
	real   <-chan time.Time // nil: wait for the bell alone
	passed bool             // look once more, then return
	at     units.Time       // on the clock
}

func (d *Device) deadline(wait time.Duration) limit {
	l := limit{at: units.Never}
	switch {
	case d.clock != nil && wait >= 0:
		l.at = d.clock.Now().Add(units.Duration(wait) * units.Nanosecond)
	case d.clock == nil && wait == 0:
		l.passed = true
	case d.clock == nil && wait > 0:
		l.real = time.After(wait)
	}
	return l
}

// collect lends what has arrived. It reports true where Recv is to return.
func (d *Device) collect(until limit) (in []sansio.Arrival, over bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.broken(); err != nil {
		return nil, true, err
	}
	if d.lend(d.horizon()); len(d.lent) > 0 {
		return d.lent, true, nil
	}
	if d.woken || until.passed {
		d.woken = false
		return nil, true, nil
	}
	if d.clock == nil {
		return nil, false, nil
	}
	next := until.at
	if len(d.inbox) > 0 {
		next = min(next, d.inbox[0].at)
	}
	if next == units.Never {
		return nil, false, nil
	}
	d.clock.Set(next)
	d.lend(next)
	return d.lent, true, nil
}

// horizon returns up to when deliveries have arrived.
func (d *Device) horizon() units.Time {
	if d.clock == nil {
		return math.MaxInt64
	}
	return d.clock.Now()
}

func (d *Device) lend(upTo units.Time) {
	n := 0
	for n < len(d.inbox) && d.inbox[n].at <= upTo {
		t := d.inbox[n].in.Train
		d.lent = append(d.lent, d.inbox[n].in)
		d.stats.RxTrains++
		d.stats.RxFrames += uint64(t.Frames())
		d.stats.RxBytes += uint64(t.Bytes())
		n++
	}
	d.inbox = slices.Delete(d.inbox, 0, n)
}

// takeBack ends the life of the arrivals of the last Recv.
func (d *Device) takeBack() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.lent {
		for _, b := range [][]byte{a.Train.Header, a.Train.Body} {
			for i := range b {
				b[i] = poison
			}
		}
	}
	d.lent = nil
}

// Send implements [pktio.Device].
func (d *Device) Send(sends []sansio.Send) error {
	for _, s := range sends {
		if err := d.record(s); err != nil {
			return err
		}
		for _, p := range s.To {
			d.forward(p, s.Train)
		}
	}
	return nil
}

func (d *Device) record(s sansio.Send) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.broken(); err != nil {
		return err
	}
	d.sent = append(d.sent, sansio.Send{To: slices.Clone(s.To), Train: clone(s.Train)})
	return nil
}

// forward hands a copy to the far end. It holds one lock at a time: links may
// form circles.
func (d *Device) forward(p sansio.Port, t sansio.Train) {
	d.mu.Lock()
	to := d.links[p]
	d.mu.Unlock()
	reason := DropNoLink
	if to.dev != nil {
		reason = to.dev.accept(to.port, t)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if reason != "" {
		d.drops.Add(reason, 1)
		return
	}
	d.stats.TxTrains++
	d.stats.TxFrames += uint64(t.Frames())
	d.stats.TxBytes += uint64(t.Bytes())
}

func (d *Device) accept(p sansio.Port, t sansio.Train) (reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return DropClosed
	}
	at := units.Time(0)
	if d.clock != nil {
		at = d.clock.Now()
	}
	d.put(delivery{at, sansio.Arrival{Port: p, Train: clone(t)}})
	d.ring()
	return ""
}

// Wake implements [pktio.Device].
func (d *Device) Wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.woken = true
	d.ring()
}

// ring makes a Recv that waits look again.
func (d *Device) ring() {
	select {
	case d.bell <- struct{}{}:
	default:
	}
}

// Stats implements [pktio.Device].
func (d *Device) Stats() pktio.Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.stats
	s.Offload, s.Drops = "memory", d.drops.List()
	return s
}

// Close implements [pktio.Device].
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed, d.inbox = true, nil
	d.ring()
	return nil
}

func (d *Device) broken() error {
	if d.closed {
		return ErrClosed
	}
	return d.err
}

// clone copies a train into memory of its own.
func clone(t sansio.Train) sansio.Train {
	t.Header, t.Body = slices.Clone(t.Header), slices.Clone(t.Body)
	return t
}
