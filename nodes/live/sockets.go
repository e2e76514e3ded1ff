package live

import (
	"context"
	"errors"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/tcp"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/result"
)

// Sockets are those of a machine. Exactly one of the two is given.
type Sockets struct {
	UDP *udp.Config `json:",omitempty"`
	TCP *tcp.Config `json:",omitempty"` // streams, by port of the machine
}

// device is a pktio.Device, and what is asked of streams at the end.
type device struct {
	pktio.Device
	resent func() result.Resent
}

// open opens the sockets in the network namespace of the calling process.
func (s Sockets) open(ctx context.Context) (device, error) {
	switch {
	case s.UDP != nil && s.TCP == nil:
		d, err := udp.Open(*s.UDP)
		if err != nil {
			return device{}, err
		}
		return device{d, func() result.Resent { return result.Resent{} }}, nil
	case s.TCP != nil && s.UDP == nil:
		d, err := tcp.Open(ctx, *s.TCP)
		if err != nil {
			return device{}, err
		}
		return device{d, d.Resent}, nil
	}
	return device{}, errors.New("a host's machine needs either a UDP socket or TCP streams")
}
