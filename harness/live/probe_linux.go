package live

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// probeWait is how long a probe waits for its end, which is sent again and again.
const probeWait = 20 * time.Second

// exchange sends the frames and takes what arrives.
func (r *prober) exchange(ctx context.Context, out *Probed) error {
	in, err := r.receiver()
	if err != nil {
		return err
	}
	send, err := r.sender(in.LocalAddr().(*net.UDPAddr))
	if err != nil {
		return errors.Join(err, in.Close())
	}
	came := make(chan error, 1)
	var receiving sync.WaitGroup
	receiving.Go(func() { came <- r.receive(in, out) })
	err = r.send(ctx, send)
	out.Sent = r.Frames
	if err == nil {
		err = r.end(ctx, send, came)
	}
	err = errors.Join(err, in.Close(), send.Close())
	receiving.Wait() // it ends with its socket
	return err
}

func (r *prober) receiver() (c *net.UDPConn, err error) {
	to := &r.plan.Hosts[1]
	err = r.lab.Do(to.Name, func() (err error) {
		c, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(to.Addr.Addr(), 0)))
		return err
	})
	if err != nil {
		return nil, err
	}
	return tuned(c, option{unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, probeRoom}, option{unix.SOL_UDP, unix.UDP_GRO, 1}, option{unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1})
}

func (r *prober) sender(to *net.UDPAddr) (c *net.UDPConn, err error) {
	err = r.lab.Do(r.plan.Hosts[0].Name, func() (err error) {
		c, err = net.DialUDP("udp4", nil, to)
		return err
	})
	if err != nil {
		return nil, err
	}
	return tuned(c, option{unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, probeRoom}, option{unix.SOL_UDP, unix.UDP_SEGMENT, r.Size})
}

// probeRoom is the memory of a socket, as the kernel accounts: all that may arrive while the receiver waits for a
// processor (assumed).
const probeRoom = 64 << 20

// tuned returns a socket with options, or closes it.
func tuned(c *net.UDPConn, list ...option) (*net.UDPConn, error) {
	if err := setOptions(c, list...); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

type option struct{ level, name, value int }

func setOptions(c *net.UDPConn, list ...option) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var errs []error
	err = raw.Control(func(fd uintptr) {
		for _, o := range list {
			if err := unix.SetsockoptInt(int(fd), o.level, o.name, o.value); err != nil {
				errs = append(errs, fmt.Errorf("setting option %d of level %d of a socket: %w", o.name, o.level, err))
			}
		}
	})
	return errors.Join(append(errs, err)...)
}

// send sends all frames in time.
func (r *prober) send(ctx context.Context, c *net.UDPConn) error {
	b := make([]byte, r.Burst*r.Size)
	next := time.Now()
	for first := 0; first < r.Frames; first += r.Burst {
		if wait := time.Until(next); wait > 0 {
			if err := nap(ctx, wait); err != nil {
				return err
			}
		}
		next = next.Add(r.Gap)
		if late := time.Until(next) + r.Catch; late < r.Gap {
			next = next.Add(r.Gap - late)
		}
		n := min(r.Burst, r.Frames-first)
		r.stamp(b, first, n, time.Now().UnixNano())
		if _, err := c.Write(b[:n*r.Size]); err != nil {
			return fmt.Errorf("sending frame %d of a probe: %w", first, err)
		}
	}
	return nil
}

// nap waits.
func nap(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// end sends the frame behind the last one until it arrives.
func (r *prober) end(ctx context.Context, c *net.UDPConn, came <-chan error) error {
	if err := nap(ctx, r.settle()); err != nil {
		return err
	}
	b := make([]byte, r.Size)
	r.stamp(b, r.Frames, 1, 0)
	for tick, until := time.NewTicker(20*time.Millisecond), time.Now().Add(probeWait); time.Now().Before(until); {
		if _, err := c.Write(b); err != nil {
			return err
		}
		select {
		case err := <-came:
			tick.Stop()
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	return fmt.Errorf("the end of a probe has not arrived within %v: the link loses too much", probeWait)
}

// receive takes frames until the end comes, or the socket is closed.
func (r *prober) receive(c *net.UDPConn, out *Probed) error {
	b, oob := make([]byte, 1<<16), make([]byte, 256)
	out.Arrivals = make([]Arrival, 0, r.Frames)
	for {
		n, k, _, _, err := c.ReadMsgUDP(b, oob)
		if err != nil {
			return fmt.Errorf("receiving a probe: %w", err)
		}
		at, err := arrivedAt(oob[:k])
		if err != nil {
			return err
		}
		var end bool
		if out.Arrivals, end = r.read(b[:n], at, out.Arrivals); end {
			return nil
		}
	}
}

// arrivedAt returns the time of the kernel's stamp.
func arrivedAt(oob []byte) (int64, error) {
	list, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return 0, err
	}
	for _, m := range list {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= 16 {
			return int64(binary.NativeEndian.Uint64(m.Data))*1e9 + int64(binary.NativeEndian.Uint64(m.Data[8:])), nil
		}
	}
	return 0, errors.New("the kernel gave a frame no time of arrival")
}
