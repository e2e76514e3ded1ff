package roce

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Defaults, all assumed.
const (
	// DefaultWindow is the limit of payload on its way: well above the
	// bandwidth-delay product of a rack at 100 Gbit/s.
	DefaultWindow = 512 * units.KiB
	// DefaultAckEvery is how many packets go without an acknowledgement inside a
	// message.
	DefaultAckEvery = 16
	// DefaultTimeout is 4.096 us * 2^14: the specification has timeouts in these
	// steps, and 14 is a common setting of collective libraries.
	DefaultTimeout = 4096 * units.Nanosecond << 14
	// DefaultRetries is the largest retry count that a queue pair can have.
	DefaultRetries = 7
	// DefaultBuffer bounds what is written and not acknowledged yet.
	DefaultBuffer = 4 * units.GiB
)

// The path MTUs of InfiniBand, in bytes of payload.
const (
	MinPathMTU = 256
	MaxPathMTU = 4096
)

// maxWindow is the largest number of packets that 24-bit sequence numbers tell
// apart: half of their range.
const maxWindow = 1 << 23

// Config describes one end of a connection.
type Config struct {
	// Flow is addressed as this end sends. SrcPort is the number of the queue pair
	// here, DstPort that of the peer's; the UDP ports follow from them.
	Flow     inet.Flow
	PathMTU  int            // payload bytes of a full packet: 256, 512, 1024, 2048 or 4096; zero means 4096
	Window   units.Bytes    // payload on its way, at least one packet; zero means DefaultWindow
	Rate     units.Rate     // of the line, for the pace of bursts; zero: all that the window allows goes out at once
	AckEvery int            // packets of a burst, and between acknowledgements; zero means DefaultAckEvery
	Timeout  units.Duration // without progress; zero means DefaultTimeout
	Retries  int            // timeouts in a row that are survived; zero means DefaultRetries
	Buffer   units.Bytes    // written and not acknowledged; zero means DefaultBuffer
}

// PathMTU returns the largest path MTU whose packets fit an IP packet of ipMTU
// bytes, or 0 where none does.
func PathMTU(ipMTU int) int {
	for p := MaxPathMTU; p >= MinPathMTU; p /= 2 {
		if p+inet.IPv4Len+inet.UDPLen+overhead <= ipMTU {
			return p
		}
	}
	return 0
}

func (c Config) withDefaults() Config {
	c.PathMTU = cmp.Or(c.PathMTU, MaxPathMTU)
	c.Window = cmp.Or(c.Window, DefaultWindow)
	c.AckEvery = cmp.Or(c.AckEvery, DefaultAckEvery)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.Retries = cmp.Or(c.Retries, DefaultRetries)
	c.Buffer = cmp.Or(c.Buffer, DefaultBuffer)
	return c
}

// packets returns the window in packets.
func (c Config) packets() uint64 { return uint64(max(1, int64(c.Window)/int64(c.PathMTU))) }

func (c Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !c.Flow.Src.Is4() || !c.Flow.Dst.Is4() {
		fault("from %v to %v: both must be IPv4 addresses", c.Flow.Src, c.Flow.Dst)
	}
	if p := c.PathMTU; p < MinPathMTU || p > MaxPathMTU || p&(p-1) != 0 {
		fault("path MTU of %d bytes: it must be 256, 512, 1024, 2048 or 4096", p)
	} else if c.Window < 1 || c.packets() > maxWindow {
		fault("window of %d bytes: it must be positive and at most %d packets of %d", c.Window, maxWindow, p)
	}
	if c.Rate < 0 {
		fault("rate of %v: it must be positive, or zero for no pace", c.Rate)
	}
	if c.AckEvery < 1 || c.Timeout < 1 || c.Retries < 1 || c.Buffer < 1 {
		fault("an acknowledgement every %d packets, timeout %v, %d retries, buffer of %d bytes: all must be positive", c.AckEvery, c.Timeout, c.Retries, c.Buffer)
	}
	return errors.Join(errs...)
}
