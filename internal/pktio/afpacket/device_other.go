//go:build !linux

package afpacket

import (
	"errors"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/sansio"
)

// errNeedsLinux is what everything here answers elsewhere.
var errNeedsLinux = errors.New("packet sockets need Linux: run this on a Linux host, or use the virtual clock")

// Device exists so that packages build everywhere; none can be opened here.
type Device struct{}

var _ pktio.Device = (*Device)(nil)

// Open returns an error: this needs Linux.
func Open(Config) (*Device, error) { return nil, errNeedsLinux }

// Probe returns an error: this needs Linux.
func Probe() (Features, error) { return Features{}, errNeedsLinux }

// Recv implements [pktio.Device].
func (*Device) Recv(time.Duration) ([]sansio.Arrival, error) { return nil, errNeedsLinux }

// Send implements [pktio.Device].
func (*Device) Send([]sansio.Send) error { return errNeedsLinux }

// Wake implements [pktio.Device].
func (*Device) Wake() {}

// Stats implements [pktio.Device].
func (*Device) Stats() pktio.Stats { return pktio.Stats{} }

// Close implements [pktio.Device].
func (*Device) Close() error { return nil }
