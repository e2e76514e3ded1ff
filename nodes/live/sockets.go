package live

import (
	"context"
	"errors"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/rawip"
	"github.com/inalab/inalab/internal/pktio/tcp"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/result"
)

// Sockets are those of a machine. Exactly one of the three is given.
type Sockets struct {
	UDP *udp.Config   `json:",omitempty"`
	Raw *rawip.Config `json:",omitempty"` // of a protocol of its own, beside UDP
	TCP *tcp.Config   `json:",omitempty"` // streams, by port of the machine
}

// errSockets is returned where none or several are given.
var errSockets = errors.New("a host's machine needs one of: a UDP socket, a raw socket beside UDP, or TCP streams")

// device is a pktio.Device, and what is asked of streams at the end.
type device struct {
	pktio.Device
	resent func() result.Resent
}

// open opens the sockets in the network namespace of the calling process.
func (s Sockets) open(ctx context.Context) (device, error) {
	given := 0
	for _, is := range [...]bool{s.UDP != nil, s.Raw != nil, s.TCP != nil} {
		if is {
			given++
		}
	}
	none := func() result.Resent { return result.Resent{} }
	switch {
	case given != 1:
		return device{}, errSockets
	case s.UDP != nil:
		d, err := udp.Open(*s.UDP)
		if err != nil {
			return device{}, err
		}
		return device{d, none}, nil
	case s.Raw != nil:
		d, err := rawip.Open(*s.Raw)
		if err != nil {
			return device{}, err
		}
		return device{d, none}, nil
	}
	d, err := tcp.Open(ctx, *s.TCP)
	if err != nil {
		return device{}, err
	}
	return device{d, d.Resent}, nil
}
