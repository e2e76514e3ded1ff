package dataplane

import (
	"encoding/json"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// View names a table that an engine shows of itself.
type View string

// The views that tools know. An engine has those that mean something to it.
const (
	ViewJobs      View = "jobs"      // what jobs there are, their caps and counters
	ViewBlocks    View = "blocks"    // blocks, or phases of slots, that wait for sources
	ViewThreads   View = "threads"   // PPEs, threads, queues before them, timers
	ViewMemory    View = "memory"    // shared memory, its banks and engines, the hash table
	ViewResources View = "resources" // what the program takes of the chip
	ViewSlots     View = "slots"     // the pool of aggregators
	ViewBitmap    View = "bitmap"    // who has contributed to each slot
	ViewPorts     View = "ports"     // ports, and the queues before them
	ViewStats     View = "stats"     // counters; the control plane makes it of Engine.Counters
)

// Views lists all of them, in the order of help texts.
var Views = []View{ViewJobs, ViewBlocks, ViewSlots, ViewBitmap, ViewThreads, ViewMemory, ViewResources, ViewPorts,
	ViewSymbols, ViewRecords, ViewCounters, ViewStats}

// Viewed is an engine that a control plane looks into while it runs. All calls come
// from the goroutine of Handle, between calls of it; now is not before the latest
// of these. Asking changes nothing.
type Viewed interface {
	// Views lists the views it has, without ViewStats.
	Views() []View
	// View returns one of Views with at most limit rows, which is positive. For any
	// other view it returns the zero Table.
	View(now units.Time, v View, limit int) Table
}

// Managed is an engine that takes jobs while it runs, under the same rules. None of
// its methods sends anything.
type Managed interface {
	Viewed
	// AddJob sets up a job as its document says, and returns its id. Packets that
	// follow meet it. An error is a [*Refusal], and nothing has changed. The document
	// is not kept.
	AddJob(now units.Time, d Document) (id uint8, err error)
	// RemoveJob takes a job out: its open blocks are dropped, its packets from now
	// on are those of an unknown job, and other jobs notice nothing. An error is a
	// [*Refusal], and nothing has changed.
	RemoveJob(now units.Time, id uint8) (Removed, error)
}

// Forgetful is an engine that can lose what it remembers of packets while it runs, as
// switches may (ATP §3.1), under the same rules. Its jobs and counters stay.
type Forgetful interface {
	// Forget empties it, and returns how many blocks were open. Packets that are inside
	// go on.
	Forget(now units.Time) (blocks int)
}

// Sharing is an engine that may share the machine of its PFE with other engines there.
type Sharing interface {
	// Share has it run on the machine of others, in the order in which they came. It is
	// called once, before anything else. An error names what it claims that others have.
	Share(others []Engine) error
	// Retire takes it off: it is not called again.
	Retire()
}

// Reloadable is an engine that runs the source of a program.
type Reloadable interface {
	// WithSource returns its configuration with another source; file is its name in messages.
	WithSource(file, text string) (json.RawMessage, error)
}

// Replaced is a program that another has replaced.
type Replaced struct {
	PFE      string `json:"pfe"`
	Program  string `json:"program"`
	InFlight int    `json:"in_flight"` // packets that were inside: lost
}

// Holding is an engine that may have packets inside between two calls.
type Holding interface {
	// Inside returns how many packets that arrived are inside and have not left.
	Inside() int
}

// Refuser is a [Managed] engine that refuses jobs by itself, for what their packets are, under
// the same rules.
type Refuser interface {
	// Refusals returns the jobs that were refused after a number of refusals, and that are
	// still there. It costs next to nothing where there are none.
	Refusals(after int) []JobRefusal
}

// JobRefusal is a job that takes no packets any more.
type JobRefusal struct {
	Job    uint8
	Number int    // of the engine's refusals, from 1
	Why    string // naming the job, what is wrong, and what to do
}

// MaxJobID is the largest id of a job: 8 bits, as in the packets of the systems here.
const MaxJobID = 255

// Removed is what went with a job.
type Removed struct {
	OpenBlocks int            `json:"open_blocks"` // dropped; their packets are lost
	Counters   []sansio.Count `json:"counters"`    // of the job, as far as the engine keeps them by job
}

// Reason names why a job is refused, for programs to tell.
type Reason string

// The reasons.
const (
	RefusedDocument    Reason = "malformed-configuration"
	RefusedProtocol    Reason = "other-protocol"
	RefusedIDTaken     Reason = "id-taken"
	RefusedID          Reason = "id-out-of-range"
	RefusedNoSources   Reason = "no-sources"
	RefusedManySources Reason = "too-many-sources"
	RefusedSource      Reason = "bad-source"
	RefusedResult      Reason = "bad-result-address"
	RefusedPorts       Reason = "bad-result-ports"
	RefusedServer      Reason = "bad-server"
	RefusedLevels      Reason = "needs-levels"
	RefusedNoRoom      Reason = "no-room"
	RefusedUnknownJob  Reason = "unknown-job"
	RefusedUnsupported Reason = "jobs-are-fixed"
	RefusedNoDrops     Reason = "no-drop-simulator"
	RefusedDrop        Reason = "bad-drop"
	RefusedForget      Reason = "nothing-to-forget"

	RefusedUnknownProgram Reason = "unknown-program"
	RefusedProgram        Reason = "bad-program"
)

// Refusal is why an engine does not do as the control plane says.
type Refusal struct {
	Reason Reason
	What   string // what is wrong, naming the thing
	Fix    string // what to do about it
}

// Error returns reason, fault and fix.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s: %s", r.Reason, r.What, r.Fix) }

// Refuse returns a refusal.
func Refuse(reason Reason, fix, format string, args ...any) *Refusal {
	return &Refusal{Reason: reason, What: fmt.Sprintf(format, args...), Fix: fix}
}

// RefuseTaken refuses a job whose id another has on a node.
func RefuseTaken(id int, node string) *Refusal {
	return Refuse(RefusedIDTaken, "remove it first, or take another id", "there is a job %d on %s", id, node)
}

// RefuseUnknown refuses to remove a job that is not on a node.
func RefuseUnknown(id int, node string) *Refusal {
	return Refuse(RefusedUnknownJob, "\"inalab switch job ls\" lists those that are there", "there is no job %d on %s", id, node)
}
