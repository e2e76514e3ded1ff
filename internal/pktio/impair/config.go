package impair

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// Limits that hold where a configuration gives none.
const (
	// MinDefaultQueue is the least that [DefaultQueue] returns (assumed: some
	// 100 jumbo frames, and 16 trains of the largest size).
	MinDefaultQueue = units.MiB
	// DefaultQueueTime is how long the line needs to send a full queue of
	// default size at high rates (assumed: 12.5 MB at 100 Gbit/s, the order of
	// a data-centre switch's shared buffer).
	DefaultQueueTime = units.Millisecond
	// DefaultMaxInFlight bounds the frames inside a link (assumed: 1 ms of
	// smallest frames at 100 Gbit/s, or 190 MiB of frames of 1500 bytes).
	DefaultMaxInFlight = 1 << 17
)

// DefaultQueue returns the queue limit of a link that gives none: what the line
// sends in [DefaultQueueTime], at least [MinDefaultQueue].
func DefaultQueue(r units.Rate) units.Bytes {
	perSecond := units.Bytes(r) / 8
	return max(MinDefaultQueue, perSecond/units.Bytes(units.Second/DefaultQueueTime))
}

// Params are what a link does to frames. The zero value is a perfect wire.
type Params struct {
	Rate      units.Rate     // bits per second; zero is unlimited: nothing ever waits
	Delay     units.Duration // propagation, from the last bit sent to the last bit received
	Jitter    units.Duration // by how much the delay of a frame differs from Delay, as Distribution says; never reorders
	Loss      float64        // probability, 0 to 1, that the wire loses a frame, each alone (Bernoulli)
	LossEvery int            // the wire loses every LossEvery-th frame; zero loses none
	Bursts    topo.Bursts    // the wire loses frames in bursts (Gilbert-Elliott)
	Queue     units.Bytes    // limit of the bytes of frames that wait for the line; zero is DefaultQueue(Rate)
	Marking   topo.Marking   // frames are marked by the bytes that wait when they come

	Distribution topo.Distribution // of Jitter
	Reorder      float64           // probability that a frame passes the wire without Delay and Jitter, and overtakes
	ReorderGap   int               // at most one frame in so many overtakes; zero or 1: any may
	Duplicate    float64           // probability that the wire delivers a frame twice
	Corrupt      float64           // probability that a bit of the frame flips, so that the far end drops it by its FCS
	Script       topo.Script       // packets that the wire loses by name, as Config.Labels tell

	// What follows makes the line a server of another kind than an Ethernet: a
	// processor that takes so long for a frame and so long for each byte.
	PerFrame units.Duration // time that the line takes for a frame beside its bytes
	Overhead units.Bytes    // bytes charged for a frame beside its own, or taken off where negative; zero is Ethernet's framing
}

// Config describes one direction of a link.
type Config struct {
	Params

	// Changes are other parameters from some time on, in the order of time. Of two at
	// one time the later one holds. They wait for [Link.Begin].
	Changes []Change

	Name string      // names the link in errors, as in "h0->tor"
	Out  sansio.Port // port that frames leave by

	// With, where it is not nil, is a link whose line this one shares: a processor
	// that serves two directions, in the order in which frames come.
	With *Link

	LossStream   *rng.Stream // needed where Loss is not zero, now or after a change
	JitterStream *rng.Stream // likewise where Jitter is not zero; not the stream of losses
	BurstStream  *rng.Stream // likewise where Bursts are not zero
	MarkStream   *rng.Stream // likewise where Marking has a slope

	ReorderStream   *rng.Stream // likewise where Reorder is not zero
	DuplicateStream *rng.Stream // likewise where Duplicate is not zero
	CorruptStream   *rng.Stream // likewise where Corrupt is not zero

	// Labels say where packets name their job and slot, for Script: the first that fits a
	// packet holds. A packet that none fits is lost by no script.
	Labels []Label

	// Quantum rounds NextDeadline up to a multiple of it, so that a live driver
	// wakes once for many frames; frames still never leave before they are due.
	// Zero means exact deadlines.
	Quantum units.Duration

	// MaxInFlight bounds the frames inside the link, waiting ones included, and
	// with them its memory. Zero is DefaultMaxInFlight.
	MaxInFlight int
}

// validate reports all faults of c, joined.
func (c *Config) validate() error {
	errs := c.validateParams()
	errs = append(errs, c.needStreams(&c.Params)...)
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Out < 0 {
		fault("out port %d is negative: ports count from 0", c.Out)
	}
	if c.Quantum < 0 {
		fault("quantum %v is negative: it must be positive, or zero for exact deadlines", c.Quantum)
	}
	if c.MaxInFlight < 0 {
		fault("limit of %d frames in flight is negative: it must be positive, or zero for %d", c.MaxInFlight, DefaultMaxInFlight)
	}
	errs = append(errs, c.validateChanges()...)
	if oneStream(c.LossStream, c.JitterStream, c.BurstStream, c.MarkStream, c.ReorderStream, c.DuplicateStream, c.CorruptStream) {
		fault("two of loss, jitter, bursts, marking, reordering, duplication and corruption share a random stream: give each its own, or one would shift the other")
	}
	for i := range c.Labels {
		if err := c.Labels[i].validate(); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("link %q: %w", c.Name, err)
	}
	return nil
}

// needStreams reports what of p needs random numbers and has none.
func (c *Config) needStreams(p *Params) (errs []error) {
	for _, of := range []struct {
		needed bool
		has    *rng.Stream
		what   string
		field  string
	}{
		{p.Loss > 0, c.LossStream, fmt.Sprintf("loss %v needs", p.Loss), "LossStream"},
		{p.Jitter > 0, c.JitterStream, fmt.Sprintf("jitter %v needs", p.Jitter), "JitterStream"},
		{p.Bursts != (topo.Bursts{}), c.BurstStream, "bursts of losses need", "BurstStream"},
		{!p.Marking.Threshold(), c.MarkStream, "marking on a slope needs", "MarkStream"},
		{p.Reorder > 0, c.ReorderStream, fmt.Sprintf("reorder %v needs", p.Reorder), "ReorderStream"},
		{p.Duplicate > 0, c.DuplicateStream, fmt.Sprintf("duplicate %v needs", p.Duplicate), "DuplicateStream"},
		{p.Corrupt > 0, c.CorruptStream, fmt.Sprintf("corrupt %v needs", p.Corrupt), "CorruptStream"},
	} {
		if of.needed && of.has == nil {
			errs = append(errs, fmt.Errorf("%s random numbers: set %s", of.what, of.field))
		}
	}
	return errs
}

// oneStream reports whether two of the streams are one.
func oneStream(streams ...*rng.Stream) bool {
	for i, s := range streams {
		if s != nil && slices.Contains(streams[:i], s) {
			return true
		}
	}
	return false
}

func (p *Params) validateParams() (errs []error) {
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.Rate < 0 {
		fault("rate %v is negative: it must be positive, or zero for unlimited", p.Rate)
	}
	if p.Delay < 0 {
		fault("delay %v is negative: it must be zero or more", p.Delay)
	}
	if p.Jitter < 0 {
		fault("jitter %v is negative: it must be zero or more", p.Jitter)
	}
	for _, of := range []struct {
		name string
		v    float64
	}{{"loss", p.Loss}, {"reorder", p.Reorder}, {"duplicate", p.Duplicate}, {"corrupt", p.Corrupt}} {
		if !(of.v >= 0 && of.v <= 1) { // written so that NaN fails
			fault("%s %v is not a probability: it must be 0..1", of.name, of.v)
		}
	}
	if p.ReorderGap < 0 {
		fault("reorder gap %d is negative: it must be positive, or zero for any frame", p.ReorderGap)
	}
	if p.LossEvery < 0 {
		fault("loss of every %d frames is negative: it must be positive, or zero for none", p.LossEvery)
	}
	if p.PerFrame < 0 {
		fault("time per frame %v is negative: it must be zero or more", p.PerFrame)
	}
	if p.Queue < 0 {
		fault("queue %v is negative: it must be positive, or zero for the default", p.Queue)
	}
	for _, err := range []error{p.Bursts.Validate(), p.Marking.Validate(), p.Distribution.Validate(), p.Script.Validate()} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// perfect reports whether p leaves every frame as and when it is. Reordering shows only where
// there is a delay.
func (p *Params) perfect() bool {
	return p.Rate == 0 && p.PerFrame == 0 && p.Delay == 0 && p.Jitter == 0 && p.Duplicate == 0 && !p.loses()
}

// loses reports whether the wire loses frames.
func (p *Params) loses() bool {
	return p.Loss > 0 || p.LossEvery > 0 || p.Bursts != topo.Bursts{} || p.Corrupt > 0 || p.Script != ""
}
