package police

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"fmt"
	"iter"
	"net/netip"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/middlebox"
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

// program is the Microcode, whose timer forgives sources that were silent for a
// period, once to twice that.
func program() middlebox.Program {
	return middlebox.Program{File: File, Text: source, Timer: "forgive", Period: DefaultPeriod, Threads: DefaultThreads}
}

// Config describes the PFE and what it lets pass.
type Config struct {
	PFE   middlebox.Config
	Rate  units.Rate  // of one source; zero: DefaultRate
	Burst units.Bytes // of one source; zero: DefaultBurst
	Limit int         // packets beyond the bucket from which on a source is blocked; zero: DefaultLimit
}

func (c Config) withDefaults() Config {
	c.Rate = cmp.Or(c.Rate, DefaultRate)
	c.Burst = cmp.Or(c.Burst, DefaultBurst)
	c.Limit = cmp.Or(c.Limit, DefaultLimit)
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
		return nil, fmt.Errorf("configuring the policer on %s: %w", cfg.PFE.Node, err)
	}
	p, err := program().Load(cfg.PFE)
	if err != nil {
		return nil, err
	}
	if err := p.Set("template", cfg.writeTemplate); err != nil {
		return nil, err
	}
	return &Engine{p.PFE}, nil
}

// violationsWord is the word of a record behind its policer.
const violationsWord = mem.PolicerBytes / mem.WordBytes

// writeTemplate writes the record that new sources get: a full bucket, no
// violations.
func (c *Config) writeTemplate(m *mem.Memory, at mem.Addr) mem.Fault {
	if f := m.SetPolicer(at, c.Rate, c.Burst, 0); f != mem.NoFault {
		return f
	}
	return m.Store(at+violationsWord, uint64(c.Limit))
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
