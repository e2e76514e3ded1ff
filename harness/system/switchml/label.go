package switchml

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// Label is where packets name the slot of the pool, without its set. Those between switches have the
// port of their job. Over RoCE packets name queue pairs and memory, and no slot.
func (s System) Label(j *job.Job) (l job.Label, ok bool) {
	if s.Transport == RoCE {
		return l, false
	}
	return job.Label{
		Label: impair.Label{
			Protocol: inet.ProtoUDP, Ports: [2]uint16{wire.Port, udpBetween(255)},
			Job: impair.Field{Offset: 1, Bytes: 1}, Slot: impair.Field{Offset: 6, Bytes: 2, Mask: wire.MaxSlots - 1},
		},
		Slot: "slot", Last: uint32(s.pool(j) - 1),
	}, true
}
