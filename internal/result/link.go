package result

import (
	"strings"

	"github.com/inalab/inalab/internal/units"
)

// Link is what one direction of a link came to in a run: a row of links.csv.
type Link struct {
	Name   string      `json:"name"`               // "h0:eth0->tor:p0", or "mx480/pfe1->pfe4" inside a chassis
	Rate   units.Rate  `json:"rate"`               // at first; zero: unlimited
	Since  units.Time  `json:"since_ps,omitempty"` // from when on the rest counts: its switch was started again then
	Frames uint64      `json:"frames"`             // that came to the far end
	Bytes  units.Bytes `json:"bytes"`              // of these, headers included, framing not
	Use    float64     `json:"use"`                // what the line sent, framing included, over what it could have sent at its rates
	Mean   units.Bytes `json:"depth_mean"`         // that waited for the line, over the time
	P99    units.Bytes `json:"depth_p99"`          // no more waited for 99% of the time; known to 6%
	Max    units.Bytes `json:"depth_max"`
	Marks  uint64      `json:"marks"` // frames that left with a mark of congestion

	Reordered  uint64 `json:"reordered,omitempty"`  // frames that passed the wire without delay
	Duplicated uint64 `json:"duplicated,omitempty"` // frames that came twice

	Changes int `json:"changes,omitempty"` // that came during the run

	Drops []Counter `json:"drops,omitempty"` // by reason; Node is empty
}

// At reports whether a link is of a host.
func (l *Link) At(host string) bool {
	return strings.HasPrefix(l.Name, host+":") || strings.Contains(l.Name, "->"+host+":")
}

// Dropped returns the frames that a link dropped, all reasons together.
func (l *Link) Dropped() (n uint64) {
	for _, d := range l.Drops {
		n += d.N
	}
	return n
}

// DroppedBy returns the frames that were dropped for a reason.
func (l *Link) DroppedBy(reason string) uint64 {
	for _, d := range l.Drops {
		if d.Name == reason {
			return d.N
		}
	}
	return 0
}

// Reasons for which links drop frames.
const (
	DropBernoulli = "loss-bernoulli"
	DropLossEvery = "loss-every-nth"
	DropBurst     = "loss-burst"
	DropFCS       = "fcs-error"
	DropScript    = "loss-script"
	DropEarly     = "early-drop"
	DropQueueFull = "queue-full"
	DropInFlight  = "inflight-limit"
)

// DropReason is a reason and what it means.
type DropReason struct{ Name, Meaning string }

// LinkDrops returns the reasons for which links drop frames.
func LinkDrops() []DropReason {
	return []DropReason{
		{DropBernoulli, "lost on the wire by chance, each alone"},
		{DropLossEvery, "lost on the wire by turn"},
		{DropBurst, "lost on the wire in a burst"},
		{DropFCS, "a bit flipped on the wire, so that the far end dropped the frame by its FCS"},
		{DropScript, "lost on the wire by name: the n-th packet of a job and slot"},
		{DropEarly, "would have been marked on the slope, and cannot be"},
		{DropQueueFull, "no room before the line"},
		{DropInFlight, "more frames inside the link than its model holds"},
	}
}
