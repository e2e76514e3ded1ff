//go:build !linux

package rawip

import (
	"errors"
	"net/netip"

	"github.com/inalab/inalab/internal/pktio"
)

// Device exists on Linux only.
type Device struct{ pktio.Device }

// Open returns an error: the device needs Linux.
func Open(Config) (*Device, error) {
	return nil, errors.New("open raw IP device: needs Linux (raw sockets of IPv4, sendmmsg); use virtual time here")
}

// Probe reports that there are no such sockets.
func Probe() error { return errors.New("raw IP sockets need Linux") }

// Local returns the zero value.
func (d *Device) Local() netip.AddrPort { return netip.AddrPort{} }
