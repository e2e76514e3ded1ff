package reference

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// Program is the aggregation program of one PFE. It meets dataplane.Engine.
type Program struct {
	dataplane.OwnFrames
	cfg        trioml.Config
	table      trioml.Table    // of jobs
	jobs       [256]*job       // by id
	records    map[key]*record // looked up, never ranged: the scan goes by threads
	scan       scanner
	timed      *timedScan  // nil: timer threads take no time
	classifier *classifier // nil: stragglers are not classified
	free       []*record   // with their buffers, for reuse
	count      sansio.Tally

	longest units.Duration // that a block was open, since PhaseMattered was last called
}

// New returns the program of one PFE.
func New(cfg trioml.Config) (*Program, error) {
	cfg, err := cfg.Resolved()
	if err != nil {
		return nil, err
	}
	p := &Program{cfg: cfg, table: cfg.Table(), records: map[key]*record{}}
	for _, j := range cfg.Jobs {
		p.add(j)
	}
	p.scan = newScanner(p.table.Period(), cfg.Threads)
	return p, nil
}

// Claims reports whether the frame is an aggregation packet (§4: by UDP port).
func (p *Program) Claims(f dataplane.Frame) dataplane.Claim {
	return dataplane.MineIf(f.IsTo(wire.Port))
}

// Counters returns packets, results and drops by name.
func (p *Program) Counters() []sansio.Count { return p.count.List() }

// OpenBlocks returns the number of block records in use.
func (p *Program) OpenBlocks() int { return len(p.records) }

// PhaseMattered reports whether blocks that were sent since the last call had
// been open for a period of the timer threads or longer: then the timer threads, at another phase,
// might have sent them earlier or later.
func (p *Program) PhaseMattered() bool {
	mattered := p.longest >= units.Duration(p.scan.period) && !p.cfg.NoAging || p.classifier.phaseMattered()
	p.longest = 0
	return mattered
}

// Handle aggregates every frame of the arrivals. Timer threads that are due go
// first, so that a record is never visited by a firing older than itself.
func (p *Program) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	p.Expire(now, eff)
	for i := range in {
		t := &in[i].Train
		n := t.Frames()
		p.count.Add(trioml.CountPackets, uint64(n))
		for f := range n {
			if p.classifier != nil && t.Unstored == 0 && p.relay(now, in[i].Port, t.Header, t.Payload(f), eff) {
				continue
			}
			p.packet(now, t.Payload(f), t.Unstored, eff)
		}
	}
}

// packet is the workflow of Fig 10 for one packet. Gradients are all there or
// all in pad.
func (p *Program) packet(now units.Time, payload []byte, pad int, eff *sansio.Effects) {
	h, problem := wire.ParseUnstored(payload, pad)
	if problem != wire.OK {
		p.drop(now, h, string(problem))
		return
	}
	if p.timed.holds(p.records[keyOf(h.Job, h.Block)], payload, pad) {
		return
	}
	r, reason := p.admit(now, h, pad > 0)
	if reason != "" {
		if j := p.jobs[h.Job]; j != nil {
			j.Count.Dropped++
		}
		p.drop(now, h, reason)
		return
	}
	r.add(h, payload[wire.HeaderLen:])
	r.job.Count.Add(now)
	p.event(now, trace.Contribution, r, h.Source)
	if r.complete() {
		p.finish(now, r, eff)
	}
}

// admit returns the record that the packet belongs to, creating it where it
// does not exist, or the reason to drop the packet.
func (p *Program) admit(now units.Time, h wire.Header, unstored bool) (*record, string) {
	j := p.jobs[h.Job]
	switch {
	case j == nil:
		return nil, trioml.DropUnknownJob
	case !j.Mask.Has(h.Source):
		return nil, trioml.DropUnknownSource
	case int(h.Grads) > j.GradMax:
		return nil, trioml.DropTooManyGrads
	case h.SrcCnt == 0: // a mean over no workers: hosts could only discard the result, and wait for ever
		return nil, trioml.DropNoWorkers
	}
	j.endAbsence(h)
	if reason := p.late(j, h); reason != "" {
		return nil, reason
	}
	j.advance(h.Gen)
	r := p.records[keyOf(h.Job, h.Block)]
	if r != nil {
		r.Ref = true // every lookup sets it, whatever becomes of the packet (§5)
	}
	if r != nil && r.Gen != h.Gen {
		if wire.GenBefore(h.Gen, r.Gen) {
			return nil, trioml.DropOlderRecord
		}
		p.count.Add(trioml.CountSuperseded, 1)
		p.remove(r)
		r = nil
	}
	if r == nil {
		return p.create(now, j, h, unstored)
	}
	switch {
	case int(h.Grads) != r.Grads || unstored != r.Unstored:
		return nil, trioml.DropGradMismatch
	case r.Received.Has(h.Source):
		return nil, trioml.DropDuplicate
	}
	return r, ""
}

func (p *Program) late(j *job, h wire.Header) string {
	switch {
	case p.cfg.Late == trioml.LateNaive || !j.started:
		return ""
	case wire.GenBefore(h.Gen, j.newest):
		return trioml.DropLateGen
	case p.cfg.Late == trioml.LateTombstone && h.Gen == j.newest && j.done.has(h.Block):
		return trioml.DropLateBlock
	}
	return ""
}

func (p *Program) create(now units.Time, j *job, h wire.Header, unstored bool) (*record, string) {
	if j.open >= j.BlockMax {
		return nil, trioml.DropBlockCap
	}
	r := p.newRecord()
	*r = record{job: j, BlockRecord: BlockRecord{
		Job: h.Job, Block: h.Block, Gen: h.Gen, Start: now, Left: j.Timeout, Grads: int(h.Grads), Ref: true, Unstored: unstored, Sums: r.Sums,
	}}
	if !unstored {
		r.Sums = slices.Grow(r.Sums[:0], 4*r.Grads)[:4*r.Grads] // with any contents: the first source overwrites them
	}
	j.open++
	p.records[r.key()] = r
	p.scan.insert(r)
	p.event(now, trace.BlockOpened, r, h.Source)
	return r, ""
}

// add adds one source's gradients to the block.
func (r *record) add(h wire.Header, grads []byte) {
	switch {
	case r.Unstored:
	case r.Sources == 0:
		copy(r.Sums, grads)
	default:
		vec.AddBE(r.Sums, grads)
	}
	r.Received.Set(h.Source)
	r.Sources++
	r.Workers += int(h.SrcCnt)
	r.Degraded = r.Degraded || h.Degraded
	if h.AgeOp == wire.AgeTimeout {
		r.AgeOp = wire.AgeTimeout
	}
	r.Final = r.Final || h.Final
}

// finish sends the block as it is and removes its record.
func (p *Program) finish(now units.Time, r *record, eff *sansio.Effects) {
	j := r.job
	values, pad := r.Sums, 0
	if r.Unstored {
		values, pad = nil, 4*r.Grads
	}
	payload := eff.Body(wire.HeaderLen + len(values))
	wire.Header{
		Job: j.ID, Block: r.Block, Gen: r.Gen, Grads: uint16(r.Grads),
		Source: j.OutSource, SrcCnt: uint8(min(r.Workers, wire.MaxSources)),
		AgeOp: r.AgeOp, Final: r.Final, Degraded: r.Degraded,
	}.Put(payload)
	copy(payload[wire.HeaderLen:], values)
	eff.EmitUnstored(j.To, j.template, payload, pad)

	p.count.Add(trioml.CountResults, 1)
	j.Count.Results++
	if r.Degraded {
		p.count.Add(trioml.CountDegraded, 1)
		j.Count.Degraded++
	}
	if r.Workers > wire.MaxSources {
		p.count.Add(trioml.CountOverCount, 1)
	}
	p.longest = max(p.longest, now.Sub(r.Start))
	p.event(now, trace.BlockSent, r, j.OutSource)
	if !j.markDone(r.Gen, r.Block) {
		p.count.Add(trioml.CountBeyondTombstones, 1)
	}
	p.remove(r)
}

func (p *Program) remove(r *record) {
	p.timed.disown(r)
	delete(p.records, r.key())
	p.scan.remove(r)
	r.job.open--
	r.job.ended++
	p.free = append(p.free, r)
}

// newRecord returns a record to fill; its buffer may be used again.
func (p *Program) newRecord() *record {
	last := len(p.free) - 1
	if last < 0 {
		return &record{}
	}
	r := p.free[last]
	p.free = p.free[:last]
	return r
}

func (p *Program) drop(now units.Time, h wire.Header, reason string) {
	p.count.Add(reason, 1)
	if p.cfg.Trace != nil {
		p.cfg.Trace.Event(&trace.Event{At: now, Kind: trace.Dropped, Node: p.cfg.Node, Job: h.Job, Gen: uint32(h.Gen), Block: h.Block, Source: h.Source, Note: reason})
	}
}

func (p *Program) event(now units.Time, kind trace.Kind, r *record, source uint8) {
	if p.cfg.Trace == nil {
		return
	}
	e := trace.Event{
		At: now, Kind: kind, Node: p.cfg.Node, Job: r.Job, Gen: uint32(r.Gen), Block: r.Block,
		Source: source, Mask: r.Received, Count: r.Workers, Degraded: r.Degraded,
	}
	if kind == trace.Scanned || kind == trace.BlockAged {
		e.Note = trioml.TimerNote(r.thread, len(p.scan.threads))
	}
	p.cfg.Trace.Event(&e)
}
