package telemetry

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/program/middlebox"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

//go:embed telemetry.mc
var source string

// File is the name of the program's source.
const File = "telemetry.mc"

// Source returns the program.
func Source() string { return source }

// Defaults, all assumed.
const (
	DefaultPeriod     = 100 * units.Millisecond
	DefaultThreads    = 100
	DefaultHeavyBytes = units.MiB
)

// Names of the program's counters.
const (
	CountOther      = "telemetry-other"       // packets that are not IPv4
	CountNotCounted = "telemetry-not-counted" // packets of pairs for which the table has no room
	CountReports    = "telemetry-reports"
)

// program is the Microcode, whose timer visits the counters.
func program() middlebox.Program {
	return middlebox.Program{File: File, Text: source, Timer: "report", Period: DefaultPeriod, Threads: DefaultThreads}
}

// Config describes the PFE and what it reports.
type Config struct {
	PFE        middlebox.Config
	HeavyBytes units.Bytes   // least bytes in a period that are reported; zero: DefaultHeavyBytes
	Collector  inet.Flow     // addressing of reports
	Reports    []sansio.Port // ports by which reports leave
}

// ReportTo has reports go to a collector, by the ports that lead to it.
func (c *Config) ReportTo(collector inet.Flow, by []sansio.Port) {
	c.Collector, c.Reports = collector, by
}

// Engine is a PFE that counts. It meets dataplane.Engine.
type Engine struct{ *trio.PFE }

// hopReports is the next hop of reports.
const hopReports = 1

// New compiles the program and loads a PFE with it.
func New(cfg Config) (*Engine, error) {
	cfg.HeavyBytes = cmp.Or(cfg.HeavyBytes, DefaultHeavyBytes)
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring telemetry on %s: %w", cfg.PFE.Node, err)
	}
	p, err := program().Load(cfg.PFE, trio.NextHop{Index: hopReports, To: cfg.Reports})
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		p.Set("heavy_bytes", func(m *mem.Memory, at mem.Addr) mem.Fault { return m.Store(at, uint64(cfg.HeavyBytes)) }),
		p.Set("collector", cfg.writeCollector))
	if err != nil {
		return nil, err
	}
	return &Engine{p.PFE}, nil
}

func (c *Config) validate() error {
	if c.HeavyBytes < 1 || c.HeavyBytes > 1<<32-1 {
		return fmt.Errorf("heavy from %v on: 1B to 4GiB less 1B are possible, the difference of two visits has 32 bits", c.HeavyBytes)
	}
	if !c.Collector.Src.Is4() || !c.Collector.Dst.Is4() {
		return fmt.Errorf("reports go from %v to %v: both must be IPv4 addresses", c.Collector.Src, c.Collector.Dst)
	}
	return nil
}

// writeCollector writes the next hop and the headers of reports.
func (c *Config) writeCollector(m *mem.Memory, at mem.Addr) mem.Fault {
	var b [mem.MaxAccess]byte
	binary.BigEndian.PutUint32(b[:], hopReports)
	copy(b[len(b)-inet.UDPHeaders:], inet.UDPHeader(c.Collector))
	return m.Write(at, b[:])
}

// Pair is what is counted of one pair of addresses.
type Pair struct {
	Src, Dst netip.Addr
	Packets  uint64
	Bytes    units.Bytes // of whole frames
}

// recordBytes is what of a record is used, and what a report carries.
const recordBytes = 32

func decodePair(b []byte) Pair {
	return Pair{
		Src: netip.AddrFrom4([4]byte(b[0:4])), Dst: netip.AddrFrom4([4]byte(b[4:8])),
		Packets: binary.BigEndian.Uint64(b[16:]), Bytes: units.Bytes(binary.BigEndian.Uint64(b[24:])),
	}
}

// Pairs returns all counters, in the order of the hash table.
func (e *Engine) Pairs() iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		var b [recordBytes]byte
		for _, a := range e.Memory().Hash().All() {
			if e.Memory().Read(a, b[:]) == mem.NoFault && !yield(decodePair(b[:])) {
				return
			}
		}
	}
}

// Report is what the collector gets of a heavy pair: its counters, and what came
// since the visit before.
type Report struct {
	Pair
	Since units.Bytes
	Run   uint32 // number of the timer's run
}

// ParseReport reads the payload of a report; false if it is none.
func ParseReport(payload []byte) (Report, bool) {
	if len(payload) != recordBytes {
		return Report{}, false
	}
	return Report{decodePair(payload), units.Bytes(binary.BigEndian.Uint32(payload[8:])), binary.BigEndian.Uint32(payload[12:])}, true
}
