package control

import (
	"time"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// MaxEvents bounds the events of an answer, some 4 MB.
const MaxEvents = 20_000

// Events are those that a switch's process keeps, from a number on.
type Events struct {
	Next uint64        `json:"next"`           // number behind the last of them
	Lost uint64        `json:"lost"`           // those between that are not kept any more
	List []trace.Event `json:"list,omitempty"` // in order, with times by the clock of the switch
	Wall int64         `json:"wall_unix_ns"`   // the wall clock when the clock of the switch read the answer's time
}

// errNoEvents says that nothing is kept.
var errNoEvents = dataplane.Refuse(dataplane.RefusedUnsupported, "run it with --events troubled", "this switch keeps no events")

// ReadEvents answers a request for events of a log, which is nil where none are kept. It is to be
// called where the log may be read.
func ReadEvents(now units.Time, sw string, log *trace.Log, r Request) Response {
	out := Response{Version: Version, Switch: sw, At: now}
	err := r.check()
	if err == nil && log == nil {
		return Response{Version: Version, Switch: sw, Error: errNoEvents.Error(), Fault: FaultRefused, Reason: dataplane.RefusedUnsupported}
	}
	if err != nil {
		return Response{Version: Version, Switch: sw, Error: err.Error(), Fault: FaultRequest}
	}
	out.Events = &Events{Next: log.Taken(), Wall: time.Now().UnixNano()}
	if r.Since != nil {
		out.Events.List, out.Events.Next, out.Events.Lost = log.Since(*r.Since, MaxEvents)
	}
	return out
}
