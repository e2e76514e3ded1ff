package user

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio"
)

// Engine is a PFE that runs a program. It meets dataplane.Engine, and dataplane.Matched.
type Engine struct {
	*trio.PFE
	cfg     Config
	program *isa.Program
	hosts   []Hop // those that give frames other addresses, by port from hostBase on
}

// hostBase is the first of the ports that stand, inside the PFE, for hops with addresses. They
// are above all ports of a chassis.
const hostBase sansio.Port = 1 << 24

// New compiles the program and loads a PFE with it.
func New(cfg Config) (*Engine, error) {
	cfg = cfg.withDefaults()
	e, err := build(cfg)
	if err != nil {
		return nil, fmt.Errorf("loading program %q: %w", cfg.Name, err)
	}
	return e, nil
}

func build(cfg Config) (*Engine, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	e := &Engine{cfg: cfg, program: cfg.Image}
	var err error
	if e.program == nil {
		if e.program, err = microcode.Compile(cfg.File, cfg.Text); err != nil {
			return nil, err
		}
	}
	if err := cfg.checkMemory(e.program); err != nil {
		return nil, err
	}
	if e.PFE, err = trio.New(e.machine()); err != nil {
		return nil, err
	}
	for _, i := range cfg.Memory {
		if err := e.Write(i); err != nil {
			return nil, err
		}
	}
	for _, w := range cfg.Names {
		if _, err := e.SetValue(0, w); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// machine returns the configuration of the PFE.
func (e *Engine) machine() trio.Config {
	c := &e.cfg
	out := trio.Config{
		Node: c.Node, Program: e.program, Timers: c.Timers, Wants: c.wants(),
		Instructions: c.Instructions, PacketInstructions: cmp.Or(c.Instructions, DefaultInstructions),
		Counters: c.Name, Memory: c.memory(e.program), Tables: c.Tables, Timing: c.Timing,
	}
	for _, h := range c.Hops {
		next := trio.NextHop{Index: h.Number, To: h.Ports, Back: h.Routing}
		if (h.Dst != inet.MAC{} || h.Src != inet.MAC{}) {
			next.To = []sansio.Port{hostBase + sansio.Port(len(e.hosts))}
			e.hosts = append(e.hosts, h)
		}
		out.NextHops = append(out.NextHops, next)
	}
	return out
}

// WithSource returns the configuration with another source.
func (e *Engine) WithSource(file, text string) (json.RawMessage, error) {
	c := e.cfg
	c.File, c.Text, c.Image = file, text, nil
	return json.Marshal(c)
}

// Program returns what the PFE is loaded with: its names are those of the source.
func (e *Engine) Program() *isa.Program { return e.program }

// Counters returns what the PFE counts, and at which places of the source threads did wrong.
func (e *Engine) Counters() []sansio.Count { return append(e.PFE.Counters(), e.Faults()...) }

// Side says where frames pass the program.
func (e *Engine) Side() Side { return e.cfg.Side }

// Match returns the frames that pass the program.
func (e *Engine) Match() dataplane.Match { return e.cfg.Match }

// Claims says what a frame is to the program.
func (e *Engine) Claims(f dataplane.Frame) dataplane.Claim {
	if e.cfg.Match.Matches(&f) {
		return dataplane.InTransit
	}
	return dataplane.NotMine
}

// Ports returns the ports of all next hops.
func (e *Engine) Ports() (out []sansio.Port) {
	for _, h := range e.cfg.Hops {
		out = append(out, h.Ports...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Handle has the program see what arrived.
func (e *Engine) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	lo := len(eff.Sends)
	e.PFE.Handle(now, in, eff)
	e.address(lo, eff)
}

// Expire does what is due.
func (e *Engine) Expire(now units.Time, eff *sansio.Effects) {
	lo := len(eff.Sends)
	e.PFE.Expire(now, eff)
	e.address(lo, eff)
}

// address gives what was sent to hosts the addresses of their hops.
func (e *Engine) address(lo int, eff *sansio.Effects) {
	if len(e.hosts) == 0 {
		return
	}
	for i := lo; i < len(eff.Sends); i++ {
		s := &eff.Sends[i]
		if len(s.To) == 0 || s.To[0] < hostBase {
			continue
		}
		hop := &e.hosts[s.To[0]-hostBase]
		h := inet.Ether(append(eff.Header(len(s.Train.Header))[:0], s.Train.Header...))
		h.Put(hop.Dst, hop.Src, h.Type())
		s.Train.Header, s.To = h, hop.Ports
	}
}
