package testbed

import (
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// Model returns a profile with the computing time that the constants say.
func Model(e *experiment.Env, name string) profiles.Profile {
	p := Profile(name)
	p.Compute = units.Millisecond.Scale(e.Constants.Get("compute." + name))
	return p
}

// Profile returns the profile of a name. It panics where there is none.
func Profile(name string) profiles.Profile {
	p, err := profiles.Lookup(name)
	if err != nil {
		panic("testbed: " + err.Error())
	}
	return p
}

// Profiled is a row of Table 1 with the inputs that follow from it.
type Profiled struct {
	Profile profiles.Profile
	Row     profiles.Row
	Link    string // "10g"
	MiB     int
	Compute units.Duration
}

// Bytes returns the size of the gradient.
func (p *Profiled) Bytes() units.Bytes { return units.Bytes(p.MiB) * units.MiB }

// ProfileOf returns the inputs of a model at a link rate. It panics where Table 1 has
// no such row.
func ProfileOf(e *experiment.Env, model, link string, rate units.Rate) Profiled {
	p := Profile(model)
	row, ok := p.Row(profiles.SwitchML, rate)
	if !ok {
		panic(fmt.Sprintf("testbed: %s has no row of SwitchML Table 1 at %v", model, rate))
	}
	out := Profiled{Profile: p, Row: row, Link: link, MiB: row.Size.Used}
	if e.Reading("switchml.size-swap") == "printed" {
		out.MiB = row.Size.Printed
	}
	out.Compute, _ = row.Compute()
	return out
}

// Emulation says what stands for the paper's emulation of communication.
const Emulation = "the gradient once through SwitchML-256 on the emulated Tofino with its time, 8 workers whose hosts cost nothing; compute time and overlap are the row's"

// NetworkBound are the models of Fig 5.
var NetworkBound = []string{"deeplight", "lstm", "ncf", "bert"}
