package afpacket

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/sansio"
)

// Tap sees what an interface receives and what it sends, and takes nothing away. One goroutine
// owns it.
type Tap struct {
	port     *port
	received uint64
	lost     uint64
}

// TapPacket is what passed a tap. The train borrows memory of the ring.
type TapPacket struct {
	At    time.Time // by the kernel, on the wall clock
	Out   bool      // the interface sent it
	Train sansio.Train
}

// OpenTap opens a tap on an interface of the network namespace of the calling thread, with a
// ring of so many super-packets, as in [Config]. It may be used from any thread.
func OpenTap(iface string, frames int) (*Tap, error) {
	cfg := Config{Ports: []PortConfig{{iface}}, RingFrames: frames}.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("open tap: %w", err)
	}
	shape := cfg.ring()
	p, err := openSocket(&port{iface: iface, both: true}, true, &shape)
	if err != nil {
		return nil, fmt.Errorf("open tap: %w", err)
	}
	return &Tap{port: p}, nil
}

// FD returns a descriptor that is readable when there is something to take. It is valid until
// Close.
func (t *Tap) FD() int { return t.port.fd }

// Offset of the packet type in the address behind the header of a ring's frame: sockaddr_ll has
// family 2, protocol 2, index 4, hardware type 2 before it (packet(7)).
const (
	tapAddress    = (unix.SizeofTpacket2Hdr + unix.TPACKET_ALIGNMENT - 1) &^ (unix.TPACKET_ALIGNMENT - 1)
	tapPacketType = tapAddress + 10
)

// Take calls each with packets that have passed, at most a ring of them, and returns how many
// there were. A packet is valid during its call.
func (t *Tap) Take(each func(*TapPacket)) (n int) {
	p := t.port
	for range p.ring.shape.frames() {
		s, ok := p.ring.take()
		if !ok {
			return n
		}
		n++
		h := s.header()
		out := TapPacket{At: time.Unix(int64(h.Sec), int64(h.Nsec)), Out: s[tapPacketType] == unix.PACKET_OUTGOING}
		var reason string
		if out.Train, reason = s.train(); reason == "" {
			t.received += uint64(out.Train.Frames())
			each(&out)
		} else {
			t.lost++
		}
		p.ring.giveBack()
	}
	return n
}

// Lost returns how many frames came, and how many packets were lost on the way here: the ring
// was full, or nobody could say what frames they stand for.
func (t *Tap) Lost() (received, lost uint64) {
	t.lost += t.port.ringDrops()
	return t.received, t.lost
}

// Check returns an error if the interface is gone.
func (t *Tap) Check() error { return t.port.check() }

// Close closes the tap.
func (t *Tap) Close() error { return t.port.close() }
