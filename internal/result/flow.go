package result

import "github.com/inalab/inalab/internal/units"

// Flow is what traffic between two hosts came to in a run: a row of flows.csv.
type Flow struct {
	Name     string
	Kind     string // udp or tcp
	From, To string // hosts
	ECN      bool   // its packets said that they may be marked

	Sent, Delivered           uint64      // packets of UDP; segments of TCP with data
	SentBytes, DeliveredBytes units.Bytes // of IP packets of UDP; of the byte stream of TCP
	Active                    units.Duration

	Lost      uint64 // packets of UDP that did not come, and a later one did
	Reordered uint64 // packets of UDP that came behind a later one
	Marks     uint64 // packets that met congestion
	Resent    Resent // by TCP

	DelayMean, DelayMax units.Duration // of packets of UDP, from host to host
}

// Throughput returns what was delivered while the flow was active, in bit/s.
func (f *Flow) Throughput() float64 {
	if f.Active <= 0 {
		return 0
	}
	return float64(8*f.DeliveredBytes) / f.Active.Seconds()
}
