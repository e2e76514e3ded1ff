package job

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// ChipBenched is a system whose program also runs on an emulated chip. A benchmark of
// its own compares that with the reference program.
type ChipBenched interface {
	System
	// ChipBench describes the benchmark.
	ChipBench() ChipBench
	// Contenders returns what is measured on real packets, the reference program first.
	Contenders(ChipLoad, BenchLimits) []Bench
	// Alone returns fresh engines, to be run in this process without links or hosts; or
	// it says why the load cannot be.
	Alone(ChipLoad) ([]AloneRun, error)
}

// ChipBeside is a system whose program runs on the chip that another one's benchmark is of, which also
// measures it.
type ChipBeside interface {
	System
	// Beside returns the name of the benchmark.
	Beside() string
	// Alone is as that of [ChipBenched]; the runs name the system. Packets have as many values as the
	// system's have.
	Alone(ChipLoad) ([]AloneRun, error)
}

// ChipBesides returns the systems that a benchmark measures also.
func ChipBesides(list []System, bench string) (out []ChipBeside) {
	for _, s := range list {
		if c, ok := s.(ChipBeside); ok && c.Beside() == bench {
			out = append(out, c)
		}
	}
	return out
}

// ChipBench is a command, "inalab bench NAME".
type ChipBench struct {
	Name, Short, Long string
	Workers, Values   ChipOption // Values: of a packet
	Size              string     // of a tensor, by default
	Virtual           string     // usage of --virtual
	Tables            result.ChipTables
}

// ChipOption is an option with a number.
type ChipOption struct {
	Name, Usage string
	Default     int
}

// ChipLoad is what a benchmark asks of a chip.
type ChipLoad struct{ Workers, Values int }

// AloneRun runs one engine, once. Its time is what is measured.
type AloneRun func() (result.ChipRun, error)

// ChipBenches returns the systems with a benchmark of their chip, one for each command,
// by name.
func ChipBenches(list []System) (out []ChipBenched) {
	for _, s := range list {
		if c, ok := s.(ChipBenched); ok {
			out = append(out, c)
		}
	}
	name := func(c ChipBenched) string { return c.ChipBench().Name }
	slices.SortStableFunc(out, func(a, b ChipBenched) int { return cmp.Compare(name(a), name(b)) })
	return slices.CompactFunc(out, func(a, b ChipBenched) bool { return name(a) == name(b) })
}

// EngineAlone feeds an engine without a network, for an [AloneRun].
type EngineAlone struct {
	Engine  dataplane.Engine
	now     units.Time
	effects sansio.Effects
	copies  int // of packets that it sent, one for each port
}

// Take hands a train over. The next comes a gap later.
func (e *EngineAlone) Take(train sansio.Arrival, gap units.Duration) {
	e.effects.Reset()
	e.Engine.Handle(e.now, []sansio.Arrival{train}, &e.effects)
	e.count()
	e.now = e.now.Add(gap)
	for e.Engine.NextDeadline() <= e.now {
		e.expire()
	}
}

// Await lets the time pass until the engine has sent so many packets in all. It is an
// error if it sends fewer, or more.
func (e *EngineAlone) Await(copies int) error {
	for e.copies < copies && e.Engine.NextDeadline() != units.Never {
		e.now = max(e.now, e.Engine.NextDeadline())
		e.expire()
	}
	if e.copies != copies {
		return fmt.Errorf("the engine sent %d results, not %d", e.copies, copies)
	}
	return nil
}

func (e *EngineAlone) expire() {
	e.effects.Reset()
	e.Engine.Expire(e.now, &e.effects)
	e.count()
}

func (e *EngineAlone) count() {
	for i := range e.effects.Sends {
		s := &e.effects.Sends[i]
		e.copies += s.Train.Frames() * len(s.To)
	}
}
