//go:build !linux

package afpacket

import (
	"errors"

	"github.com/inalab/inalab/internal/pktio"
)

// errNeedsLinux is what everything here answers elsewhere.
var errNeedsLinux = errors.New("packet sockets need Linux: run this on a Linux host, or use the virtual clock")

// Device exists on Linux only.
type Device struct{ pktio.Device }

// Open returns an error: the device needs Linux.
func Open(Config) (*Device, error) { return nil, errNeedsLinux }

// Probe returns an error: this needs Linux.
func Probe() (Features, error) { return Features{}, errNeedsLinux }
