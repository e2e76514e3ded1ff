package control_test

import (
	"encoding/json"
	"testing"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// forgetful is an engine with open blocks that it can forget.
type forgetful struct {
	chassistest.Transit
	open int
}

func (f *forgetful) Forget(units.Time) (blocks int) {
	blocks, f.open = f.open, 0
	return blocks
}

// A switch that can loses what it remembers, and says how much.
func TestForget(t *testing.T) {
	r := newRigOf(t, nil, "rack", 3, func(json.RawMessage, trace.Sink) (dataplane.Engine, error) {
		return &forgetful{open: 7}, nil
	}, func(*plan.Switch, string) any { return 0 })
	for _, want := range []control.Forgot{{Engines: 1, Blocks: 7}, {Engines: 1}} {
		if got := r.must(control.Request{Op: control.OpForget}).Forgot; got == nil || *got != want {
			t.Errorf("forgot %+v, want %+v", got, want)
		}
	}
	if got := r.ask(control.Request{Op: control.OpForget, ID: number(2)}); got.Fault != control.FaultRequest {
		t.Errorf("forgetting a job: %+v", got)
	}
}

// A switch that cannot refuses.
func TestNothingToForget(t *testing.T) {
	r := newRig(t, "rack", 3)
	wantFault(t, r.ask(control.Request{Op: control.OpForget}), control.FaultRefused, dataplane.RefusedForget)
}
