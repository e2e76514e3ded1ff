package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/afpacket"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Control is the daemon's side of its conversation with whoever started it. The
// end of Run's context is the command to stop.
type Control interface {
	// Ready says that the switch forwards.
	Ready() error
	// AwaitStart returns the epoch of the run, an instant of
	// [pktio.MonotonicNow] in nanoseconds, once the run is started, or an error
	// once ctx has ended.
	AwaitStart(ctx context.Context) (epochNs int64, err error)
	// AwaitAsk returns when the parent wants to know where things stand, or an
	// error once ctx has ended or nobody will ask any more.
	AwaitAsk(ctx context.Context) error
	// Answer tells it.
	Answer(Answer) error
}

// Answer says where things stand in a switch, with times from the epoch.
type Answer struct {
	Busy  bool             `json:"busy"` // too busy to look: State is empty
	State chassis.Snapshot `json:"state"`
}

// Report is what a switch has to say at the end of its run.
type Report struct {
	Node         string             `json:"node"`
	Counters     []sansio.Count     `json:"counters"`
	AskedDrops   []sansio.Count     `json:"asked_drops"`   // by links, as configured
	UnaskedDrops []sansio.Count     `json:"unasked_drops"` // in the chassis; those of the device are in Device
	Ports        []chassis.PortStat `json:"ports"`
	Device       pktio.Stats        `json:"device"`
	Drive        pktio.Report       `json:"drive"`
	Trace        TraceStats         `json:"trace"`
}

// Run is the life of a switch in the network namespace of the calling thread,
// until ctx ends. The report is valid beside an error, as far as the switch
// came. The system is the one that cfg.Chassis names; nil where it names none.
func Run(ctx context.Context, cfg Config, system System, ctl Control) (Report, error) {
	open := func() (pktio.Device, error) { return afpacket.Open(cfg.ports()) }
	return life{cfg, system, open}.run(ctx, ctl)
}

// System is what a switch is told of the system whose programs it runs. It may also be
// a [control.Layouter], whose jobs come and go, and a [ServiceMaker].
type System interface {
	// NewEngine makes the engine of a PFE, as [chassis.NewEngine] says.
	NewEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error)
}

// life is what a switch lives with.
type life struct {
	cfg    Config
	system System
	open   func() (pktio.Device, error) // of any kind, whose ports are the wired ones in order
}

func (l life) run(ctx context.Context, ctl Control) (report Report, err error) {
	cfg, name := l.cfg, l.cfg.Chassis.Switch.Name
	defer func() {
		if err != nil {
			err = fmt.Errorf("switch %s: %w", name, err)
		}
	}()
	if err := cfg.validate(); err != nil {
		return Report{Node: name}, err
	}
	w, err := newTraceWriter(cfg.TracePath)
	if err != nil {
		return Report{Node: name}, err
	}
	defer func() {
		err = errors.Join(err, w.close())
		report.Trace = w.stats
	}()
	d, err := newDaemon(cfg, l.system, w)
	if err != nil {
		return Report{Node: name}, err
	}
	defer func() { err = errors.Join(err, d.writeEvents()) }()
	dev, err := l.open()
	if err != nil {
		return d.report(pktio.Stats{}, pktio.Report{}), fmt.Errorf("open ports: %w", err)
	}
	if err := errors.Join(d.openControl(), d.openService(dev)); err != nil {
		return d.report(dev.Stats(), pktio.Report{}), errors.Join(err, d.closeControl(), d.closeService(), dev.Close())
	}
	drive, err := d.drive(ctx, dev, ctl)
	return d.report(dev.Stats(), drive), errors.Join(err, dev.Close())
}

type daemon struct {
	cfg      Config
	chassis  *chassis.Chassis
	trace    *traceWriter
	log      *trace.Log        // nil: events are not kept
	control  *control.Listener // nil: none was asked for
	service  *service          // nil: clients are not answered
	system   System            // whose programs these are; nil: the switch only forwards
	originNs int64             // when the clock of the chassis reads zero

	asking sync.Mutex // guards desk: it takes one question at a time
	desk   pktio.Desk
}

func newDaemon(cfg Config, system System, w *traceWriter) (*daemon, error) {
	d := &daemon{cfg: cfg, system: system, trace: w}
	var sink trace.Sink
	if cfg.TracePath != "" {
		sink = w
	}
	if cfg.Events > 0 {
		d.log = trace.NewLog(cfg.Events)
		sink = trace.Join(sink, d.log)
	}
	var newEngine chassis.NewEngine
	if system != nil {
		newEngine = system.NewEngine
	}
	var err error
	if d.chassis, err = chassis.New(cfg.Chassis, newEngine, sink); err != nil {
		return nil, err
	}
	d.originNs = pktio.MonotonicNow()
	return d, nil
}

// drive forwards until ctx ends or something breaks.
func (d *daemon) drive(ctx context.Context, dev pktio.Device, ctl Control) (pktio.Report, error) {
	if err := ctl.Ready(); err != nil {
		return pktio.Report{}, errors.Join(fmt.Errorf("say ready: %w", err), d.closeControl(), d.closeService())
	}
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	var startErr error
	clock := pktio.NewClock(d.originNs)
	endControl, endService := d.serveControl(dev, clock), d.serveService()
	waiting.Go(func() {
		epochNs, err := ctl.AwaitStart(ctx)
		switch {
		case err == nil:
			d.trace.start(epochNs - d.originNs)
			startErr = d.answer(ctx, dev, ctl)
		case ctx.Err() == nil:
			startErr = fmt.Errorf("await start: %w", err)
			cancel()
		}
	})
	report, err := pktio.Drive(ctx, pktio.DriveConfig{
		Machine: d.chassis,
		Device:  newPanel(d.serviceDevice(dev), d.cfg.Chassis.Switch.Ports),
		Clock:   clock,
		Done:    func() bool { d.desk.Answer(); return false },
	})
	cancel()
	waiting.Wait()
	return report, errors.Join(startErr, err, endControl(), endService())
}

func (d *daemon) report(dev pktio.Stats, drive pktio.Report) Report {
	return Report{
		Node:         d.cfg.Chassis.Switch.Name,
		Counters:     d.chassis.Counters(),
		AskedDrops:   d.chassis.AskedDrops(),
		UnaskedDrops: d.chassis.UnaskedDrops(),
		Ports:        d.chassis.PortStats(),
		Device:       dev,
		Drive:        drive,
	}
}
