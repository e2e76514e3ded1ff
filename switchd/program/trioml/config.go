package trioml

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// LatePolicy says what becomes of a packet whose block is already done
// (ambiguity trio.late-record).
type LatePolicy string

const (
	// LateTombstone drops packets of done blocks and of older generations.
	LateTombstone LatePolicy = "tombstone"
	// LateStale drops packets of older generations only; a late packet of the
	// newest generation opens a record that ages out with few sources.
	LateStale LatePolicy = "stale-drop"
	// LateNaive drops nothing, as the paper's records have no field for it.
	LateNaive LatePolicy = "naive"
)

// AgePolicy says what follows when a block is aged out (ambiguity
// trio.close-to-ideal).
type AgePolicy string

const (
	// AgePerBlock: nothing. Each block that a straggler misses waits a timeout of
	// its own, so that a window of blocks does, and the next window after it. It is
	// what the paper's text describes.
	AgePerBlock AgePolicy = "per-block"
	// AgeAbsent: the sources that the block missed are absent. Blocks do not wait
	// for them until they are heard from again.
	AgeAbsent AgePolicy = "absent-after-first"
)

// Defaults of the paper's evaluation (§6.1).
const (
	DefaultTimeout = 10 * units.Millisecond
	DefaultThreads = 100
)

// Limits of the timer threads, both assumed: far above the hundreds of threads
// that the hardware's timers allow (§5), and low enough that their product in
// picoseconds fits 63 bits.
const (
	MaxTimeout = 100 * units.Second
	MaxThreads = 1 << 16
)

// Config describes one PFE's program.
type Config struct {
	Node    string         // name in trace events, such as "mx480/pfe1"
	Timeout units.Duration // of jobs that say none; zero means DefaultTimeout
	Threads int            // N timer threads, started T/N apart (see [Table.Period]); zero means DefaultThreads
	NoAging bool           // true turns the timer threads off
	Late    LatePolicy     // empty means LateTombstone
	Age     AgePolicy      // empty means AgePerBlock
	Jobs    []Job
	Peers   []sansio.Port `json:",omitempty"` // of the front panel, that lead to other switches: notices that come by them are relayed
	Trace   trace.Sink    `json:"-"`          // nil: no events
}

// Resolved returns the configuration with its defaults and those of its jobs, or an
// error that names every bad field.
func (c Config) Resolved() (Config, error) {
	c = c.withDefaults()
	errs := c.check()
	jobs := c.Table()
	for i := range c.Jobs {
		j, err := jobs.Admit(&c.Jobs[i])
		if err == nil {
			jobs.Add(j)
		}
		c.Jobs[i], errs = j, append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return Config{}, fmt.Errorf("configuring trioml on %s: %w", c.Node, err)
	}
	return c, nil
}

// Table returns the table of the PFE's jobs, without a job. The configuration has its defaults.
func (c *Config) Table() Table {
	return Table{Node: c.Node, Timeout: c.Timeout, Threads: c.Threads, NoAging: c.NoAging}
}

func (c Config) withDefaults() Config {
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.Threads = cmp.Or(c.Threads, DefaultThreads)
	c.Late = cmp.Or(c.Late, LateTombstone)
	c.Age = cmp.Or(c.Age, AgePerBlock)
	c.Jobs = slices.Clone(c.Jobs)
	return c
}

// check returns what is wrong with all but the jobs.
func (c *Config) check() (errs []error) {
	if c.Timeout < 0 || c.Timeout > MaxTimeout || c.Threads < 0 || c.Threads > MaxThreads || c.Timeout/units.Duration(max(1, c.Threads)) < units.Nanosecond {
		errs = append(errs, fmt.Errorf("timeout %v over %d timer threads: at most %v and %d threads, at least 1ns apart", c.Timeout, c.Threads, MaxTimeout, MaxThreads))
	}
	switch c.Late {
	case LateTombstone, LateStale, LateNaive:
	default:
		errs = append(errs, fmt.Errorf("late policy %q: allowed are %s, %s, %s", c.Late, LateTombstone, LateStale, LateNaive))
	}
	if c.Age != AgePerBlock && c.Age != AgeAbsent {
		errs = append(errs, fmt.Errorf("age policy %q: allowed are %s, %s", c.Age, AgePerBlock, AgeAbsent))
	}
	return errs
}
