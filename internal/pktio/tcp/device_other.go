//go:build !linux

package tcp

import (
	"context"
	"errors"

	"github.com/inalab/inalab/internal/pktio"
)

// Device exists on Linux only.
type Device struct{ pktio.Device }

// Open returns an error: the device needs Linux.
func Open(context.Context, Config) (*Device, error) {
	return nil, errors.New("open tcp device: needs Linux (ppoll, eventfd); use virtual time here")
}

// Retransmits returns 0.
func (d *Device) Retransmits() uint64 { return 0 }

// Congestion returns an error: it is the kernel's.
func Congestion() (string, error) { return "", errors.ErrUnsupported }
