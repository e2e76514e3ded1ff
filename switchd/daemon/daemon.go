package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/afpacket"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/shell"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/transit"
)

// Answer says where things stand in a switch, with times from the epoch.
type Answer = shell.Answer[chassis.Snapshot]

// Report is what a switch has to say at the end of its run.
type Report struct {
	Node         string             `json:"node"`
	Counters     []sansio.Count     `json:"counters"`
	AskedDrops   []sansio.Count     `json:"asked_drops"`   // by links, as configured
	UnaskedDrops []sansio.Count     `json:"unasked_drops"` // in the chassis; those of the device are in Device
	Ports        []chassis.PortStat `json:"ports"`
	Links        []result.Link      `json:"links"` // from the epoch on
	Device       pktio.Stats        `json:"device"`
	Drive        pktio.Report       `json:"drive"`
	Trace        TraceStats         `json:"trace"`
}

// Run is the life of a switch in the network namespace of the calling thread,
// until ctx ends. The report is valid beside an error, as far as the switch
// came. The system is the one that cfg.Chassis names; nil where it names none.
func Run(ctx context.Context, cfg Config, system System, parent shell.Parent) (Report, error) {
	open := func() (pktio.Device, error) { return afpacket.Open(cfg.ports()) }
	return life{cfg, system, open}.run(ctx, parent)
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

func (l life) run(ctx context.Context, parent shell.Parent) (report Report, err error) {
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
	d.equip(dev)
	if err := errors.Join(d.openControl(), d.openService()); err != nil {
		return d.report(dev.Stats(), pktio.Report{}), errors.Join(err, d.closeControl(), d.closeService(), dev.Close())
	}
	d.openRefusals()
	drive, err := d.drive(ctx, parent)
	return d.report(dev.Stats(), drive), errors.Join(err, dev.Close())
}

type daemon struct {
	cfg      Config
	chassis  *chassis.Chassis
	trace    *traceWriter
	log      *trace.Log        // nil: events are not kept
	control  *control.Listener // nil: none was asked for
	service  *service          // nil: clients are not answered
	refusals refusals
	system   System // whose programs these are; nil: the switch only forwards
	originNs int64  // when the clock of the chassis reads zero
	begun    bool   // the chassis knows the epoch

	node shell.Node[chassis.Snapshot]
}

func newDaemon(cfg Config, system System, w *traceWriter) (*daemon, error) {
	d := &daemon{cfg: cfg, system: system, trace: w}
	var sink trace.Sink
	if cfg.TracePath != "" {
		sink = w
	}
	if d.log = shell.NewLog(cfg.Events); d.log != nil {
		sink = trace.Join(sink, d.log)
	}
	var newEngine transit.NewEngine
	if system != nil {
		newEngine = system.NewEngine
	}
	var err error
	if d.chassis, err = chassis.New(cfg.Chassis, transit.Maker(cfg.Chassis.System, newEngine), sink); err != nil {
		return nil, err
	}
	d.originNs = pktio.MonotonicNow()
	return d, nil
}

// equip gives the switch its device.
func (d *daemon) equip(dev pktio.Device) {
	sw := &d.cfg.Chassis.Switch
	d.node = shell.Node[chassis.Snapshot]{
		Machine: d.chassis, Device: newPanel(d.serviceDevice(dev), sw.Ports),
		Look: d.look, Busy: chassis.Snapshot{Node: sw.Name},
		Clock: pktio.NewClock(d.originNs), Started: d.started, Done: d.begin,
	}
}

// started notes the epoch, and wakes the drive, which has the chassis begin.
func (d *daemon) started(epochNs int64) {
	d.trace.start(epochNs - d.originNs)
	d.node.Device.Wake()
}

// begin tells the chassis the epoch once it is known, and looks for refused jobs, before the
// next round of the drive. A switch is never done by itself.
func (d *daemon) begin() (done bool) {
	d.refusals.look()
	if !d.begun && d.trace.started.Load() {
		d.begun = true
		d.chassis.Begin(units.Time(d.trace.epoch.Load()))
	}
	return false
}

// drive forwards until ctx ends or something breaks.
func (d *daemon) drive(ctx context.Context, parent shell.Parent) (pktio.Report, error) {
	endControl, endService, endRefusals := d.serveControl(), d.serveService(), d.serveRefusals(parent)
	report, err := d.node.Run(ctx, parent)
	return report, errors.Join(err, endControl(), endService(), endRefusals())
}

// look returns the state of the switch, with times from the epoch.
func (d *daemon) look() chassis.Snapshot {
	s := d.chassis.Snapshot(d.log)
	if s.Last != nil {
		s.Last.At -= units.Time(d.trace.epoch.Load())
	}
	return s
}

func (d *daemon) report(dev pktio.Stats, drive pktio.Report) Report {
	return Report{
		Node:         d.cfg.Chassis.Switch.Name,
		Counters:     d.chassis.Counters(),
		AskedDrops:   d.chassis.AskedDrops(),
		UnaskedDrops: d.chassis.UnaskedDrops(),
		Ports:        d.chassis.PortStats(),
		Links:        d.links(),
		Device:       dev,
		Drive:        drive,
	}
}

// links returns what links came to from the epoch on, or from the start of a switch that
// came later.
func (d *daemon) links() []result.Link {
	epoch := units.Time(d.trace.epoch.Load())
	out := d.chassis.Links(max(0, epoch), 0)
	for i := range out {
		out[i].Since = max(0, -epoch)
	}
	return out
}

// writeEvents leaves the events of the run to the parent; there are none before
// it was started.
func (d *daemon) writeEvents() error {
	if !d.trace.started.Load() {
		return nil
	}
	return shell.WriteLog(d.log, d.cfg.EventsPath, units.Time(d.trace.epoch.Load()))
}
