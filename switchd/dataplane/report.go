package dataplane

import (
	"net/netip"

	"github.com/inalab/inalab/internal/units"
)

// Report is what an engine tells a collector of the traffic from an address to another, all
// of it since the engine knows the two.
type Report struct {
	Src, Dst netip.Addr
	Packets  uint64
	Bytes    units.Bytes // of whole frames
}

// ReadReport reads the payload of a report; false if it is none.
type ReadReport func(payload []byte) (Report, bool)
