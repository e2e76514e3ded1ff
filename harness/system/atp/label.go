package atp

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Label is where packets name the aggregator that they ask for (§3.3).
func (s System) Label(j *job.Job) (l job.Label, ok bool) {
	return job.Label{
		Label: impair.Label{
			Protocol: inet.ProtoUDP, Ports: [2]uint16{s.port(), s.port()},
			Job: impair.Field{Offset: 8, Bytes: 1}, Slot: impair.Field{Offset: 12, Bytes: 2},
		},
		Slot: "aggregator", Last: uint32(max(1, s.aggregators(j)) - 1),
	}, s.aggregators(j) > 0
}
