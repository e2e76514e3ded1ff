package reference

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Reasons for which packets are dropped, beside those of the wire format.
const (
	DropUnknownJob    = "trioml-unknown-job"
	DropUnknownSource = "trioml-unknown-source"
	DropDuplicate     = "trioml-duplicate-source"
	DropTooManyGrads  = "trioml-over-block-grad-max"
	DropGradMismatch  = "trioml-grad-count-differs-from-record"
	DropBlockCap      = "trioml-over-block-cnt-max"
	DropLateBlock     = "trioml-late-block-done"
	DropLateGen       = "trioml-late-generation"
	DropOlderRecord   = "trioml-older-than-record"
	DropNoWorkers     = "trioml-src-cnt-zero"
)

// Names of the other counters.
const (
	CountPackets    = "trioml-packets"
	CountResults    = "trioml-results"
	CountDegraded   = "trioml-results-degraded"
	CountAged       = "trioml-blocks-aged"
	CountSuperseded = "trioml-records-superseded"
	CountUnburied   = "trioml-blocks-beyond-tombstones" // done blocks that are not remembered: a late packet opens them again
	CountRemoved    = "trioml-blocks-of-removed-jobs"   // open blocks that went with their job
	CountOverCount  = "trioml-results-beyond-src-cnt"   // results of more workers than src_cnt can say: it says 255
)

// Program is the aggregation program of one PFE. It meets dataplane.Engine.
type Program struct {
	dataplane.OwnFrames
	cfg   Config
	jobs  [256]*job
	table map[uint64]*record // by key.word(); looked up, never ranged: the scan goes by threads
	scan  scanner
	looks *looks    // nil: stragglers are not classified
	spare []*record // with their buffers, for reuse
	count sansio.Tally

	longest units.Duration // that a block was open, since PhaseMattered was last called
}

// New returns the program of one PFE.
func New(cfg Config) (*Program, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring trioml on %s: %w", cfg.Node, err)
	}
	p := &Program{cfg: cfg, table: map[uint64]*record{}, scan: newScanner(cfg.Timeout, cfg.Threads)}
	for _, j := range cfg.Jobs {
		p.jobs[j.ID] = newJob(j)
	}
	return p, nil
}

// Claims reports whether the frame is an aggregation packet (§4: by UDP port).
func (p *Program) Claims(f dataplane.Frame) dataplane.Claim {
	u := f.UDP()
	return dataplane.MineIf(u != nil && u.DstPort() == wire.Port)
}

// Counters returns packets, results and drops by name.
func (p *Program) Counters() []sansio.Count { return p.count.List() }

// OpenBlocks returns the number of block records in use.
func (p *Program) OpenBlocks() int { return len(p.table) }

// PhaseMattered reports whether blocks that were sent since the last call had
// been open for a timeout or longer: then the timer threads, at another phase,
// might have sent them earlier or later.
func (p *Program) PhaseMattered() bool {
	mattered := p.longest >= p.cfg.Timeout && !p.cfg.NoAging || p.looks.mattered()
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
		p.count.Add(CountPackets, uint64(n))
		for f := range n {
			if p.looks != nil && t.Pad == 0 && p.relay(now, in[i].Port, t.Header, t.Payload(f), eff) {
				continue
			}
			p.packet(now, t.Payload(f), t.Pad, eff)
		}
	}
}

// packet is the workflow of Fig 10 for one packet. Gradients are all there or
// all in pad.
func (p *Program) packet(now units.Time, payload []byte, pad int, eff *sansio.Effects) {
	h, problem := wire.ParsePadded(payload, pad)
	if problem != wire.OK {
		p.drop(now, h, string(problem))
		return
	}
	r, reason := p.admit(now, h, pad > 0)
	if reason != "" {
		if j := p.jobs[h.Job]; j != nil {
			j.count.Dropped++
		}
		p.drop(now, h, reason)
		return
	}
	r.add(h, payload[wire.HeaderLen:])
	r.job.count.Add(now)
	p.event(now, trace.Contribution, r, h.Source)
	if r.complete() {
		p.finish(now, r, eff)
	}
}

// admit returns the record that the packet belongs to, creating it where it
// does not exist, or the reason to drop the packet.
func (p *Program) admit(now units.Time, h wire.Header, hollow bool) (*record, string) {
	j := p.jobs[h.Job]
	switch {
	case j == nil:
		return nil, DropUnknownJob
	case !j.mask.Has(h.Source):
		return nil, DropUnknownSource
	case int(h.Grads) > j.GradMax:
		return nil, DropTooManyGrads
	case h.SrcCnt == 0: // a mean over no workers: hosts could only discard the result, and wait for ever
		return nil, DropNoWorkers
	}
	j.hear(h)
	if reason := p.late(j, h); reason != "" {
		return nil, reason
	}
	j.advance(h.Gen)
	k := key{h.Job, h.Block}
	r := p.table[k.word()]
	if r != nil {
		r.ref = true // every lookup sets it, whatever becomes of the packet (§5)
	}
	if r != nil && r.gen != h.Gen {
		if wire.GenBefore(h.Gen, r.gen) {
			return nil, DropOlderRecord
		}
		p.count.Add(CountSuperseded, 1)
		p.remove(r)
		r = nil
	}
	if r == nil {
		return p.create(now, j, k, h, hollow)
	}
	switch {
	case int(h.Grads) != r.grads || hollow != r.hollow:
		return nil, DropGradMismatch
	case r.rcvd.Has(h.Source):
		return nil, DropDuplicate
	}
	return r, ""
}

func (p *Program) late(j *job, h wire.Header) string {
	switch {
	case p.cfg.Late == LateNaive || !j.started:
		return ""
	case wire.GenBefore(h.Gen, j.newest):
		return DropLateGen
	case p.cfg.Late == LateTombstone && h.Gen == j.newest && j.done.has(h.Block):
		return DropLateBlock
	}
	return ""
}

func (p *Program) create(now units.Time, j *job, k key, h wire.Header, hollow bool) (*record, string) {
	if j.open >= j.BlockMax {
		return nil, DropBlockCap
	}
	r := p.fresh()
	*r = record{key: k, job: j, gen: h.Gen, start: now, ref: true, grads: int(h.Grads), hollow: hollow, sum: r.sum}
	if !hollow {
		r.sum = sized(r.sum, 4*r.grads)
	}
	j.open++
	p.table[k.word()] = r
	p.scan.insert(r)
	p.event(now, trace.BlockOpened, r, h.Source)
	return r, ""
}

// add adds one source's gradients to the block.
func (r *record) add(h wire.Header, grads []byte) {
	switch {
	case r.hollow:
	case r.sources == 0:
		copy(r.sum, grads)
	default:
		vec.AddBE(r.sum, grads)
	}
	r.rcvd.Set(h.Source)
	r.sources++
	r.workers += int(h.SrcCnt)
	r.degraded = r.degraded || h.Degraded
	r.aged = r.aged || h.AgeOp == wire.AgeTimeout
	r.final = r.final || h.Final
}

// finish sends the block as it is and removes its record.
func (p *Program) finish(now units.Time, r *record, eff *sansio.Effects) {
	j := r.job
	values, pad := r.sum, 0
	if r.hollow {
		values, pad = nil, 4*r.grads
	}
	payload := eff.Body(wire.HeaderLen + len(values))
	wire.Header{
		Job: j.ID, Block: r.key.block, Gen: r.gen, Grads: uint16(r.grads),
		Source: j.OutSource, SrcCnt: uint8(min(r.workers, wire.MaxSources)),
		AgeOp: ageOp(r.aged), Final: r.final, Degraded: r.degraded,
	}.Put(payload)
	copy(payload[wire.HeaderLen:], values)
	eff.EmitPadded(j.To, j.template, payload, pad)

	p.count.Add(CountResults, 1)
	j.count.Results++
	if r.degraded {
		p.count.Add(CountDegraded, 1)
		j.count.Degraded++
	}
	if r.workers > wire.MaxSources {
		p.count.Add(CountOverCount, 1)
	}
	p.longest = max(p.longest, now.Sub(r.start))
	p.event(now, trace.BlockSent, r, j.OutSource)
	if !j.bury(r.gen, r.key.block) {
		p.count.Add(CountUnburied, 1)
	}
	p.remove(r)
}

func ageOp(aged bool) uint8 {
	if aged {
		return wire.AgeTimeout
	}
	return wire.AgeNone
}

func (p *Program) remove(r *record) {
	delete(p.table, r.key.word())
	p.scan.remove(r)
	r.job.open--
	r.job.conduct.ended++
	p.spare = append(p.spare, r)
}

// fresh returns a record to fill; its buffer may be used again.
func (p *Program) fresh() *record {
	last := len(p.spare) - 1
	if last < 0 {
		return &record{}
	}
	r := p.spare[last]
	p.spare = p.spare[:last]
	return r
}

// sized returns n bytes with any contents, b where it has room: the first source
// overwrites them.
func sized(b []byte, n int) []byte {
	if cap(b) >= n {
		return b[:n]
	}
	return make([]byte, n)
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
		At: now, Kind: kind, Node: p.cfg.Node, Job: r.job.ID, Gen: uint32(r.gen), Block: r.key.block,
		Source: source, Mask: r.rcvd, Count: r.workers, Degraded: r.degraded,
	}
	if kind == trace.Scanned || kind == trace.BlockAged {
		e.Note = TimerNote(r.thread, len(p.scan.threads))
	}
	p.cfg.Trace.Event(&e)
}
