package testbed

import (
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	triomlsystem "github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"

	"fmt"

	"github.com/inalab/inalab/nodes/stream"
)

// Systems that figures of SwitchML compare, under both clocks.
var (
	SML256  = switchml.System{Elements: 256}
	SML64   = switchml.System{Elements: 64}
	RingTCP = ring.System{Transport: stream.TCP}
)

// upperTimeout is the choice of trio.hier-timeout, "3x".
func upperTimeout(e *experiment.Env) (n int) {
	choice := e.Reading("trio.hier-timeout")
	if _, err := fmt.Sscanf(choice, "%dx", &n); err != nil {
		panic("experiments: trio.hier-timeout is " + choice)
	}
	return n
}

// Trio is Trio-ML in the readings taken.
func Trio(e *experiment.Env) triomlsystem.System {
	return triomlsystem.System{
		Wake: trioml.WakePolicy(e.Reading("trio.wake")),
		Late: program.LatePolicy(e.Reading("trio.late-record")),
		Age:  program.AgePolicy(e.Reading("trio.close-to-ideal")),

		TopPatience: upperTimeout(e),
	}
}
