package live

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/inalab/inalab/harness/awake"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// Probe has one host send frames to another over a link, on real packets.
type Probe struct {
	Link   topo.LinkSpec // from the first host to the switch; all else is perfect wires
	Frames int           // 1 or more
	Size   int           // payload bytes of a frame, at least MinProbe
	Burst  int           // frames that are sent at once
	Gap    time.Duration // from one burst to the next, at least
	Catch  time.Duration // by how much late bursts may catch up, one right behind the other
	Seed   rng.Root
}

// MinProbe is the payload of the smallest frame of a probe: its number, and when it was sent.
const MinProbe = 16

// Probed is what came of a probe.
type Probed struct {
	Sent     int
	Arrivals []Arrival   // in the order in which they came
	Link     result.Link // what the switch counted of the link
	Unasked  uint64      // frames that went missing and that no link was to lose
}

// Arrival is a frame at the far end. Times are of the kernel's clock of the day, in nanoseconds: the receiver's
// kernel takes the time, so that no wake-up of a program is in it.
type Arrival struct {
	Frame    int
	Sent, At int64
}

// RunProbe brings up two hosts and a switch, and sends the frames of a probe. Links deliver as finely as in runs
// of jobs.
func RunProbe(ctx context.Context, p Probe, opt Options) (out Probed, err error) {
	if p.Frames < 1 || p.Size < MinProbe || p.Burst < 1 || p.Burst*p.Size > maxSuper {
		return out, fmt.Errorf("probe of %d frames of %d bytes, %d at once: a frame has %d bytes at least, and %d go at once at most", p.Frames, p.Size, p.Burst, MinProbe, maxSuper)
	}
	pl, err := p.plan()
	if err != nil {
		return out, err
	}
	spec := LabSpec(opt.Lab, pl, true)
	introduce(&spec, &pl.Hosts[0], &pl.Hosts[1])
	lab, err := netns.Up(ctx, spec, opt.NetNS)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, Cleanup(lab.Down())) }()
	processors, _ := awake.Keep() // without, timers are later: the measurement shows it
	defer processors.Release()
	sup := proc.NewSupervisor(proc.Config{Exe: opt.Exe, Journal: lab.Journal(), Caller: opt.Owner})
	r := prober{Probe: p, plan: pl, lab: lab, sup: sup, logs: opt.Logs}
	err = r.run(ctx, &out)
	return out, errors.Join(err, sup.Close(stopGrace))
}

// maxSuper is the largest payload of a super-packet.
const maxSuper = 65507

// plan lays out the two hosts: only what the first one sends meets the link.
func (p *Probe) plan() (*plan.Plan, error) {
	g, err := gen.ByName("rack", gen.Params{Hosts: 2})
	if err != nil {
		return nil, err
	}
	g.Links[0].AtoB = p.Link
	if g.Links[0].A.Node != "h0" {
		g.Links[0].AtoB, g.Links[0].BtoA = topo.LinkSpec{}, p.Link
	}
	return plan.New(g)
}

// prober is a probe under way.
type prober struct {
	Probe
	plan *plan.Plan
	lab  *netns.Lab
	sup  *proc.Supervisor
	logs string
}

func (r *prober) run(ctx context.Context, out *Probed) error {
	sw := &r.plan.Switches[0]
	p, err := r.sup.Start(ctx, proc.Spec{
		Node: sw.Name, Kind: "switch", NetNS: r.lab.Path(sw.Name), Log: filepath.Join(r.logs, sw.Name+".log"),
		Config: daemon.Config{Chassis: chassis.Config{Switch: *sw, MTU: r.plan.MTU, Seed: r.Seed, Quantum: linkQuantum}, RingFrames: 256},
	})
	if err != nil {
		return err
	}
	if err := waitReady(ctx, []*proc.Process{p}); err != nil {
		return err
	}
	if err := r.exchange(ctx, out); err != nil {
		return err
	}
	var report daemon.Report
	if err := p.Stop(stopGrace); err != nil {
		return err
	}
	if ok, err := p.Result(&report); err != nil || !ok {
		return errors.Join(err, errors.New("the switch ended without a report"))
	}
	for _, l := range report.Links {
		out.Link = l // there is one
	}
	out.Unasked = total(report.UnaskedDrops) + report.Device.RingDrops + total(report.Device.Drops)
	return nil
}

// settle is how long the sender waits until the last frame has arrived, for certain.
func (r *prober) settle() time.Duration {
	least := 100 * time.Millisecond
	if r.Link.Rate > 0 {
		backlog := r.Link.Rate.TimeToSend(cmp.Or(r.Link.Queue, units.MiB))
		least += time.Duration(min(backlog, 2*units.Second) / units.Nanosecond)
	}
	return least + time.Duration((r.Link.Delay+4*r.Link.Jitter)/units.Nanosecond)
}

// stamp writes number and time of sending into the frames of a burst.
func (p *Probe) stamp(b []byte, first, n int, now int64) {
	for i := range n {
		f := b[i*p.Size:]
		binary.BigEndian.PutUint64(f, uint64(first+i))
		binary.BigEndian.PutUint64(f[8:], uint64(now))
	}
}

// read takes the frames of a super-packet, and reports whether one of them is the end.
func (p *Probe) read(b []byte, at int64, list []Arrival) (_ []Arrival, end bool) {
	for f := range slices.Chunk(b, p.Size) {
		if len(f) < MinProbe {
			continue
		}
		n := int(binary.BigEndian.Uint64(f))
		if n == p.Frames {
			return list, true
		}
		list = append(list, Arrival{Frame: n, Sent: int64(binary.BigEndian.Uint64(f[8:])), At: at})
	}
	return list, false
}
