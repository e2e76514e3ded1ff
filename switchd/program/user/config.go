package user

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// System is how a chassis knows these programs (chassis.Program.System).
const System = "microcode"

// Chip is what runs such programs, in the words of topology files.
const Chip = "trio"

// DefaultRecords is how many records the hash table of a program holds: 256 KiB of SRAM, so
// that several programs fit (assumed).
const DefaultRecords = 4096

// DefaultInstructions is how many instructions a packet's thread may execute. The paper prints no
// limit: assumed, one for each byte of the longest packet, and fifty times what Trio-ML takes for 1024
// gradients. The packets of an endless program then leave a switch time for others.
const DefaultInstructions = 1 << 16

// A Side says where frames pass a program.
type Side string

// The sides.
const (
	Ingress Side = "ingress" // on arrival, at the PFE of the port that they came by
	Egress  Side = "egress"  // on leaving, at the PFE of the port that they leave by
)

// Config is a program on one PFE. It can be written as JSON and read back, but for Image.
type Config struct {
	Name  string       // of the program: in errors, and before its counters
	Node  string       `json:",omitempty"` // name of the PFE in errors, such as "mx480/pfe1"
	File  string       // name of the source, in messages of the compiler
	Text  string       `json:",omitempty"` // the source
	Image *isa.Program `json:"-"`          // compiled; nil: Text is compiled

	Match  dataplane.Match   // of the frames that pass it; zero: all, ARP among them
	Side   Side              `json:",omitempty"` // empty: Ingress
	Hops   []Hop             `json:",omitempty"` // what Forward's argument means
	Timers []trio.Timer      `json:",omitempty"` // for entries of the program; entries without one never run
	Memory []Initial         `json:",omitempty"` // what shared memory holds at first; the rest is zero
	Names  []dataplane.Write `json:",omitempty"` // likewise, by name with fields and indexes, behind Memory
	Tables []trio.Table      `json:",omitempty"` // what its tables of routes and filters hold at first

	Records      int          `json:",omitempty"` // that its hash table holds; zero: DefaultRecords
	Instructions uint64       `json:",omitempty"` // that a thread may execute; zero: DefaultInstructions for a packet's, trio.DefaultInstructions for others
	Timing       *trio.Timing `json:",omitempty"` // nil: instant mode
}

// Hop is what a number stands for that the program forwards to: Routing, or ports.
type Hop struct {
	Number uint32
	// Routing is the switch's own forwarding on the side of ingress, and the port by which
	// the frame was leaving on that of egress.
	Routing bool          `json:",omitempty"`
	Ports   []sansio.Port `json:",omitempty"` // of the front panel: a copy leaves by each
	// Dst and Src are Ethernet addresses that frames get on their way to a host, as from a
	// router; zero: frames keep theirs. The time to live is the program's.
	Dst inet.MAC `json:",omitzero"`
	Src inet.MAC `json:",omitzero"`
}

// Initial is what elements of a symbol in shared memory hold at first.
type Initial struct {
	Symbol string
	At     int      `json:",omitempty"` // the first element
	Values []uint64 `json:",omitempty"` // for each element of sram and dram one; of a counter two, packets and bytes
	// Rate and Burst are of one element of a policer, whose bucket is full.
	Rate  units.Rate  `json:",omitempty"`
	Burst units.Bytes `json:",omitempty"`
}

func (c Config) withDefaults() Config {
	c.Side = cmp.Or(c.Side, Ingress)
	c.Records = cmp.Or(c.Records, DefaultRecords)
	return c
}

func (c *Config) validate() error {
	errs := []error{c.Match.Validate()}
	if c.Name == "" {
		errs = append(errs, errors.New("it has no name: give it one"))
	}
	if c.Side != Ingress && c.Side != Egress {
		errs = append(errs, fmt.Errorf("side %q: it must be %s or %s", c.Side, Ingress, Egress))
	}
	for i := range c.Hops {
		errs = append(errs, c.Hops[i].validate())
		if slices.ContainsFunc(c.Hops[:i], func(o Hop) bool { return o.Number == c.Hops[i].Number }) {
			errs = append(errs, fmt.Errorf("next hop %d is given twice", c.Hops[i].Number))
		}
	}
	return errors.Join(errs...)
}

func (h *Hop) validate() error {
	rewritten := h.Dst != inet.MAC{} || h.Src != inet.MAC{}
	switch {
	case h.Routing && (len(h.Ports) > 0 || rewritten):
		return fmt.Errorf("next hop %d is routing, and has ports or addresses: leave one out", h.Number)
	case !h.Routing && len(h.Ports) == 0:
		return fmt.Errorf("next hop %d has neither routing nor a port", h.Number)
	}
	return nil
}

// memory returns the part of the shared memory that the program has: what it declares, to the
// word, and its hash records.
func (c *Config) memory(prog *isa.Program) mem.Config {
	var own mem.Bounds
	for _, s := range prog.Symbols {
		switch end := units.Bytes(s.Value*mem.WordBytes + s.Size); {
		case !s.Kind.Shared():
		case s.Value >= uint64(mem.DRAMBase):
			own.DRAM = max(own.DRAM, end-units.Bytes(mem.DRAMBase)*mem.WordBytes)
		default:
			own.SRAM = max(own.SRAM, end)
		}
	}
	records := units.Bytes(c.Records) * mem.RecordBytes
	return mem.Config{SRAM: pages(own.SRAM + records), DRAM: pages(own.DRAM), Records: c.Records, Bounds: &own}
}

// Memory returns the shared memory that a program has in a lab, with a hash table of so many records; zero:
// DefaultRecords.
func Memory(prog *isa.Program, records int) (mem.Config, error) {
	c := Config{Records: records}.withDefaults()
	return c.memory(prog), c.checkMemory(prog)
}

// checkMemory refuses a program that needs more of the memory on the chip than a PFE has.
func (c *Config) checkMemory(prog *isa.Program) error {
	if n := c.memory(prog).SRAM; n > mem.MaxSRAM {
		return fmt.Errorf("program %s needs %v on the chip, %v of them for %d hash records: at most %v are possible: use fewer records, or less sram",
			prog.Name, n, units.Bytes(c.Records)*mem.RecordBytes, c.Records, mem.MaxSRAM)
	}
	return nil
}

// pages rounds up to whole pages of memory, at least one.
func pages(n units.Bytes) units.Bytes {
	return max(1, (n+mem.PageBytes-1)/mem.PageBytes) * mem.PageBytes
}

// wants returns the frames that the engine is asked about.
func (c *Config) wants() dataplane.Wants {
	return dataplane.Wants{Transit: c.Side == Ingress, Leaving: c.Side == Egress, ARP: c.Match.ARP()}
}
