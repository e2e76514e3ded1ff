package events

import (
	"iter"
	"maps"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
)

// Record is what is kept of a run.
type Record struct {
	Run    result.Traced
	Events []result.Event
}

// New picks what is wanted from the trace of a run of the job: the logs of its
// nodes, or one of all. runErr is why the run ended early; nil: it did not.
func New(j *job.Job, want Want, logs []*trace.Log, runErr error) Record {
	r := reader{job: j, naming: j.Naming(), workers: len(j.Hosts()), logs: logs, layout: &j.Layout}
	cell := j.Cell()
	out := Record{Run: result.Traced{
		System: cell.System, Topology: cell.Topology, Clock: cell.Clock, StraggleP: cell.StraggleP, Point: cell.Point, Seed: cell.Seed,
		Iterations: j.Iterations, Blocks: r.naming.Blocks, Slots: r.naming.Slots, Engines: r.engines(), Rule: want.rule(),
	}}
	for _, h := range j.Hosts() {
		out.Run.Workers = append(out.Run.Workers, h.Name)
	}
	if runErr != nil {
		out.Run.Error = runErr.Error()
	}
	out.Events = r.pick(want, &out.Run)
	for _, l := range logs {
		out.Run.Lost += l.Lost()
	}
	out.Run.Kept = uint64(len(out.Events))
	return out
}

// reader turns the events of a run into records.
type reader struct {
	job     *job.Job
	naming  job.Naming
	workers int
	logs    []*trace.Log
	layout  *job.Layout
	members map[string]trace.Mask // sources, by engine
	latest  int                   // iteration of the latest event of a host
}

func (r *reader) pick(want Want, run *result.Traced) (out []result.Event) {
	c := r.choose(want, run.Error != "")
	limit := want.limit()
	for e := range r.events() {
		k, ofBlock := r.key(&e)
		if len(out) == limit || ofBlock && !c.all && !c.keep[k] || !ofBlock && want.Mode == One && k.iteration != want.Iteration {
			run.LeftOut++
			continue
		}
		out = append(out, r.record(&e, k))
	}
	return out
}

// events returns all events in order of time.
func (r *reader) events() iter.Seq[trace.Event] {
	r.latest, r.naming = 0, r.job.Naming()
	return trace.Merged(r.logs)
}

// ofIteration reports whether an event is of a worker's iteration, not a block.
func ofIteration(kind trace.Kind) bool {
	switch kind {
	case trace.DelayBegan, trace.DelayEnded, trace.Reduced, trace.Skipped, trace.Joined:
		return true
	}
	return false
}

// key returns the block that an event is of; ok is false where it is of none.
func (r *reader) key(e *trace.Event) (k key, ok bool) {
	if ofIteration(e.Kind) {
		r.latest = max(r.latest, int(e.Gen))
		return key{int(e.Gen), result.NoBlock}, false
	}
	if n := r.naming.Numbers; n != nil {
		k.iteration, k.block = r.naming.Block(r.turn(n, e), e.Block)
		return k, k.block != job.NoBlock
	}
	k.iteration, k.block = r.naming.Block(e.Gen, e.Block)
	if r.naming.Slots == 0 && r.layout.Engine(e.Node) != nil && e.Gen <= maxShort {
		k.iteration = r.latest + int(int16(uint16(e.Gen)-uint16(r.latest)))
	}
	return k, k.block != job.NoBlock
}

// turn returns how often the number of an event has wrapped. Workers alone know.
func (r *reader) turn(n job.Numbers, e *trace.Event) uint32 {
	if r.layout.Engine(e.Node) != nil {
		return n.Turn(e.Block)
	}
	n.Follow(e.Gen, e.Block)
	return e.Gen
}

// maxShort is the largest generation that fits the 16 bits of a packet (trio.txt
// Fig 16): engines know no more of it, so the nearest to the workers' is meant.
const maxShort = 1<<16 - 1

func (r *reader) record(e *trace.Event, k key) result.Event {
	out := result.Event{
		At: e.At, Node: e.Node, Kind: string(e.Kind), Iteration: k.iteration, Block: k.block,
		Count: e.Count, Degraded: e.Degraded, Note: e.Note,
	}
	if r.naming.Slots > 0 && !ofIteration(e.Kind) {
		out.Slot, out.Packet = int(e.Block), e.Gen
	}
	if r.naming.Numbers != nil && !ofIteration(e.Kind) {
		out.Number, out.Index = e.Block, e.Index
	}
	sources, isEngine := r.members[e.Node]
	switch {
	case !isEngine:
		return out
	case ofPacket(e):
		out.From = r.layout.Who(e.Node, e.Source)
	}
	if !bare(e.Kind) {
		out.Bitmap = e.Mask.Bitmap(sources)
	}
	return out
}

// ofPacket reports whether an event of an engine is about the packet of one source.
func ofPacket(e *trace.Event) bool {
	switch e.Kind {
	case trace.BlockOpened, trace.Contribution, trace.Dropped, trace.Collided, trace.PassedOn, trace.Stored:
		return true
	}
	return e.Kind == trace.BlockSent && e.Note != ""
}

// bare reports whether events of a kind say nothing of what an engine has of the block.
func bare(kind trace.Kind) bool {
	return kind == trace.Dropped || kind == trace.Collided || kind == trace.PassedOn
}

// engines tells the engines of the job, and who is behind their sources, the
// lowest first.
func (r *reader) engines() (out []result.TracedEngine) {
	r.members = map[string]trace.Mask{}
	for _, e := range r.layout.Engines {
		var mask trace.Mask
		t := result.TracedEngine{Node: e.Node, Top: e.Top, Server: e.Server}
		for _, s := range slices.Sorted(maps.Keys(e.Sources)) {
			mask.Set(s)
			t.Sources = append(t.Sources, e.Sources[s])
			if e.Below != nil {
				t.Below = append(t.Below, e.Below[s])
			}
		}
		r.members[e.Node] = mask
		out = append(out, t)
	}
	return out
}
