package afpacket

import (
	"cmp"
	"errors"
	"fmt"
)

// Limits of a packet ring.
const (
	DefaultRingFrames = 64 // measured 5 to 17% faster than 1024: the ring stays in cache
	MaxRingFrames     = 256

	// DefaultMemoryBudget bounds the rings of a device: 512 ports at the floor.
	DefaultMemoryBudget = 256 << 20
)

// PortConfig is one port.
type PortConfig struct {
	// Iface names an Ethernet interface in the network namespace of the thread
	// that calls Open. Its MTU is read once, by Open.
	Iface string
}

// Config says what Open opens.
type Config struct {
	// Ports lists the ports, in order of their numbers. At least one.
	Ports []PortConfig
	// Plain forces the path without offload; see the package comment.
	Plain bool
	// RingFrames is the length of each port's receive ring in super-packets. It
	// is clamped to 64..256 and rounded up to whole blocks. Zero: 64.
	RingFrames int
	// MemoryBudget bounds the memory of all receive rings together in bytes.
	// Rings get shorter to keep within it, down to 7 frames (512 KiB) a port;
	// that is the least a port takes. Zero: [DefaultMemoryBudget].
	MemoryBudget int
	// NoPromisc leaves frames for other stations to the kernel's filter. A
	// switch port must take them, so the zero value is promiscuous.
	NoPromisc bool
}

func (c Config) withDefaults() Config {
	c.RingFrames = min(max(c.RingFrames, DefaultRingFrames), MaxRingFrames)
	c.MemoryBudget = cmp.Or(c.MemoryBudget, DefaultMemoryBudget)
	return c
}

// validate checks a configuration that has its defaults.
func (c Config) validate() error {
	if len(c.Ports) == 0 {
		return errors.New("no ports: name at least one interface")
	}
	seen := make(map[string]bool, len(c.Ports))
	for i, p := range c.Ports {
		if p.Iface == "" {
			return fmt.Errorf("port %d has no interface", i)
		}
		if seen[p.Iface] {
			return fmt.Errorf("port %d: interface %q is another port already", i, p.Iface)
		}
		seen[p.Iface] = true
	}
	if least := len(c.Ports) * smallBlock; c.MemoryBudget < least {
		return fmt.Errorf("%d ports need at least %d MiB of packet rings and MemoryBudget is %d MiB: raise it",
			len(c.Ports), least>>20, c.MemoryBudget>>20)
	}
	return nil
}

// Ring memory comes in blocks, which the kernel allocates in one piece each and
// rounds up to a power of two pages. A frame holds the largest super-packet,
// 65535 bytes of IP behind an Ethernet header, and what the kernel puts before it.
const (
	ringFrame  = 65536 + 256
	largeBlock = 1 << 20   // 15 frames, 6% unused
	smallBlock = 512 << 10 // 7 frames, 12% unused: for many ports
)

// ringShape is the layout of one port's ring.
type ringShape struct {
	blockBytes int
	blocks     int
}

func (s ringShape) framesPerBlock() int { return s.blockBytes / ringFrame }
func (s ringShape) frames() int         { return s.blocks * s.framesPerBlock() }
func (s ringShape) bytes() int          { return s.blocks * s.blockBytes }

// offset returns where frame i starts.
func (s ringShape) offset(i int) int {
	n := s.framesPerBlock()
	return i/n*s.blockBytes + i%n*ringFrame
}

// ring returns the layout that a valid configuration asks for.
func (c Config) ring() ringShape {
	s := ringShape{blockBytes: largeBlock}
	s.blocks = (c.RingFrames + s.framesPerBlock() - 1) / s.framesPerBlock()
	share := c.MemoryBudget / len(c.Ports)
	switch {
	case share < largeBlock:
		s = ringShape{blockBytes: smallBlock, blocks: 1}
	case s.bytes() > share:
		s.blocks = share / largeBlock
	}
	return s
}
