package testbed

import (
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	triomlsystem "github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// Systems that figures of SwitchML compare, under both clocks.
var (
	SML256  = switchml.System{Elements: 256}
	SML64   = switchml.System{Elements: 64}
	RingTCP = ring.System{Transport: stream.TCP}

	// On the emulated Tofino, whose passes take no time of the model: live they take this machine's.
	Pipe256 = switchml.System{Elements: 256, Pipe: OnPipe}
	Pipe64  = switchml.System{Elements: 64, Pipe: OnPipe}
	OnPipe  = switchml.Pipe{Pipeline: true}
)

// upperTimeout is the choice of trio.hier-timeout, "3x".
func upperTimeout(e *experiment.Env) (n int) {
	choice := e.Reading("trio.hier-timeout")
	if _, err := fmt.Sscanf(choice, "%dx", &n); err != nil {
		panic("testbed: trio.hier-timeout is " + choice)
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

// Links of the SwitchML testbed.
const (
	// MTU is that of Ethernet, with which both SwitchML-256 and RoCE carry 1024
	// bytes a packet (SwitchML §5: 1024-byte payload).
	MTU = 1500

	Gigabit10  = 10 * units.GbitPerSecond
	Gigabit100 = 100 * units.GbitPerSecond
)

// LinkRates are those of SwitchML Table 1, as claims call them.
var LinkRates = []struct {
	Name string
	Rate units.Rate
}{{"10g", Gigabit10}, {"100g", Gigabit100}}

// Goodput is the payload that packets of 256 values carry: 1024 of 1100 bytes on
// the line (SwitchML §4.4, §5).
func Goodput(r units.Rate) units.Rate { return r * 1024 / PacketOf256 }

// PacketOf256 is the bytes that a packet of 256 values takes on the line.
const PacketOf256 = 1100

// LossRates are the loss rates of SwitchML Fig 6, of each link each way.
var LossRates = []float64{0, 0.0001, 0.001, 0.01}
