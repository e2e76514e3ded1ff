package job

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/fault"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// Systems that a job can run on.
const (
	TrioML      = "trioml"
	SwitchML256 = "switchml256"
	SwitchML64  = "switchml64"
	Ring        = "ring"
)

// Systems lists them in the order of tables.
func Systems() []string { return []string{Ring, SwitchML64, SwitchML256, TrioML} }

// Spec describes a job.
type Spec struct {
	System     string
	Plan       *plan.Plan
	Model      profiles.Profile
	Scale      int // model size, window and pool are divided by it; 1 or more
	Iterations int
	MiniBatch  int // images of a step; zero means train.DefaultBatch
	Seed       rng.Root
	StraggleP  float64
	Semantics  fault.Semantics // empty means fault.OneServer
	Virtual    bool            // for the virtual clock: streams instead of kernel TCP
	Elements   int             // not zero: a benchmark on an int32 tensor of so many elements, in place of training
	Trio       TrioSpec
	SwitchML   SwitchMLSpec
}

// TrioSpec holds the knobs of Trio-ML; zero values are the paper's (§6.1).
type TrioSpec struct {
	Grads   int // gradients per packet
	Window  int // packets in flight at full scale
	Timeout units.Duration
	Threads int
	Late    program.LatePolicy
	Wake    trioml.WakePolicy
	NoAging bool
}

// SwitchMLSpec holds the knobs of SwitchML; zero values are those of Trio §6.1,
// retransmission off among them.
type SwitchMLSpec struct {
	Slots      int  // pool size at full scale
	Unscaled   bool // use Slots as they are
	Retransmit bool
	Timeout    units.Duration // zero means 10ms live (the public client's) and 1ms virtual (the paper's)
}

// Defaults of Trio §6.1 that are not those of a core or program.
const DefaultSlots = 512

// MinWindow is the least pool that a scaled run uses. A pool hides the round-trip
// time, which does not shrink with the link rate: live it is some 600us here
// (assumed: four links' delivery quantum, and two processes), in which
// 500 Mbit/s carry 34 SwitchML packets; App C rounds up to a power of two.
const MinWindow = 64

// Job is a laid-out job, without the configurations of its nodes.
type Job struct {
	Spec
	Params   int // elements of the tensor
	Hidden   int
	Schedule fault.Schedule
	Typical  units.Duration // typical iteration time, by which delays are measured
	Notes    []string       // deviations from the paper's configuration
}

// New checks the spec and fills in what follows from it.
func New(spec Spec) (*Job, error) {
	if err := spec.validate(); err != nil {
		return nil, err
	}
	j := &Job{Spec: spec}
	if j.Params = spec.Elements; spec.Elements == 0 {
		j.Hidden = train.HiddenFor(int(spec.Model.Size()) / 4 / spec.Scale)
		j.Params = train.ParamsFor(j.Hidden)
	}
	j.Typical = spec.Model.Compute + j.ringTime()
	schedule, err := fault.Straggle{
		P: spec.StraggleP, Workers: len(spec.Plan.Hosts), Iterations: spec.Iterations,
		Typical: j.Typical, Semantics: spec.Semantics,
	}.Draw(spec.Seed)
	if err != nil {
		return nil, err
	}
	j.Schedule = schedule
	j.deviations()
	return j, nil
}

func (s Spec) validate() error {
	var errs []error
	if !slices.Contains(Systems(), s.System) {
		errs = append(errs, fmt.Errorf("system %q: allowed are %s", s.System, strings.Join(Systems(), ", ")))
	}
	if s.Scale < 1 || s.Iterations < 1 {
		errs = append(errs, fmt.Errorf("scale %d, %d iterations: both must be 1 or more", s.Scale, s.Iterations))
	}
	if n := len(s.Plan.Hosts); n < 2 || n > 200 {
		errs = append(errs, fmt.Errorf("topology %s has %d hosts: a job takes 2 to 200 workers", s.Plan.Name, n))
	}
	if s.System != Ring && len(s.Plan.Switches) != 1 {
		errs = append(errs, fmt.Errorf("%s aggregates in one switch or chassis, but topology %s has %d switches: use rack or mx480", s.System, s.Plan.Name, len(s.Plan.Switches)))
	}
	if need := s.packet(); s.Plan.MTU < need {
		errs = append(errs, fmt.Errorf("MTU %d of topology %s is below the %d bytes of a %s packet: raise the MTU or put fewer gradients into a packet", s.Plan.MTU, s.Plan.Name, need, s.System))
	}
	return errors.Join(errs...)
}

// packet returns the bytes of the system's IP packets; 0 for a byte stream.
func (s Spec) packet() int {
	switch s.System {
	case TrioML:
		return trioPacket(or(s.Trio.Grads, trioml.DefaultGrads))
	case SwitchML64:
		return switchmlPacket(64)
	case SwitchML256:
		return switchmlPacket(256)
	}
	return 0
}

// deviations notes what could not be divided by the scale.
func (j *Job) deviations() {
	switch j.System {
	case TrioML:
		if w := j.window(); w < 8 {
			j.note("window of %d packets: %d divided by %d is below 8", w, or(j.Trio.Window, trioml.DefaultWindow), j.Scale)
		}
	case SwitchML64, SwitchML256:
		full := or(j.SwitchML.Slots, DefaultSlots)
		if n := j.slots(); n*j.Scale > full+j.Scale-1 {
			j.note("pool of %d slots where %d divided by %d is %d: a pool hides the round-trip time, which does not shrink with link rates", n, full, j.Scale, (full+j.Scale-1)/j.Scale)
		}
	}
}

func (j *Job) note(format string, args ...any) {
	j.Notes = append(j.Notes, fmt.Sprintf(format, args...))
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
