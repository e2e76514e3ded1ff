package trioml

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
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

// Defaults of the paper's evaluation (§6.1).
const (
	DefaultTimeout  = 10 * units.Millisecond
	DefaultThreads  = 100
	DefaultBlockMax = 4096
)

// Limits of the timer threads, both assumed: far above the hundreds of threads
// that the hardware's timers allow (§5), and low enough that their product in
// picoseconds fits 63 bits.
const (
	MaxTimeout = 100 * units.Second
	MaxThreads = 1 << 16
)

// MaxBuffers bounds what the aggregation buffers of all jobs may come to, each job
// with block_cnt_max blocks of block_grad_max gradients of 4 bytes. A PFE has
// several GB of DRAM (§2.3); 4 GiB is assumed.
const MaxBuffers = 4 * units.GiB

// Config describes one PFE's program.
type Config struct {
	Node    string         // name in trace events, such as "mx480/pfe1"
	Timeout units.Duration // T of the timer threads; zero means DefaultTimeout
	Threads int            // N timer threads, started T/N apart; zero means DefaultThreads
	NoAging bool           // true turns the timer threads off
	Late    LatePolicy     // empty means LateTombstone
	Age     AgePolicy      // empty means AgePerBlock
	Jobs    []Job
	Trace   trace.Sink `json:"-"` // nil: no events
}

// Job is a job record (Fig 17): what the control plane sets up on this PFE.
type Job struct {
	ID       uint8
	Sources  []uint8 // src_ids that take part here; 1 to 255 of them
	BlockMax int     // block_cnt_max, concurrent blocks; zero means DefaultBlockMax
	GradMax  int     // block_grad_max, gradients per block; zero means wire.MaxGrads

	// The result packet: out_src_addr, out_dst_addr and out_nh_addr of Fig 17.
	Out       inet.Flow     // addressing
	To        []sansio.Port // ports it leaves by: the group's, or the fabric to the next level
	OutSource uint8         // src_id of the result: this PFE, as the next level knows it
}

// Resolved returns the configuration with its defaults and those of its jobs, or an
// error that names every bad field.
func (c Config) Resolved() (Config, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return Config{}, fmt.Errorf("configuring trioml on %s: %w", c.Node, err)
	}
	return c, nil
}

func (c Config) withDefaults() Config {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Threads == 0 {
		c.Threads = DefaultThreads
	}
	if c.Late == "" {
		c.Late = LateTombstone
	}
	if c.Age == "" {
		c.Age = AgePerBlock
	}
	c.Jobs = slices.Clone(c.Jobs)
	for i, j := range c.Jobs {
		c.Jobs[i] = j.withDefaults()
	}
	return c
}

func (c Config) validate() error {
	var errs []error
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
	seen := [256]bool{}
	var buffers units.Bytes
	for _, j := range c.Jobs {
		buffers += j.buffers()
		if seen[j.ID] {
			errs = append(errs, fmt.Errorf("job %d is given twice", j.ID))
		}
		seen[j.ID] = true
		errs = append(errs, j.validate())
	}
	if buffers > MaxBuffers {
		errs = append(errs, fmt.Errorf("aggregation buffers of %v for all jobs: there are %v; lower BlockMax or GradMax", buffers, MaxBuffers))
	}
	return errors.Join(errs...)
}

func (j Job) withDefaults() Job {
	if j.BlockMax == 0 {
		j.BlockMax = DefaultBlockMax
	}
	if j.GradMax == 0 {
		j.GradMax = wire.MaxGrads
	}
	return j
}

// buffers returns what the job's blocks may take, if there are as many as its caps
// allow.
func (j Job) buffers() units.Bytes { return units.Bytes(j.BlockMax) * units.Bytes(4*j.GradMax) }

func (j Job) validate() error {
	if n := len(j.Sources); n < 1 || n > wire.MaxSources {
		return fmt.Errorf("job %d has %d sources: 1 to %d are possible (src_cnt has 8 bits)", j.ID, n, wire.MaxSources)
	}
	var m trace.Mask
	for _, s := range j.Sources {
		if m.Has(s) {
			return fmt.Errorf("job %d names source %d twice", j.ID, s)
		}
		m.Set(s)
	}
	if j.BlockMax < 0 || j.GradMax < 0 || j.GradMax > wire.MaxGrads {
		return fmt.Errorf("job %d: block_cnt_max %d and block_grad_max %d must not be negative, nor the second above %d", j.ID, j.BlockMax, j.GradMax, wire.MaxGrads)
	}
	if !j.Out.Src.Is4() || !j.Out.Dst.Is4() {
		return fmt.Errorf("job %d sends its results from %v to %v: both must be IPv4 addresses", j.ID, j.Out.Src, j.Out.Dst)
	}
	if len(j.To) == 0 {
		return fmt.Errorf("job %d has no port for its results", j.ID)
	}
	return nil
}
