package xaggctl

import (
	"encoding/binary"
	"math/bits"
	"net/netip"

	"github.com/inalab/inalab/internal/wire/inet"
)

// Lengths of orders, in bytes, and their limit.
const (
	PlaceLen    = 18
	ChildLen    = 10
	MaxChildren = 31 // host ids have 32 bits (XAgg §IV-A), of which the node has one
)

// flagAgain is the bit of [Place.Again].
const flagAgain uint8 = 1

// Place is where a node is in the tree: all of its edges. The zero value is the place of a node that
// is in no tree.
type Place struct {
	Parent   Parent
	Again    bool // the edge to the parent was made in mid-iteration: send all of the gradient over it
	Children []Child
}

// Parent is the upper end of a node's edge. The root has the zero value.
type Parent struct {
	Host  uint32     // one-hot, or 0
	Addr  netip.Addr // IPv4
	MAC   inet.MAC
	Since uint16 // version of the tree that made the edge
}

// Child is the lower end of a node's edge.
type Child struct {
	Host  uint32 // one-hot
	Below uint32 // host ids of all hosts below it; 0: a worker
	Since uint16 // version of the tree that made the edge
}

// In reports whether a node with this place is in the tree.
func (p *Place) In() bool { return p.Parent.Host != 0 || len(p.Children) > 0 }

func (p *Place) append(b []byte) []byte {
	be := binary.BigEndian
	var addr [4]byte
	if p.Parent.Addr.Is4() {
		addr = p.Parent.Addr.As4()
	}
	flags := uint8(0)
	if p.Again {
		flags = flagAgain
	}
	children := p.Children[:min(len(p.Children), MaxChildren)]
	b = be.AppendUint32(b, p.Parent.Host)
	b = append(append(b, addr[:]...), p.Parent.MAC[:]...)
	b = be.AppendUint16(b, p.Parent.Since)
	b = append(b, flags, uint8(len(children)))
	for _, c := range children {
		b = be.AppendUint32(b, c.Host)
		b = be.AppendUint32(b, c.Below)
		b = be.AppendUint16(b, c.Since)
	}
	return b
}

// read takes a place from the body of a message.
func (p *Place) read(b []byte) Problem {
	if len(b) < PlaceLen || len(b) != PlaceLen+ChildLen*int(b[17]) || b[17] > MaxChildren {
		return BadLength
	}
	if b[16]&^flagAgain != 0 {
		return BadFlags
	}
	p.Again = b[16] == flagAgain
	if problem := p.Parent.read(b); problem != OK {
		return problem
	}
	be := binary.BigEndian
	seen := p.Parent.Host
	for b = b[PlaceLen:]; len(b) > 0; b = b[ChildLen:] {
		c := Child{Host: be.Uint32(b), Below: be.Uint32(b[4:]), Since: be.Uint16(b[8:])}
		if bits.OnesCount32(c.Host) != 1 || c.Host&c.Below != 0 || seen&(c.Host|c.Below) != 0 {
			return BadChild
		}
		seen |= c.Host | c.Below
		p.Children = append(p.Children, c)
	}
	return OK
}

// read takes the parent from the body of a message, which is long enough.
func (p *Parent) read(b []byte) Problem {
	be := binary.BigEndian
	*p = Parent{Host: be.Uint32(b), MAC: inet.MAC(b[8:14]), Since: be.Uint16(b[14:])}
	addr := netip.AddrFrom4([4]byte(b[4:8]))
	if p.Host == 0 {
		if p.MAC != (inet.MAC{}) || p.Since != 0 || !addr.IsUnspecified() {
			return BadParent
		}
		return OK
	}
	p.Addr = addr
	if bits.OnesCount32(p.Host) != 1 || addr.IsUnspecified() || addr.IsMulticast() || p.MAC.IsMulticast() || p.MAC == (inet.MAC{}) {
		return BadParent
	}
	return OK
}
