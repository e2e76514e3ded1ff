package rawip

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Config says what a device binds and how.
type Config struct {
	// Protocol is the IPv4 protocol of the raw socket. The kernel must not have it itself: 253
	// and 254 are for experiments (RFC 3692).
	Protocol uint8
	// UDP is the socket of UDP. Its addresses, groups, interface, buffers, largest packet and
	// ECN are also the raw socket's.
	UDP udp.Config
}

// kernels are the protocols that the kernel takes itself, and 255, by which nothing arrives
// (raw(7)).
var kernels = []uint8{0, inet.ProtoICMP, igmp, inet.ProtoTCP, inet.ProtoUDP, 255}

const igmp uint8 = 2 // RFC 3376

func (c *Config) validate() error {
	if slices.Contains(kernels, c.Protocol) {
		return fmt.Errorf("protocol %d is the kernel's own: choose another, such as 253 (RFC 3692)", c.Protocol)
	}
	if len(c.UDP.Options) > 0 {
		return fmt.Errorf("IP options of %d bytes: a raw socket sends none", len(c.UDP.Options))
	}
	return nil
}
