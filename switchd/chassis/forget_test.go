package chassis

import (
	"encoding/json"
	"testing"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/gen"
)

// forgetful is an engine that was asked to forget so many blocks, which changes its deadline.
type forgetful struct {
	chassistest.Transit
	blocks int
	at     units.Time
}

func (f *forgetful) Forget(now units.Time) int {
	f.at = now
	return f.blocks
}

func (f *forgetful) NextDeadline() units.Time { return f.at.Add(units.Second) }

// All engines that can forget do, or those of one PFE; others are left alone.
func TestForget(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{})
	cfg := Config{Switch: p.Switches[0], NoLinks: true, Programs: []json.RawMessage{encoded(1), encoded(2)}}
	cfg.Transit = []Program{{PFE: 1, System: "beside", Config: encoded(3)}, {PFE: 3, System: "other", Config: encoded(0)}}
	engines := []*forgetful{{}, {blocks: 1}, {blocks: 10}, {blocks: 100}}
	c, err := New(cfg, func(_ string, config json.RawMessage, _ trace.Sink) (dataplane.Engine, error) {
		var i int
		if err := json.Unmarshal(config, &i); err != nil || i == 0 {
			return &engines[0].Transit, err
		}
		return engines[i], nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ pfe, engines, blocks int }{{-1, 3, 111}, {1, 2, 110}, {0, 1, 1}, {3, 0, 0}} {
		now := units.Time(10+tc.pfe) * units.Time(units.Second)
		if n, blocks := c.Forget(now, tc.pfe); n != tc.engines || blocks != tc.blocks {
			t.Errorf("PFE %d: %d engines forgot %d blocks, want %d and %d", tc.pfe, n, blocks, tc.engines, tc.blocks)
		}
	}
	// The earliest deadline is now that of PFE 0, asked last of those at 10 s.
	if got, want := c.NextDeadline(), units.Time(11*units.Second); got != want {
		t.Errorf("the switch waits for %v, want %v", got, want)
	}
}
