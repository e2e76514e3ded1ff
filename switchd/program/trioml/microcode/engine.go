package microcode

import (
	"fmt"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Engine is a PFE that runs Trio-ML, with its control plane. It meets
// dataplane.Engine, Watched and Managed; its work on packets is
// the PFE's.
type Engine struct {
	*trio.PFE
	cfg      trioml.Config
	addr     layout
	watch    *watcher
	jobs     trioml.Table
	timer    trio.Timer           // that ages blocks; zero: none does
	draining map[uint8]units.Time // when jobs were removed that threads may still work for
	removed  uint64               // open blocks that went with their jobs
}

// New returns the PFE of a configuration of the reference program.
func New(cfg trioml.Config, opts Options) (*Engine, error) {
	cfg, err := cfg.Resolved()
	if err != nil {
		return nil, err
	}
	e, err := build(cfg, opts)
	if err != nil {
		return nil, fmt.Errorf("loading PFE %s with Trio-ML: %w", cfg.Node, err)
	}
	return e, nil
}

func build(cfg trioml.Config, opts Options) (*Engine, error) {
	e := &Engine{cfg: cfg, jobs: cfg.Table(), timer: ageing(cfg), draining: map[uint8]units.Time{}}
	var err error
	if opts.Program == nil {
		if opts.Program, err = CompileFor(opts.machine()); err != nil {
			return nil, err
		}
	}
	if e.addr, err = layoutOf(opts.Program); err != nil {
		return nil, err
	}
	if err := opts.checkResident(); err != nil {
		return nil, err
	}
	if e.watch, err = newWatcher(e, opts.Program, cfg.Trace, opts.Observer); err != nil {
		return nil, err
	}
	if e.timer != (trio.Timer{}) {
		opts.Timers = append([]trio.Timer{e.timer}, opts.Timers...)
	}
	if e.PFE, err = trio.New(opts.pfe(cfg, e.watch)); err != nil {
		return nil, err
	}
	if n := e.Memory().Hash().Cap(); n > e.addr.records {
		return nil, fmt.Errorf("the hash table has %d records and the program buffers for %d: lower the records", n, e.addr.records)
	}
	for _, j := range cfg.Jobs {
		if err := e.add(j); err != nil {
			return nil, err
		}
	}
	e.setSteps()
	return e, nil
}

// Job returns the job record; false if there is none.
func (e *Engine) Job(id uint8) (JobRecord, bool) {
	a, ok := e.Memory().Hash().Peek(key(id, JobBlock))
	if !ok {
		return JobRecord{}, false
	}
	return e.jobAt(a)
}

func (e *Engine) jobAt(a mem.Addr) (JobRecord, bool) {
	var b [recordBytes]byte
	if e.Memory().Read(a, b[:]) != mem.NoFault {
		return JobRecord{}, false
	}
	return DecodeJobRecord(b[:]), true
}

// Waits returns the sources of a job that its blocks wait for.
func (e *Engine) Waits(id uint8) trace.Mask {
	var b [8 * waitWords]byte
	e.Memory().Read(e.waitsOf(id), b[:])
	return mask(b[:])
}

// Block returns a block record; false if there is none. Its REF flag stays.
func (e *Engine) Block(job uint8, block uint32) (BlockRecord, bool) {
	a, ok := e.Memory().Hash().Peek(key(job, block))
	if !ok || block == JobBlock {
		return BlockRecord{}, false
	}
	return e.blockAt(a)
}

func (e *Engine) blockAt(a mem.Addr) (BlockRecord, bool) {
	var b [recordBytes]byte
	if e.Memory().Read(a, b[:]) != mem.NoFault {
		return BlockRecord{}, false
	}
	r := DecodeBlockRecord(b[:])
	return r, r.Ready
}

// Sums returns the aggregation buffer of a block, big-endian as in packets.
func (e *Engine) Sums(r BlockRecord) []byte {
	out := make([]byte, (4*r.Grads+7)/8*8)
	for at := 0; at < len(out); at += mem.MaxAccess {
		e.Memory().Read(r.Aggr+mem.Addr(at/mem.WordBytes), out[at:min(at+mem.MaxAccess, len(out))])
	}
	return out[:4*r.Grads]
}

func (e *Engine) waitsOf(id uint8) mem.Addr { return e.addr.waits + mem.Addr(id)*waitWords }

func (e *Engine) egressOf(id uint8) mem.Addr { return e.addr.egress + mem.Addr(id)*egressWords }
