package tcp

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/inalab/inalab/internal/units"
)

// Errors that callers test for.
var (
	// ErrPeerClosed is wrapped when a neighbour has closed its stream.
	ErrPeerClosed = errors.New("neighbour closed the stream")
	// ErrOverflow is wrapped when more bytes are pending than Config.Limit.
	ErrOverflow = errors.New("too many bytes pending")
	// ErrNoNeighbour is wrapped when a neighbour is not there in time.
	ErrNoNeighbour = errors.New("neighbour is missing")
)

// Config says who the neighbours are. The zero value of every number is the
// default that stands beside it.
type Config struct {
	// Listen is the own IPv4 address and the port that the previous neighbour
	// dials; the own dialling starts from this address too.
	Listen netip.AddrPort
	// Dial is the Listen of the next neighbour.
	Dial netip.AddrPort
	// Previous is the address of the previous neighbour. Connections from others
	// are closed and counted. The zero value takes the first that comes.
	Previous netip.Addr
	// Limit bounds the bytes that wait to be sent; zero: 64 MiB.
	Limit units.Bytes
	// Chunk is the longest body that Recv returns; zero: 256 KiB.
	Chunk units.Bytes
	// RcvBuf and SndBuf are the sockets' buffers; zero: 4 MiB. A process without
	// CAP_NET_ADMIN gets at most net.core.rmem_max and wmem_max.
	RcvBuf, SndBuf units.Bytes
	// QuietEOF makes an orderly close by the previous neighbour no error: Recv
	// goes on as if nothing more were coming. It is for machines that know when
	// they have everything, since neighbours never end at the same instant; the
	// price is that a neighbour that dies in order shows as silence. A reset
	// stays an error.
	QuietEOF bool
	// Deadline bounds how long Open waits for both neighbours; zero: 30 s.
	Deadline time.Duration
	// Linger bounds how long Close waits until pending bytes are sent; zero: 5 s.
	Linger time.Duration
}

// setDefaults fills in the defaults, all of them assumed.
func (c *Config) setDefaults() {
	sizes := []struct {
		field *units.Bytes
		value units.Bytes
	}{{&c.Limit, 64 * units.MiB}, {&c.Chunk, 256 * units.KiB}, {&c.RcvBuf, 4 * units.MiB}, {&c.SndBuf, 4 * units.MiB}}
	for _, s := range sizes {
		if *s.field == 0 {
			*s.field = s.value
		}
	}
	if c.Deadline == 0 {
		c.Deadline = 30 * time.Second
	}
	if c.Linger == 0 {
		c.Linger = 5 * time.Second
	}
}

func (c *Config) validate() error {
	for _, a := range []struct {
		name string
		addr netip.AddrPort
	}{{"listen", c.Listen}, {"dial", c.Dial}} {
		if !a.addr.Addr().Is4() || a.addr.Addr().IsUnspecified() || a.addr.Addr().IsMulticast() || a.addr.Port() == 0 {
			return fmt.Errorf("%s address %v is not a host's IPv4 address and port: give one as in 10.0.0.1:9100", a.name, a.addr)
		}
	}
	if c.Previous.IsValid() && !c.Previous.Is4() {
		return fmt.Errorf("previous neighbour %v is not an IPv4 address", c.Previous)
	}
	if c.Limit < 0 || c.Chunk < 0 || c.RcvBuf < 0 || c.SndBuf < 0 {
		return fmt.Errorf("limit %v, chunk %v, buffers %v and %v: none may be negative", c.Limit, c.Chunk, c.RcvBuf, c.SndBuf)
	}
	if c.Deadline < 0 || c.Linger < 0 {
		return fmt.Errorf("deadline %v and linger %v: none may be negative", c.Deadline, c.Linger)
	}
	return nil
}
