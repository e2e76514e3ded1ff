package job_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// late answers each train by two ports, a microsecond later.
type late struct {
	dataplane.Engine
	due []units.Time
}

func (l *late) Handle(now units.Time, _ []sansio.Arrival, _ *sansio.Effects) {
	l.due = append(l.due, now.Add(units.Microsecond))
}

func (l *late) NextDeadline() units.Time {
	if len(l.due) == 0 {
		return units.Never
	}
	return l.due[0]
}

func (l *late) Expire(_ units.Time, eff *sansio.Effects) {
	l.due = l.due[1:]
	eff.Sends = append(eff.Sends, sansio.Send{Train: sansio.Train{Body: make([]byte, 1)}, To: []sansio.Port{1, 2}})
}

// An engine alone is given time while trains come, and after; what it then has not sent,
// or has sent too often, is an error.
func TestEngineAlone(t *testing.T) {
	engine := &late{}
	alone := job.EngineAlone{Engine: engine}
	for range 3 {
		alone.Take(sansio.Arrival{}, units.Microsecond)
	}
	if len(engine.due) != 0 {
		t.Errorf("%d answers are overdue", len(engine.due))
	}
	alone.Take(sansio.Arrival{}, 0)
	if err := alone.Await(8); err != nil {
		t.Error(err)
	}
	for _, want := range []int{7, 9} {
		if err := alone.Await(want); err == nil || !strings.Contains(err.Error(), "sent 8 results") {
			t.Errorf("%d results: error %v", want, err)
		}
	}
}

// A command is that of one system, though several have the chip.
func TestChipBenches(t *testing.T) {
	var names []string
	for _, c := range job.ChipBenches(system.All()) {
		names = append(names, c.ChipBench().Name)
	}
	if got := strings.Join(names, " "); got != "pfe pipeline" {
		t.Errorf("benchmarks of chips: %s", got)
	}
	for bench, want := range map[string]string{"pfe": "", "pipeline": "atp"} {
		var besides []job.System
		for _, s := range job.ChipBesides(system.All(), bench) {
			besides = append(besides, s)
		}
		if got := strings.Join(job.Names(besides), " "); got != want {
			t.Errorf("%s also measures %q, want %q", bench, got, want)
		}
	}
}
