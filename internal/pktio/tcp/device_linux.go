package tcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/poll"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
)

// Device is a set of byte streams as a [pktio.Device].
type Device struct {
	cfg     Config
	poller  *poll.Poller
	streams []stream // by port

	chunk    []byte
	first    int // stream that is read first next time
	arrivals []sansio.Arrival
	stats    pktio.Stats
	drops    sansio.Tally
}

var _ pktio.Device = (*Device)(nil)

// Open meets all peers, in the network namespace of the calling thread. It returns
// when all streams are up, when ctx is done, or at the deadline.
func Open(ctx context.Context, cfg Config) (*Device, error) {
	cfg.setDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("open tcp device: %w", err)
	}
	poller, err := poll.New()
	if err != nil {
		return nil, fmt.Errorf("open tcp device: %w", err)
	}
	d := &Device{cfg: cfg, poller: poller}
	stop := context.AfterFunc(ctx, poller.Wake)
	defer stop()
	meeting := newRendezvous(&d.cfg, poller, &d.drops)
	err = errors.Join(meeting.run(ctx), meeting.release())
	d.streams = meeting.streams()
	if err != nil {
		return nil, fmt.Errorf("open tcp device on %v: %w", cfg.Streams[0].Local.Addr(), errors.Join(err, d.Close()))
	}
	d.chunk = make([]byte, cfg.Chunk)
	d.arrivals = make([]sansio.Arrival, 0, len(d.streams))
	return d, nil
}

// Send implements [pktio.Device]. The bodies are taken in full.
func (d *Device) Send(sends []sansio.Send) error {
	for i := range sends {
		t := &sends[i].Train
		for _, port := range sends[i].To {
			if port < 0 || int(port) >= len(d.streams) {
				return fmt.Errorf("send by port %d of a device with %d streams", port, len(d.streams))
			}
			if err := d.streams[port].enqueue(t, d.cfg.Limit); err != nil {
				return err
			}
			d.stats.TxTrains++
			d.stats.TxFrames++
			d.stats.TxBytes += uint64(len(t.Body))
		}
	}
	return d.flush()
}

// flush writes what the sockets take of the pending bytes.
func (d *Device) flush() error {
	for i := range d.streams {
		if err := d.streams[i].flush(); err != nil {
			return err
		}
	}
	return nil
}

// Recv implements [pktio.Device]: at most one arrival of each stream.
func (d *Device) Recv(wait time.Duration) ([]sansio.Arrival, error) {
	until := time.Now().Add(wait)
	for {
		if err := d.flush(); err != nil {
			return nil, err
		}
		got, err := d.receive()
		if len(got) > 0 || err != nil {
			return got, err
		}
		outcome, err := d.await(wait)
		if err != nil || outcome != poll.Ready {
			return nil, err
		}
		if wait > 0 { // looks once more, at least
			wait = max(time.Nanosecond, time.Until(until))
		}
	}
}

// await waits until there is something to read, or room for what is pending.
func (d *Device) await(wait time.Duration) (poll.Outcome, error) {
	for i := range d.streams {
		s := &d.streams[i]
		fd, events := -1, int16(0)
		if !s.done {
			fd, events = s.fd, unix.POLLIN
		}
		if s.pending.len() > 0 {
			fd, events = s.fd, events|unix.POLLOUT
		}
		d.poller.Set(s.slot, fd, events)
	}
	outcome, err := d.poller.Wait(wait)
	if err != nil {
		return 0, fmt.Errorf("wait for the peers of %v: %w", d.cfg.Streams[0].Local.Addr(), err)
	}
	for i := range d.streams {
		s := &d.streams[i]
		s.readable = !s.done && d.poller.Events(s.slot)&^unix.POLLOUT != 0
	}
	return outcome, nil
}

// receive takes what is there without waiting. The streams share the memory of a
// call, and take turns to be first.
func (d *Device) receive() ([]sansio.Arrival, error) {
	d.arrivals = d.arrivals[:0]
	room := d.chunk
	for k := range d.streams {
		port := (d.first + k) % len(d.streams)
		s := &d.streams[port]
		if !s.readable {
			continue
		}
		n, err := s.read(room, d.cfg.QuietEOF)
		if err != nil {
			return d.interrupted(s, err)
		}
		if n == 0 {
			continue
		}
		d.stats.RxTrains++
		d.stats.RxFrames++
		d.stats.RxBytes += uint64(n)
		d.arrivals = append(d.arrivals, sansio.Arrival{Port: sansio.Port(port), Train: sansio.Train{Body: room[:n:n]}})
		if room = room[n:]; len(room) == 0 {
			d.first = (port + 1) % len(d.streams)
			break
		}
	}
	return d.arrivals, nil
}

// interrupted tells of a stream that has ended. What other streams brought goes
// before it.
func (d *Device) interrupted(s *stream, err error) ([]sansio.Arrival, error) {
	if len(d.arrivals) == 0 {
		return nil, err
	}
	s.readable, s.ended = true, err
	return d.arrivals, nil
}

// Wake implements [pktio.Device].
func (d *Device) Wake() { d.poller.Wake() }

// Stats implements [pktio.Device]. A stream has no frames; trains stand in.
func (d *Device) Stats() pktio.Stats {
	s := d.stats
	s.Offload = "tcp"
	s.Drops = d.drops.List()
	return s
}

// Resent returns what TCP sent again on all streams.
func (d *Device) Resent() (sum result.Resent) {
	for i := range d.streams {
		sum.Add(d.streams[i].sentAgain())
	}
	return sum
}

// Close implements [pktio.Device]. It waits at most Config.Linger until the
// kernel has taken the pending bytes; the kernel sends on after it returns.
// Closing twice is harmless.
func (d *Device) Close() error {
	d.Resent() // as long as there are sockets to ask
	errs := []error{d.drain()}
	for i := range d.streams {
		errs = append(errs, d.streams[i].close())
	}
	return errors.Join(append(errs, d.poller.Close())...)
}

// drain flushes the pending bytes before the device goes. A stream that breaks
// does not keep the others from it.
func (d *Device) drain() error {
	var errs []error
	for i := range d.streams {
		d.streams[i].readable, d.streams[i].done = false, true
	}
	for until := time.Now().Add(d.cfg.Linger); ; {
		left := 0
		for i := range d.streams {
			errs = append(errs, d.streams[i].flush())
			left += d.streams[i].pending.len()
		}
		if left == 0 {
			return errors.Join(errs...)
		}
		wait := time.Until(until)
		if wait <= 0 {
			return errors.Join(append(errs, d.giveUp())...)
		}
		if _, err := d.await(wait); err != nil {
			return errors.Join(append(errs, err)...)
		}
	}
}

// giveUp says whose bytes stay unsent.
func (d *Device) giveUp() error {
	var errs []error
	for i := range d.streams {
		if s := &d.streams[i]; s.pending.len() > 0 {
			errs = append(errs, s.fail(fmt.Errorf("close with %d bytes for peer %v unsent after %v", s.pending.len(), s.peer, d.cfg.Linger)))
		}
	}
	return errors.Join(errs...)
}
