package trioml

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
)

// Label is where packets name the block of the tensor (Fig 8).
func (t System) Label(j *job.Job) (l job.Label, ok bool) {
	return job.Label{
		Label: impair.Label{
			Protocol: inet.ProtoUDP, Ports: [2]uint16{wire.Port, wire.Port},
			Job: impair.Field{Offset: 0, Bytes: 1}, Slot: impair.Field{Offset: 1, Bytes: 4},
		},
		Slot: "block", Last: uint32(t.blocks(j) - 1),
	}, true
}
