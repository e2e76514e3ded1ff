package result

import "github.com/inalab/inalab/internal/units"

// Resent is what a host sent again, because it was lost, late, or not acknowledged in time.
// Bytes are those behind the headers of UDP or TCP: every system counts them exactly under
// both clocks, as does the kernel of its TCP.
type Resent struct {
	Packets uint64      `json:"packets"` // datagrams of UDP, segments of TCP
	Bytes   units.Bytes `json:"bytes"`
}

// Add adds what another host sent again.
func (r *Resent) Add(o Resent) {
	r.Packets += o.Packets
	r.Bytes += o.Bytes
}
