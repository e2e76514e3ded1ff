package newreno

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Defaults.
const (
	DefaultMTU = 1500
	// DefaultRcvBuf is the largest receive buffer that Linux gives by itself
	// (tcp_rmem, 6 MiB).
	DefaultRcvBuf = 6 * units.MiB
	// DefaultSndWindow is the largest send buffer that Linux gives by itself
	// (tcp_wmem, 4 MiB), which bounds what is on its way.
	DefaultSndWindow = 4 * units.MiB
	// DefaultSndBuf bounds what is written and not acknowledged yet (assumed).
	DefaultSndBuf = 4 * units.GiB
	// DefaultInitialRTO is that of RFC 6298 §2.1.
	DefaultInitialRTO = units.Second
	// DefaultMinRTO is that of Linux (TCP_RTO_MIN); RFC 6298 §2.4 asks for 1 s.
	DefaultMinRTO = 200 * units.Millisecond
	// DefaultMaxRTO is the least that RFC 6298 §2.5 allows as an upper bound.
	DefaultMaxRTO = 60 * units.Second
	// DefaultDelayedAck is that of Linux (TCP_DELACK_MIN); RFC 9293 §3.8.6.3
	// allows up to half a second.
	DefaultDelayedAck = 40 * units.Millisecond
	// DefaultTimeWait is that of Linux, twice a segment lifetime of 30 s. RFC 9293
	// §3.4.2 has lifetimes of 2 minutes.
	DefaultTimeWait = 60 * units.Second
	// DefaultRetries is that of Linux (tcp_retries2); it is beyond the 3 minutes
	// that RFC 9293 §3.8.3 demands for a SYN.
	DefaultRetries = 15
)

// Limits.
const (
	// MinMTU is the smallest MTU of IPv4 (RFC 791 §3.2).
	MinMTU = 68
	// MaxMTU is the longest IPv4 packet.
	MaxMTU = 65535
	// MaxWindow is the largest window that scaling can express (RFC 7323 §2.3).
	MaxWindow = units.GiB
	// MaxOutOfOrder is how many pieces behind a gap a receiver keeps: a buffer of
	// 6 MiB in segments of 1448 bytes, and almost as many again. What comes on top
	// is dropped and counted.
	MaxOutOfOrder = 8192
)

// Config describes one end of a connection.
type Config struct {
	Node    string        // for errors
	Flow    inet.Flow     // as this end sends: addresses and ports, Ethernet's included
	Out     []sansio.Port // where frames leave; at least one
	Passive bool          // waits for the peer's SYN, from New on
	ISN     uint32        // initial sequence number

	MTU          int         // bytes of an IP packet; zero means DefaultMTU
	NoTimestamps bool        // neither offered nor accepted: 12 bytes of headers less
	ECN          bool        // congestion notification is offered, and accepted where the peer offers it
	RcvBuf       units.Bytes // the window that is advertised; zero means DefaultRcvBuf
	SndWindow    units.Bytes // on their way at most, but never less than a segment; zero means DefaultSndWindow
	SndBuf       units.Bytes // written and not acknowledged; zero means DefaultSndBuf

	InitialRTO units.Duration // zero means DefaultInitialRTO
	MinRTO     units.Duration // zero means DefaultMinRTO
	MaxRTO     units.Duration // zero means DefaultMaxRTO
	Retries    int            // timeouts in a row that are survived; zero means DefaultRetries
	DelayedAck units.Duration // longest wait of an acknowledgement; zero means DefaultDelayedAck, negative: none waits
	TimeWait   units.Duration // zero means DefaultTimeWait
}

func (c Config) withDefaults() Config {
	c.MTU = cmp.Or(c.MTU, DefaultMTU)
	c.RcvBuf = cmp.Or(c.RcvBuf, DefaultRcvBuf)
	c.SndWindow = cmp.Or(c.SndWindow, DefaultSndWindow)
	c.SndBuf = cmp.Or(c.SndBuf, DefaultSndBuf)
	c.InitialRTO = cmp.Or(c.InitialRTO, DefaultInitialRTO)
	c.MinRTO = cmp.Or(c.MinRTO, DefaultMinRTO)
	c.MaxRTO = cmp.Or(c.MaxRTO, DefaultMaxRTO)
	c.Retries = cmp.Or(c.Retries, DefaultRetries)
	c.DelayedAck = cmp.Or(c.DelayedAck, DefaultDelayedAck)
	c.TimeWait = cmp.Or(c.TimeWait, DefaultTimeWait)
	return c
}

// validate checks a configuration that has its defaults.
func (c Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !c.Flow.Src.Is4() || !c.Flow.Dst.Is4() {
		fault("from %v to %v: both must be IPv4 addresses", c.Flow.Src, c.Flow.Dst)
	}
	if c.Flow.SrcPort == 0 || c.Flow.DstPort == 0 {
		fault("from port %d to port %d: port 0 is reserved", c.Flow.SrcPort, c.Flow.DstPort)
	}
	if len(c.Out) == 0 {
		fault("no port to send by: name one in Out")
	}
	if c.MTU < MinMTU || c.MTU > MaxMTU {
		fault("MTU of %d bytes: it must be from %d to %d", c.MTU, MinMTU, MaxMTU)
	}
	if c.RcvBuf < 1 || c.RcvBuf > MaxWindow || c.SndWindow < 1 || c.SndWindow > MaxWindow {
		fault("receive buffer of %v, %v on their way: both must be positive and at most %v", c.RcvBuf, c.SndWindow, MaxWindow)
	}
	if c.SndBuf < 1 || c.Retries < 1 || c.TimeWait < 1 {
		fault("send buffer of %v, %d retries, TIME-WAIT of %v: all must be positive", c.SndBuf, c.Retries, c.TimeWait)
	}
	if c.MinRTO < 1 || c.InitialRTO < c.MinRTO || c.MaxRTO < c.InitialRTO {
		fault("timeouts from %v, at first %v, up to %v: they must be positive and in this order", c.MinRTO, c.InitialRTO, c.MaxRTO)
	}
	return errors.Join(errs...)
}
