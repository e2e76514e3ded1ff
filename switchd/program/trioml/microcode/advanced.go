package microcode

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// timerClassify is the second, slower type of timer threads; part k of n has the
// jobs k, k+n, k+2n and so on.
const timerClassify = "classify"

// NewAdvanced is New for the program that classifies stragglers and relays the
// notices of PFEs below. Of opts.Program it takes what [CompileAdvanced] returned.
func NewAdvanced(cfg trioml.Config, s trioml.Stragglers, opts Options) (*Engine, error) {
	s, err := s.Resolved()
	if err != nil {
		return nil, fmt.Errorf("loading PFE %s: %w", cfg.Node, err)
	}
	if opts.Program == nil {
		if opts.Program, err = compile(opts.machine(), Advanced()); err != nil {
			return nil, err
		}
	}
	opts.Timers = append([]trio.Timer{{Name: timerClassify, Period: s.Look, Threads: s.Threads(cfg.Jobs)}}, opts.Timers...)
	e, err := New(cfg, opts)
	if err != nil {
		return nil, err
	}
	if err := e.classify(opts.Program, s); err != nil {
		return nil, fmt.Errorf("loading PFE %s: %w", cfg.Node, err)
	}
	return e, nil
}

// classifier is where the program keeps its knowledge of stragglers. All addresses
// are 0 where it does not classify.
type classifier struct{ rules, ends, present, strikes, peers mem.Addr }

// Entries of the program's tables, in words.
const (
	presentWords = 4   // of a job
	strikesWords = 256 // of a job, one for each source
)

// perBlock is the bit of rules that says that blocks wait for absent sources but
// those that are out of service; lastJobShift is where the highest job_id is.
const (
	perBlock     = 1 << 63
	lastJobShift = 32
)

// classify sets the rules, and that no source has missed a block yet.
func (e *Engine) classify(p *isa.Program, s trioml.Stragglers) error {
	f := finder{program: p, lacks: "it does not classify stragglers"}
	sram := func(name string) mem.Addr { return f.addr(name, isa.SymbolSRAM) }
	e.addr.classifier = classifier{rules: sram("rules"), ends: sram("ends"), present: sram("present"), strikes: sram("strikes"), peers: sram("peers")}
	if f.err != nil {
		return f.err
	}
	rules := uint64(s.PermanentAfter)
	if e.cfg.Age == trioml.AgePerBlock {
		rules |= perBlock
	}
	if f := e.Memory().Store(e.addr.rules, rules); f != mem.NoFault {
		return fmt.Errorf("setting the rules of its classification: %v", f)
	}
	for id := range 256 {
		e.clearStragglers(uint8(id))
	}
	if err := e.knowPeers(e.cfg.Peers); err != nil {
		return err
	}
	for j := range e.jobs.All() {
		e.raiseLastJob(j.ID)
	}
	return nil
}

// peerPorts are the ports of the front panel that may lead to other switches.
const peerPorts = 4096

// knowPeers says which ports lead to other switches.
func (e *Engine) knowPeers(list []sansio.Port) error {
	for _, p := range list {
		if p < 0 || p >= peerPorts {
			return fmt.Errorf("notices come by port %d: the program relays those of ports 0 to %d", p, peerPorts-1)
		}
		bit := uint64(1) << 63 >> (p % 64)
		e.Memory().MaskedWrite(e.addr.peers+mem.Addr(p/64), bit, bit)
	}
	return nil
}

// raiseLastJob has the classification reach as far as a job.
func (e *Engine) raiseLastJob(id uint8) {
	if e.addr.rules == 0 {
		return
	}
	rules, _ := e.Memory().Load(e.addr.rules)
	last := max(uint64(id), rules>>lastJobShift&0xff)
	e.Memory().Store(e.addr.rules, rules&^(0xff<<lastJobShift)|last<<lastJobShift)
}

// clearStragglers forgets the strikes of a job's sources, and that anybody missed a block.
func (e *Engine) clearStragglers(id uint8) {
	if e.addr.rules == 0 {
		return
	}
	e.zero(e.addr.ends+mem.Addr(id), 1)
	e.zero(e.strikesOf(id), strikesWords)
	for i := range mem.Addr(presentWords) {
		e.Memory().Store(e.addr.present+mem.Addr(id)*presentWords+i, ^uint64(0))
	}
}

func (e *Engine) strikesOf(id uint8) mem.Addr { return e.addr.strikes + mem.Addr(id)*strikesWords }

// Strikes returns how many looks in a row a source had a straggler event, 0 where
// the program does not classify.
func (e *Engine) Strikes(job, source uint8) uint32 {
	if e.addr.rules == 0 {
		return 0
	}
	n, _ := e.Memory().Load(e.strikesOf(job) + mem.Addr(source))
	return uint32(n)
}

// Absent returns the sources of a job that its blocks do not wait for.
func (e *Engine) Absent(job uint8) trace.Mask { return e.Sources(job).Without(e.Waits(job)) }
