package replay

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Config describes a run.
type Config struct {
	Program *isa.Program
	Timers  []trio.Timer // for the program's entries; entries without one never run
	Initial []Setting    // of shared memory and hash table, in their order
	Memory  mem.Config
	Timing  *trio.Timing // nil: instant mode

	// Instructions is the most that a thread may execute; zero: trio.DefaultInstructions. PacketInstructions is that of
	// a packet's thread; zero: Instructions.
	Instructions, PacketInstructions uint64
	// Steps has each Life carry its instructions.
	Steps bool
	// Sent is given each frame that leaves; nil: nobody is. The frame is valid for the call.
	Sent func(at units.Time, frame []byte) error
	// Ended is given each Life, in the order in which they began; nil: nobody is.
	Ended func(*Life) error
}

// Run is a PFE that plays frames.
type Run struct {
	cfg   Config
	pfe   *trio.PFE
	watch *watch
	eff   sansio.Effects
	now   units.Time
	buf   []byte // of a frame that leaves
	drain units.Duration
}

// outPort is the one output, of every next hop. Its number is above those of captures.
const outPort sansio.Port = 1 << 16

// New loads the program. Its start is time 0.
func New(cfg Config) (*Run, error) {
	r := &Run{cfg: cfg}
	r.watch = newWatch(r)
	var err error
	r.pfe, err = trio.New(trio.Config{
		Node: cfg.Program.Name, Program: cfg.Program, Timers: cfg.Timers, Others: []sansio.Port{outPort}, Memory: cfg.Memory,
		Instructions: cfg.Instructions, PacketInstructions: cfg.PacketInstructions, Timing: cfg.Timing, Observer: r.watch,
	})
	if err != nil {
		return nil, err
	}
	r.watch.layout = r.pfe.Memory().Layout()
	for _, s := range cfg.Initial {
		if err := s.apply(cfg.Program, r.pfe); err != nil {
			return nil, err
		}
	}
	if cfg.Timing != nil {
		r.drain = cfg.Timing.Output
	}
	return r, nil
}

// Frame plays a frame that arrives by a port; at is not earlier than that of the frame
// before.
func (r *Run) Frame(at units.Time, port sansio.Port, frame []byte) error {
	if at < r.now {
		return fmt.Errorf("playing a frame of %v at %v: time does not go back", at, r.now)
	}
	if err := r.bearable(at.Sub(r.now)); err != nil {
		return err
	}
	if err := r.advance(at); err != nil {
		return err
	}
	r.watch.arrives(at, port, len(frame))
	r.pfe.Handle(at, []sansio.Arrival{{Port: port, Train: sansio.NewTrain(frame, 0, sansio.ChecksumAsIs)}}, &r.eff)
	return r.settle()
}

// maxRuns is how often a timer's threads may start between two packets: more is a time that is
// wrong, or a period that is. Assumed: some ten seconds of computing.
const maxRuns = 10_000_000

// bearable refuses a gap between packets in which timers would fire for ever.
func (r *Run) bearable(gap units.Duration) error {
	for _, t := range r.cfg.Timers {
		if n := int64(gap) / int64(t.Period) * int64(max(1, t.Threads)); n > maxRuns {
			return fmt.Errorf("packet %d comes %v after the one before: timer %s would start %d threads in between, and at most %d are run; give it a longer period, or cut the capture",
				r.watch.arrived+1, gap, t.Name, n, maxRuns)
		}
	}
	return nil
}

// Finish has the threads at work end and the last packets leave. Timers fire until then.
func (r *Run) Finish() error {
	for r.watch.busy() {
		next := r.pfe.NextDeadline()
		if next == units.Never {
			break
		}
		if err := r.expire(max(next, r.now)); err != nil {
			return err
		}
	}
	if err := r.expire(r.now.Add(r.drain)); err != nil {
		return err
	}
	return r.watch.flush(true)
}

// advance does what is due up to a time.
func (r *Run) advance(to units.Time) error {
	for next := r.pfe.NextDeadline(); next <= to; next = r.pfe.NextDeadline() {
		if err := r.expire(max(next, r.now)); err != nil {
			return err
		}
	}
	r.now = to
	return nil
}

func (r *Run) expire(at units.Time) error {
	r.now = at
	r.pfe.Expire(at, &r.eff)
	return r.settle()
}

// settle carries out what the PFE wants done: frames that leave, and lives that are over.
func (r *Run) settle() error {
	defer r.eff.Reset()
	for i := range r.eff.Sends {
		if err := r.send(&r.eff.Sends[i].Train); err != nil {
			return err
		}
	}
	return r.watch.flush(false)
}

func (r *Run) send(t *sansio.Train) error {
	for i := range t.Frames() {
		at := r.watch.leftAt()
		if r.cfg.Sent == nil {
			continue
		}
		var header [maxHeader]byte
		f := t.Frame(i, header[:0])
		r.buf = wire(r.buf[:0], &f)
		if err := r.cfg.Sent(at, r.buf); err != nil {
			return err
		}
	}
	return nil
}
