package control

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Events are read from a number on; without one, the answer says where to begin.
func TestReadEvents(t *testing.T) {
	log := trace.NewLog(1)
	for i := range 5 {
		log.Event(&trace.Event{At: units.Time(i), Kind: trace.Contribution})
	}
	begin := ReadEvents(7, "tor", log, Request{Version: Version, Op: OpEvents})
	if begin.Error != "" || begin.Events.Next != 5 || len(begin.Events.List) != 0 || begin.At != 7 || begin.Events.Wall == 0 {
		t.Errorf("%+v", begin)
	}
	from := uint64(3)
	got := ReadEvents(7, "tor", log, Request{Version: Version, Op: OpEvents, Since: &from})
	if got.Error != "" || got.Events.Next != 5 || len(got.Events.List) != 2 || got.Events.List[0].At != 3 || got.Switch != "tor" {
		t.Errorf("%+v", got)
	}
}

func TestReadEventsRefuses(t *testing.T) {
	if got := ReadEvents(7, "tor", nil, Request{Op: OpEvents}); got.Fault != FaultRefused || !strings.Contains(got.Error, "keeps no events") || got.Events != nil {
		t.Errorf("%+v", got)
	}
	if got := ReadEvents(7, "tor", trace.NewLog(1), Request{Op: OpEvents, View: "jobs"}); got.Fault != FaultRequest || !strings.Contains(got.Error, `takes no view`) {
		t.Errorf("%+v", got)
	}
}
