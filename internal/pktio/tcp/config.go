package tcp

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/inalab/inalab/internal/units"
)

// Errors that callers test for.
var (
	// ErrPeerClosed is wrapped when a peer has closed its stream.
	ErrPeerClosed = errors.New("peer closed the stream")
	// ErrOverflow is wrapped when more bytes are pending than Config.Limit.
	ErrOverflow = errors.New("too many bytes pending")
	// ErrNoPeer is wrapped when a peer is not there in time.
	ErrNoPeer = errors.New("peer is missing")
)

// Stream is one connection of a device, whose ends are IPv4 addresses.
type Stream struct {
	// Local is the own end. Its port is where a passive stream listens; the kernel
	// chooses that of one that dials.
	Local netip.AddrPort
	// Remote is the other end. Its port is what is dialled; a passive stream takes
	// any port of that address. Connections from others are closed and counted.
	Remote netip.AddrPort
	// Passive streams are dialled by the other end.
	Passive bool
}

// Config says who the peers are. The zero value of every number is the default
// that stands beside it.
type Config struct {
	// Streams are the connections, by port of the device.
	Streams []Stream
	// Limit bounds the bytes that wait to be sent on a stream; zero: 64 MiB.
	Limit units.Bytes
	// Chunk is how many bytes Recv returns at most, of all streams; zero: 256 KiB.
	Chunk units.Bytes
	// RcvBuf and SndBuf are the sockets' buffers; zero: 4 MiB. A process without
	// CAP_NET_ADMIN gets at most net.core.rmem_max and wmem_max.
	RcvBuf, SndBuf units.Bytes
	// QuietEOF makes an orderly close by a peer no error: Recv goes on as if nothing
	// more were coming from it. It is for machines that know when they have
	// everything, since peers never end at the same instant; the price is that a peer
	// that dies in order shows as silence. A reset stays an error.
	QuietEOF bool
	// Deadline bounds how long Open waits for all peers; zero: 30 s.
	Deadline time.Duration
	// Linger bounds how long Close waits until pending bytes are sent; zero: 5 s.
	Linger time.Duration
}

// setDefaults fills in the defaults, all of them assumed.
func (c *Config) setDefaults() {
	c.Limit = cmp.Or(c.Limit, 64*units.MiB)
	c.Chunk = cmp.Or(c.Chunk, 256*units.KiB)
	c.RcvBuf = cmp.Or(c.RcvBuf, 4*units.MiB)
	c.SndBuf = cmp.Or(c.SndBuf, 4*units.MiB)
	c.Deadline = cmp.Or(c.Deadline, 30*time.Second)
	c.Linger = cmp.Or(c.Linger, 5*time.Second)
}

func (c *Config) validate() error {
	if len(c.Streams) == 0 {
		return errors.New("no streams: a device has at least one")
	}
	for i, s := range c.Streams {
		if err := s.validate(); err != nil {
			return fmt.Errorf("stream %d: %w", i, err)
		}
	}
	if c.Limit < 0 || c.Chunk < 0 || c.RcvBuf < 0 || c.SndBuf < 0 {
		return fmt.Errorf("limit %v, chunk %v, buffers %v and %v: none may be negative", c.Limit, c.Chunk, c.RcvBuf, c.SndBuf)
	}
	if c.Deadline < 0 || c.Linger < 0 {
		return fmt.Errorf("deadline %v and linger %v: none may be negative", c.Deadline, c.Linger)
	}
	return nil
}

func (s Stream) validate() error {
	for _, end := range []struct {
		name     string
		addr     netip.AddrPort
		needPort bool
	}{{"own", s.Local, s.Passive}, {"peer's", s.Remote, !s.Passive}} {
		a := end.addr.Addr()
		if !a.Is4() || a.IsUnspecified() || a.IsMulticast() {
			return fmt.Errorf("%s address %v is not that of a host: give an IPv4 address as in 10.0.0.1", end.name, a)
		}
		if end.needPort && end.addr.Port() == 0 {
			return fmt.Errorf("%s address %v has no port: give the one at which the passive end listens", end.name, end.addr)
		}
	}
	return nil
}
