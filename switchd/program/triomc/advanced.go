package triomc

import (
	"fmt"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Defaults of the classification, both assumed: some timeouts go by between two
// looks, and a second or so until a worker is taken for dead.
const (
	DefaultLook           = 100 * units.Millisecond
	DefaultPermanentAfter = 10
)

// Stragglers configures the program that tells temporary from permanent stragglers
// and notifies the workers of a job (trio §5, "Advanced straggler mitigation").
type Stragglers struct {
	Look           units.Duration // between two looks at the sources of a job; zero: DefaultLook
	PermanentAfter int            // looks in a row with a straggler event; zero: DefaultPermanentAfter
}

// timerClassify is the second, slower type of timer threads; part k is job k.
const timerClassify = "classify"

// NewAdvanced is New for the program that classifies stragglers. Of opts.Program
// it takes what [CompileAdvanced] returned.
func NewAdvanced(cfg trioml.Config, s Stragglers, opts Options) (*Engine, error) {
	if s.Look == 0 {
		s.Look = DefaultLook
	}
	if s.PermanentAfter == 0 {
		s.PermanentAfter = DefaultPermanentAfter
	}
	if s.PermanentAfter < 1 {
		return nil, fmt.Errorf("loading PFE %s: a source is never permanent after %d looks: use 1 or more", cfg.Node, s.PermanentAfter)
	}
	var err error
	if opts.Program == nil {
		if opts.Program, err = CompileAdvanced(); err != nil {
			return nil, err
		}
	}
	opts.Timers = append([]trio.Timer{{Name: timerClassify, Period: s.Look, Threads: threadsFor(cfg.Jobs)}}, opts.Timers...)
	e, err := New(cfg, opts)
	if err != nil {
		return nil, err
	}
	if err := e.classify(opts.Program, s); err != nil {
		return nil, fmt.Errorf("loading PFE %s: %w", cfg.Node, err)
	}
	return e, nil
}

// threadsFor is one thread for each job_id up to the highest.
func threadsFor(jobs []trioml.Job) int {
	n := 1
	for _, j := range jobs {
		n = max(n, int(j.ID)+1)
	}
	return n
}

// classify sets the threshold, and that nobody has missed a block yet.
func (e *Engine) classify(p *isa.Program, s Stragglers) error {
	for _, name := range []string{"permanent_after", "present", "strikes"} {
		if symbol, ok := p.Symbol(name); !ok || symbol.Kind != isa.SymbolSRAM {
			return fmt.Errorf("program %s has no %s: it does not classify stragglers", p.Name, name)
		}
	}
	after, _ := p.Symbol("permanent_after")
	present, _ := p.Symbol("present")
	strikes, _ := p.Symbol("strikes")
	e.at.strikes = mem.Addr(strikes.Value)
	e.Memory().Store(mem.Addr(after.Value), uint64(s.PermanentAfter))
	for i := range present.Len {
		if f := e.Memory().Store(mem.Addr(present.Value+i), ^uint64(0)); f != mem.NoFault {
			return fmt.Errorf("setting the sources that are present: %v", f)
		}
	}
	return nil
}

// Strikes returns how many looks in a row a source had a straggler event, 0 where
// the program does not classify.
func (e *Engine) Strikes(job, source uint8) uint32 {
	if e.at.strikes == 0 {
		return 0
	}
	n, _ := e.Memory().Load(e.at.strikes + mem.Addr(job)<<8 + mem.Addr(source))
	return uint32(n)
}

// Absent returns the sources of a job that its blocks do not wait for.
func (e *Engine) Absent(job uint8) trace.Mask { return e.Sources(job).Without(e.Waits(job)) }
