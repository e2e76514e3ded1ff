//go:build !linux

package udp

import (
	"errors"
	"net/netip"

	"github.com/inalab/inalab/internal/pktio"
)

// Device exists on Linux only.
type Device struct{ pktio.Device }

// Open returns an error: the device needs Linux.
func Open(Config) (*Device, error) {
	return nil, errors.New("open udp device: needs Linux (sendmmsg, UDP_SEGMENT); use virtual time here")
}

// Probe reports that nothing can be known.
func Probe() Features { return Features{} }

// Local returns the zero value.
func (d *Device) Local() netip.AddrPort { return netip.AddrPort{} }

// Buffers returns the zero value.
func (d *Device) Buffers() Buffers { return Buffers{} }
