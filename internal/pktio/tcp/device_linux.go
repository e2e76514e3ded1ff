package tcp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/poll"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// The ports of a device.
const (
	Next     sansio.Port = 0 // sends to the next neighbour
	Previous sansio.Port = 1 // receives from the previous neighbour
)

// direct is the length from which a body goes to the socket by itself instead
// of being collected with others: a copy costs less than a system call below
// some pages (assumed).
const direct = 16 * units.KiB

// Device is a pair of byte streams as a [pktio.Device].
type Device struct {
	cfg    Config
	poller *poll.Poller
	next   int // sockets, -1 once closed
	prev   int
	caller netip.AddrPort // the previous neighbour

	nextSlot, prevSlot int
	prevDone           bool // nothing more will come
	pending            pending
	sendErr            error // why the stream to the next neighbour is broken

	chunk       []byte
	arrivals    [1]sansio.Arrival
	retransmits uint64
	stats       pktio.Stats
	drops       sansio.Tally
}

var _ pktio.Device = (*Device)(nil)

// Open meets both neighbours, in the network namespace of the calling thread.
// It returns when both streams are up, when ctx is done, or at the deadline.
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
	d.next, d.prev, d.caller = meeting.next, meeting.prev, meeting.caller
	if err != nil {
		return nil, fmt.Errorf("open tcp device on %v: %w", cfg.Listen, errors.Join(err, d.Close()))
	}
	d.nextSlot, d.prevSlot = meeting.dialSlot, meeting.listenSlot
	d.chunk = make([]byte, cfg.Chunk)
	return d, nil
}

// Send implements [pktio.Device] for port [Next]. The bodies are taken in full.
func (d *Device) Send(sends []sansio.Send) error {
	for i := range sends {
		t := &sends[i].Train
		for _, port := range sends[i].To {
			if err := d.enqueue(port, t); err != nil {
				return err
			}
			d.stats.TxTrains++
			d.stats.TxFrames++
			d.stats.TxBytes += uint64(len(t.Body))
		}
	}
	return d.flush()
}

// enqueue puts a body behind everything that went before.
func (d *Device) enqueue(port sansio.Port, t *sansio.Train) error {
	switch {
	case d.sendErr != nil:
		return d.sendErr
	case port != Next:
		return d.breakStream(fmt.Errorf("send by port %d: only port %d of a stream device sends", port, Next))
	case len(t.Header) != 0:
		return d.breakStream(fmt.Errorf("send a train with %d bytes of header: a stream carries bodies only", len(t.Header)))
	}
	body := t.Body
	if len(body) >= int(direct) {
		if err := d.flush(); err != nil {
			return err
		}
		if d.pending.len() == 0 {
			n, err := d.write(body)
			if err != nil {
				return err
			}
			body = body[n:]
		}
	}
	if units.Bytes(d.pending.len()+len(body)) > d.cfg.Limit {
		return d.breakStream(fmt.Errorf("%w for next neighbour %v: %d bytes with a limit of %v: raise Limit, or send less ahead",
			ErrOverflow, d.cfg.Dial, d.pending.len()+len(body), d.cfg.Limit))
	}
	d.pending.push(body)
	return nil
}

// breakStream records that bytes are missing from the stream.
func (d *Device) breakStream(err error) error {
	d.sendErr = err
	d.pending = pending{}
	return err
}

// flush writes what the socket takes of the pending bytes.
func (d *Device) flush() error {
	for d.pending.len() > 0 {
		n, err := d.write(d.pending.bytes())
		if err != nil || n == 0 {
			return err
		}
		d.pending.pop(n)
	}
	return nil
}

// write returns how much of b the socket took, which may be nothing.
func (d *Device) write(b []byte) (int, error) {
	for {
		n, err := unix.Write(d.next, b)
		switch err {
		case nil:
			return n, nil
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			return 0, nil
		case unix.EPIPE, unix.ECONNRESET:
			err = fmt.Errorf("%w: %w", ErrPeerClosed, err)
		}
		return 0, d.breakStream(fmt.Errorf("write to next neighbour %v: %w", d.cfg.Dial, err))
	}
}

// Recv implements [pktio.Device]: at most one arrival, by port [Previous].
func (d *Device) Recv(wait time.Duration) ([]sansio.Arrival, error) {
	until := time.Now().Add(wait)
	for {
		if err := d.flush(); err != nil {
			return nil, err
		}
		got, err := d.receive()
		if len(got) > 0 || err != nil || wait == 0 {
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
	next, prev := -1, -1
	if d.pending.len() > 0 {
		next = d.next
	}
	if !d.prevDone {
		prev = d.prev
	}
	d.poller.Set(d.nextSlot, next, unix.POLLOUT)
	d.poller.Set(d.prevSlot, prev, unix.POLLIN)
	outcome, err := d.poller.Wait(wait)
	if err != nil {
		return 0, fmt.Errorf("wait for neighbours of %v: %w", d.cfg.Listen, err)
	}
	return outcome, nil
}

// receive takes what is there without waiting.
func (d *Device) receive() ([]sansio.Arrival, error) {
	if d.prevDone {
		return nil, nil
	}
	n, err := unix.Read(d.prev, d.chunk)
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return nil, nil
	case err == nil && n > 0:
		d.stats.RxTrains++
		d.stats.RxFrames++
		d.stats.RxBytes += uint64(n)
		d.arrivals[0] = sansio.Arrival{Port: Previous, Train: sansio.Train{Body: d.chunk[:n:n]}}
		return d.arrivals[:], nil
	case err == nil && d.cfg.QuietEOF:
		d.prevDone = true
		return nil, nil
	case err == nil:
		err = ErrPeerClosed
	case err == unix.ECONNRESET:
		err = fmt.Errorf("%w: %w", ErrPeerClosed, err)
	}
	d.prevDone = true
	return nil, fmt.Errorf("read from previous neighbour %v: %w", d.caller, err)
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

// Retransmits returns how many segments to the next neighbour TCP sent again
// (tcpi_total_retrans, tcp(7)).
func (d *Device) Retransmits() uint64 {
	if d.next >= 0 {
		if info, err := unix.GetsockoptTCPInfo(d.next, unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			d.retransmits = uint64(info.Total_retrans)
		}
	}
	return d.retransmits
}

// Close implements [pktio.Device]. It waits at most Config.Linger until the
// kernel has taken the pending bytes; the kernel sends on after it returns.
// Closing twice is harmless.
func (d *Device) Close() error {
	d.Retransmits()
	err := errors.Join(d.drain(), closeAll(d.next, d.prev), d.poller.Close())
	d.next, d.prev, d.prevDone = -1, -1, false // a Recv from here on is an error
	return err
}

// drain flushes the pending bytes before the device goes.
func (d *Device) drain() error {
	d.prevDone = true
	for until := time.Now().Add(d.cfg.Linger); ; {
		if err := d.flush(); err != nil || d.pending.len() == 0 {
			return err
		}
		left := time.Until(until)
		if left <= 0 {
			err := fmt.Errorf("close with %d bytes for next neighbour %v unsent after %v", d.pending.len(), d.cfg.Dial, d.cfg.Linger)
			return d.breakStream(err)
		}
		if _, err := d.await(left); err != nil {
			return err
		}
	}
}

// closeAll closes every socket that is not -1.
func closeAll(fds ...int) error {
	var errs []error
	for _, fd := range fds {
		if fd >= 0 {
			errs = append(errs, os.NewSyscallError("close socket", unix.Close(fd)))
		}
	}
	return errors.Join(errs...)
}
