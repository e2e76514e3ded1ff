package xagg

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/pktio/impair"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	agent "github.com/inalab/inalab/nodes/xaggd"
)

// Label is where packets name the fragment of the gradient, which count from 1 (XAgg §IV-A).
func (s System) Label(j *job.Job) (l job.Label, ok bool) {
	return job.Label{
		Label: impair.Label{Protocol: wire.Protocol, Job: impair.Field{Offset: 8, Bytes: 2}, Slot: impair.Field{Offset: 4, Bytes: 4}},
		Slot:  "fragment", First: 1, Last: agent.Fragments(j.Params, s.values()),
	}, true
}
