package sim_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// lasting is SwitchML as if its switch could forget: it notes when it is asked to.
type lasting struct {
	switchml.System
	asked *[]units.Time
}

func (lasting) Survives(job.Role) error { return nil }

func (l lasting) NewEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	e, err := l.System.NewEngine(config, sink)
	if l.asked == nil {
		return e, err
	}
	return forgetful{e, l.asked}, err
}

type forgetful struct {
	dataplane.Engine
	asked *[]units.Time
}

func (f forgetful) Forget(now units.Time) int {
	*f.asked = append(*f.asked, now)
	return 0
}

// A switch forgets at the time that is said, and the run goes on and says so.
func TestForget(t *testing.T) {
	var asked []units.Time
	c := direct(t, lasting{asked: &asked}, 60, act(20, job.Forget, "tor"), act(40, job.Forget, "tor"))
	if want := []units.Time{units.Time(20 * units.Millisecond), units.Time(40 * units.Millisecond)}; !slices.Equal(asked, want) {
		t.Errorf("asked at %v, want %v", asked, want)
	}
	if c.Wrong != 0 || c.Checked == 0 || !slices.Equal(c.Course, []string{"forget tor at 20ms", "forget tor at 40ms"}) {
		t.Errorf("%d of %d wrong, %q", c.Wrong, c.Checked, c.Course)
	}
}

// A program that cannot is an error, not a run without it.
func TestNothingToForget(t *testing.T) {
	spec := tenantSpec(t, sharedPlan(t, "rack", 4), lasting{})
	spec.Actions = []job.Action{act(1, job.Forget, "tor")}
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sim.RunJobs(t.Context(), job.Alone(j), images(t), sim.Observer{})
	if want := "forget tor at 1ms: no program of tor can lose what it remembers"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
