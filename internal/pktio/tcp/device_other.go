//go:build !linux

package tcp

import (
	"context"
	"errors"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/result"
)

// Device exists on Linux only.
type Device struct{ pktio.Device }

// Open returns an error: the device needs Linux.
func Open(context.Context, Config) (*Device, error) {
	return nil, errors.New("open tcp device: needs Linux (ppoll, eventfd); use virtual time here")
}

// Resent returns nothing.
func (d *Device) Resent() result.Resent { return result.Resent{} }

// Congestion returns an error: it is the kernel's.
func Congestion() (string, error) { return "", errors.ErrUnsupported }
