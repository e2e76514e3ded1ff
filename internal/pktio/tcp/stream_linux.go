package tcp

import (
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// direct is the length from which a body goes to the socket by itself instead
// of being collected with others: a copy costs less than a system call below
// some pages (assumed).
const direct = 16 * units.KiB

// stream is one connection that is up.
type stream struct {
	at   Stream
	peer netip.AddrPort // whom the socket is connected with
	fd   int            // -1 once closed
	slot int            // of the poller

	readable bool  // the last look found bytes, and no read since has found the end of them
	done     bool  // nothing more will come
	ended    error // why, where Recv has still to say so
	pending  pending
	sendErr  error // why the stream to the peer is broken

	resent result.Resent // when it was asked for last
}

// enqueue puts a body behind everything that went before.
func (s *stream) enqueue(t *sansio.Train, limit units.Bytes) error {
	switch {
	case s.sendErr != nil:
		return s.sendErr
	case len(t.Header) != 0:
		return s.fail(fmt.Errorf("send a train with %d bytes of header: a stream carries bodies only", len(t.Header)))
	}
	body := t.Body
	if len(body) >= int(direct) {
		if err := s.flush(); err != nil {
			return err
		}
		if s.pending.len() == 0 {
			n, err := s.write(body)
			if err != nil {
				return err
			}
			body = body[n:]
		}
	}
	if units.Bytes(s.pending.len()+len(body)) > limit {
		return s.fail(fmt.Errorf("%w for peer %v: %d bytes with a limit of %v: raise Limit, or send less ahead",
			ErrOverflow, s.peer, s.pending.len()+len(body), limit))
	}
	s.pending.push(body)
	return nil
}

// fail records that bytes are missing from the stream.
func (s *stream) fail(err error) error {
	s.sendErr = err
	s.pending = pending{}
	return err
}

// flush writes what the socket takes of the pending bytes.
func (s *stream) flush() error {
	for s.pending.len() > 0 {
		n, err := s.write(s.pending.bytes())
		if err != nil || n == 0 {
			return err
		}
		s.pending.pop(n)
	}
	return nil
}

// write returns how much of b the socket took, which may be nothing.
func (s *stream) write(b []byte) (int, error) {
	for {
		n, err := unix.Write(s.fd, b)
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
		return 0, s.fail(fmt.Errorf("write to peer %v: %w", s.peer, err))
	}
}

// read takes what is there, without waiting, as far as b has room.
func (s *stream) read(b []byte, quietEOF bool) (int, error) {
	if err := s.ended; err != nil {
		s.readable, s.ended = false, nil
		return 0, err
	}
	n, err := unix.Read(s.fd, b)
	switch {
	case err == unix.EINTR:
		return 0, nil
	case err == unix.EAGAIN:
		s.readable = false
		return 0, nil
	case err == nil && n > 0:
		s.readable = n == len(b)
		return n, nil
	case err == nil && quietEOF:
		s.readable, s.done = false, true
		return 0, nil
	case err == nil:
		err = ErrPeerClosed
	case err == unix.ECONNRESET:
		err = fmt.Errorf("%w: %w", ErrPeerClosed, err)
	}
	s.readable, s.done = false, true
	return 0, fmt.Errorf("read from peer %v: %w", s.peer, err)
}

// sentAgain returns what TCP sent again: tcpi_total_retrans, in which SYNs count, and
// tcpi_bytes_retrans (tcp(7), linux/tcp.h).
func (s *stream) sentAgain() result.Resent {
	if s.fd >= 0 {
		if info, err := unix.GetsockoptTCPInfo(s.fd, unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			s.resent = result.Resent{Packets: uint64(info.Total_retrans), Bytes: units.Bytes(info.Bytes_retrans)}
		}
	}
	return s.resent
}

// close closes the socket. Closing twice is harmless.
func (s *stream) close() error {
	err := closeSocket(s.fd)
	s.fd = -1
	return err
}

// closeSocket closes a socket that is not -1.
func closeSocket(fd int) error {
	if fd < 0 {
		return nil
	}
	return os.NewSyscallError("close socket", unix.Close(fd))
}
