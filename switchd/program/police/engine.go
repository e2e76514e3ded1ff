package police

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"iter"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

//go:embed police.mc
var source string

// File is the name of the program's source.
const File = "police.mc"

// Source returns the program.
func Source() string { return source }

// Defaults, all assumed.
const (
	DefaultRate    = 100 * units.MbitPerSecond
	DefaultBurst   = 64 * units.KiB
	DefaultLimit   = 1000
	DefaultPeriod  = units.Second
	DefaultThreads = 100
)

// Names of the program's counters.
const (
	DropSpoofed     = "police-spoofed"          // packets that claim to come from where they go
	DropExceeded    = "police-exceeded"         // packets beyond their source's bucket
	DropBlocked     = "police-blocked"          // packets of blocked sources
	CountOther      = "police-other"            // packets that are not IPv4: forwarded
	CountNotPoliced = "police-not-policed"      // packets of sources for which the table has no room: forwarded
	SourcesBlocked  = "police-sources-blocked"  // sources
	SourcesForgiven = "police-sources-forgiven" // blocked ones that have been silent for a period
)

// timerForgive visits the sources.
const timerForgive = "forgive"

// hopForward is the next hop of what passes.
const hopForward = 0

// Config describes the PFE.
type Config struct {
	Node    string         // in errors
	Rate    units.Rate     // of one source; zero: DefaultRate
	Burst   units.Bytes    // of one source; zero: DefaultBurst
	Limit   int            // packets beyond the bucket from which on a source is blocked; zero: DefaultLimit
	Period  units.Duration // of silence after which a source is forgiven, once to twice that; zero: DefaultPeriod
	Threads int            // timer threads, each for its part of the table; zero: DefaultThreads
	Forward []sansio.Port  // ports by which packets leave
	Memory  mem.Config
	Timing  *trio.Timing // nil: instant mode
}

func (c Config) withDefaults() Config {
	if c.Rate == 0 {
		c.Rate = DefaultRate
	}
	if c.Burst == 0 {
		c.Burst = DefaultBurst
	}
	if c.Limit == 0 {
		c.Limit = DefaultLimit
	}
	if c.Period == 0 {
		c.Period = DefaultPeriod
	}
	if c.Threads == 0 {
		c.Threads = DefaultThreads
	}
	return c
}

func (c *Config) validate() error {
	switch {
	case c.Rate < 0 || c.Burst < 1 || c.Burst > 1<<32-1:
		return fmt.Errorf("%v with bursts of %v: a rate of 0 or more, and bursts of 1B to 4GiB less 1B are possible", c.Rate, c.Burst)
	case c.Limit < 1 || c.Limit > 1<<31:
		return fmt.Errorf("a limit of %d packets: 1 to 2^31 are possible", c.Limit)
	}
	return nil
}

// Engine is a PFE that polices. It meets dataplane.Engine.
type Engine struct{ *trio.PFE }

// New compiles the program and loads a PFE with it.
func New(cfg Config) (*Engine, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring the policer on %s: %w", cfg.Node, err)
	}
	prog, err := microcode.Compile(File, source)
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", File, err)
	}
	p, err := trio.New(trio.Config{
		Node: cfg.Node, Program: prog, ClaimAll: true, Memory: cfg.Memory, Timing: cfg.Timing,
		Timers:   []trio.Timer{{Name: timerForgive, Period: cfg.Period, Threads: cfg.Threads, ScansOnly: true}},
		NextHops: []trio.NextHop{{Index: hopForward, To: cfg.Forward}},
	})
	if err != nil {
		return nil, err
	}
	e := &Engine{p}
	template, _ := prog.Symbol("template")
	return e, e.set(mem.Addr(template.Value), cfg)
}

// Words of a record, behind the policer.
const violationsWord = mem.PolicerBytes / mem.WordBytes

// set writes the record that new sources get: a full bucket, no violations.
func (e *Engine) set(template mem.Addr, cfg Config) error {
	if f := e.Memory().SetPolicer(template, cfg.Rate, cfg.Burst, 0); f != mem.NoFault {
		return fmt.Errorf("writing the bucket of new sources: %v", f)
	}
	if f := e.Memory().Store(template+violationsWord, uint64(cfg.Limit)); f != mem.NoFault {
		return fmt.Errorf("writing the limit of new sources: %v", f)
	}
	return nil
}

// Sender is what is known of one source address.
type Sender struct {
	Addr       netip.Addr
	Violations uint32 // packets beyond its bucket
	Blocked    bool
}

// Senders returns all sources, in the order of the hash table.
func (e *Engine) Senders() iter.Seq[Sender] {
	return func(yield func(Sender) bool) {
		for key, a := range e.Memory().Hash().All() {
			word, f := e.Memory().Load(a + violationsWord)
			var addr [4]byte
			binary.BigEndian.PutUint32(addr[:], uint32(key))
			s := Sender{Addr: netip.AddrFrom4(addr), Violations: uint32(word >> 32)}
			s.Blocked = s.Violations >= uint32(word)
			if f == mem.NoFault && !yield(s) {
				return
			}
		}
	}
}
