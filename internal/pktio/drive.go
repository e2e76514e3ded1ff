package pktio

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// TimeSource tells the time of a run. [Clock] is the one for live runs. It may
// be read from several goroutines.
type TimeSource interface {
	Now() units.Time
}

// DriveConfig says what [Drive] runs.
type DriveConfig struct {
	Machine sansio.Machine // required
	Device  Device         // required; Drive owns it while it runs and does not close it
	Clock   TimeSource     // required

	// OnSamples takes the records of one round; the slice is valid until it
	// returns, and its error ends the run. Nil: records are dropped.
	OnSamples func([]result.Sample) error
	// Done is asked before every round, on Drive's goroutine, until it says
	// true. Nil: the run ends with its context.
	Done func() bool
	// Prompt is for a host, which has little to do at a time: its timers and packets come before those who go on
	// for longer on the same processor, as a switch does.
	Prompt bool
	// Settle is how long the machine keeps answering after Done, as peers may
	// still want something said again. Zero: Drive returns at once.
	Settle time.Duration
}

func (c DriveConfig) validate() error {
	switch {
	case c.Machine == nil:
		return errors.New("drive: no machine")
	case c.Device == nil:
		return errors.New("drive: no device")
	case c.Clock == nil:
		return errors.New("drive: no clock")
	case c.Settle < 0:
		return fmt.Errorf("drive: settle %v is negative: it must be zero or more", c.Settle)
	}
	return nil
}

// Overruns counts computes that were not finished at their Until: this machine
// is too slow for the time that the model charges.
type Overruns struct {
	Count uint64         `json:"count"`
	Max   units.Duration `json:"max_ps"` // longest time past Until
}

// Report says how well the wall clock was kept; harness/fidelity judges it.
type Report struct {
	Rounds    uint64         `json:"rounds"`
	Lateness  Lateness       `json:"lateness"` // from each deadline to its Expire
	Overruns  Overruns       `json:"overruns"`
	Still     units.Duration `json:"still_ps"`   // longest time in which the loop did not come round, where it had to; seen to [Beat]
	BusyShare float64        `json:"busy_share"` // processor time of the loop's thread over wall time, a fraction; 0 where the system does not say

	Used units.Duration `json:"used_ps"` // that processor time
}

// Beat is how long the loop waits at most, so that a process that stood still while it waited for
// nothing but packets is noticed (assumed: a fraction of the shortest iteration; 40 wake-ups a second).
const Beat = 25 * units.Millisecond

// Drive runs a machine on a device under the wall clock, as the duties in
// package sansio say, until Done, ctx, or an error. A cancelled context is a
// clean end and no error. The loop has an operating system thread of its own
// with a timer slack of a nanosecond; computes run on goroutines beside it, and
// have all ended when Drive returns. The report is valid beside an error, too.
func Drive(ctx context.Context, cfg DriveConfig) (Report, error) {
	if err := cfg.validate(); err != nil {
		return Report{}, err
	}
	thread := lockThread(cfg.Prompt)
	defer thread.release()
	defer wakeOnCancel(ctx, cfg.Device)()
	d := driver{DriveConfig: cfg, jobs: jobs{clock: cfg.Clock}, settled: units.Never, now: cfg.Clock.Now()}
	err := d.run(ctx)
	d.jobs.joinAll()
	return Report{
		Rounds:    d.rounds,
		Lateness:  d.late.summary(),
		Overruns:  d.jobs.overruns,
		Still:     d.still,
		BusyShare: thread.busyShare(),
		Used:      thread.used(),
	}, err
}

// wakeOnCancel wakes the device when ctx ends. The function it returns undoes
// that, and waits for a wake that is under way.
func wakeOnCancel(ctx context.Context, dev Device) (undo func()) {
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		dev.Wake()
	})
	return func() {
		if !stop() {
			<-woken
		}
	}
}

type driver struct {
	DriveConfig
	jobs    jobs
	eff     sansio.Effects
	late    histogram
	rounds  uint64
	now     units.Time // never goes back
	settled units.Time // when to end, once Done has said true
	still   units.Duration
}

func (d *driver) run(ctx context.Context) error {
	for ctx.Err() == nil && !d.finished() {
		d.rounds++
		d.tick()
		wait := d.wait()
		back := d.now.Add(units.Duration(wait) * units.Nanosecond)
		in, err := d.Device.Recv(wait)
		if err != nil {
			return fmt.Errorf("receive: %w", err)
		}
		began := d.expectedBy(back)
		if err := d.round(in); err != nil {
			return err
		}
		d.expectedBy(began)
	}
	return nil
}

func (d *driver) finished() bool {
	if d.settled == units.Never && d.Done != nil && d.Done() {
		d.settled = d.now.Add(units.Duration(d.Settle) * units.Nanosecond)
	}
	return d.now >= d.settled
}

// tick advances now.
func (d *driver) tick() { d.now = max(d.now, d.Clock.Now()) }

// expectedBy notes by how much the loop is later than it was expected, and returns the time. What
// waits for a compute without a nominal time is not late.
func (d *driver) expectedBy(t units.Time) units.Time {
	d.tick()
	d.still = max(d.still, d.now.Sub(max(t, d.jobs.free)))
	return d.now
}

// wait returns how long the device may wait: to the next instant at which the
// loop has something to do, rounded up to what the system can express, or a beat.
func (d *driver) wait() time.Duration {
	next := min(d.Machine.NextDeadline(), d.jobs.nextStart(), d.settled, d.now.Add(Beat))
	return time.Duration((max(0, next.Sub(d.now)) + units.Nanosecond - 1) / units.Nanosecond)
}

// round makes one turn: arrivals, then whatever is due. Computes that are due
// are joined before the machine is told of a time at or past their Until.
func (d *driver) round(in []sansio.Arrival) error {
	d.catchUp()
	if len(in) > 0 {
		d.Machine.Handle(d.now, in, &d.eff)
		if err := d.carryOut(); err != nil {
			return err
		}
		d.catchUp()
	}
	if deadline := d.Machine.NextDeadline(); deadline <= d.now {
		d.late.add(max(0, d.now.Sub(max(deadline, d.jobs.free))))
		d.Machine.Expire(d.now, &d.eff)
		return d.carryOut()
	}
	return nil
}

// catchUp advances now and joins every compute that should have ended by then.
// Joining takes time, in which another may become due.
func (d *driver) catchUp() {
	d.tick()
	for d.jobs.advance(d.now) {
		d.tick()
	}
}

// carryOut does what the machine wants done, in the order that duty 4 of
// package sansio demands, and takes the batch's memory back.
func (d *driver) carryOut() error {
	defer d.eff.Reset()
	if len(d.eff.Sends) > 0 {
		if err := d.Device.Send(d.eff.Sends); err != nil {
			return fmt.Errorf("send: %w", err)
		}
	}
	for _, c := range d.eff.Computes {
		d.jobs.add(c, d.now)
	}
	if len(d.eff.Samples) > 0 && d.OnSamples != nil {
		if err := d.OnSamples(d.eff.Samples); err != nil {
			return fmt.Errorf("store samples: %w", err)
		}
	}
	return nil
}
