package daemon

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/pktiotest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// parent plays the parent of a daemon.
type parent struct {
	ready chan struct{}
	start chan int64
	fail  error // of Ready

	ask     chan struct{}
	answers chan Answer
}

func newParent() *parent {
	return &parent{ready: make(chan struct{}), start: make(chan int64, 1), ask: make(chan struct{}), answers: make(chan Answer)}
}

func (c *parent) Ready() error { close(c.ready); return c.fail }

var errNeverStarted = errors.New("never started")

func (c *parent) AwaitStart(ctx context.Context) (int64, error) {
	select {
	case ns, ok := <-c.start:
		if !ok {
			return 0, errNeverStarted
		}
		return ns, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (c *parent) AwaitAsk(ctx context.Context) error {
	select {
	case <-c.ask:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *parent) Answer(a any) error { c.answers <- a.(Answer); return nil }

// twoLevels is a chassis with a host on each of two PFEs and a third on top.
func twoLevels(p *plan.Plan) chassis.Config {
	sw := p.Switches[0]
	out := inet.Flow{SrcMAC: inet.MAC(sw.MAC), DstMAC: inet.MulticastMAC(plan.Group(0)), Src: sw.Router, Dst: plan.Group(0), SrcPort: wire.Port, DstPort: wire.Port}
	leaf := func(host, pfe uint8) trioml.Config {
		return trioml.Config{Node: fmt.Sprintf("mx480/pfe%d", pfe), Jobs: []trioml.Job{{ID: 1, Sources: []uint8{host}, Out: out, OutSource: 10 + host, To: []sansio.Port{dataplane.Fabric(3)}}}}
	}
	top := trioml.Config{Node: "mx480/pfe4", Jobs: []trioml.Job{{ID: 1, Sources: []uint8{10, 11}, Out: out, To: []sansio.Port{0, 4}}}}
	cfg := chassis.Config{Switch: sw}
	for _, program := range []trioml.Config{leaf(0, 1), leaf(1, 2), {}, top} {
		text, err := json.Marshal(program)
		if err != nil {
			panic(err) // plain data
		}
		cfg.Programs = append(cfg.Programs, text)
	}
	return cfg
}

// block is one packet of one host's gradients, {1} for each.
func block(h *plan.Host, gen int) sansio.Train {
	return chassistest.Contribution(h, wire.Header{Job: 1, Gen: uint16(gen), Block: 5}, 1)
}

// memory is a chassis on an in-memory device with a host at each wired port.
type memory struct {
	plan  *plan.Plan
	dev   *pktiotest.Device
	hosts []*pktiotest.Device
}

func newMemory(t *testing.T) *memory {
	m := &memory{plan: chassistest.Plan(t, "mx480", gen.Params{Hosts: 2})}
	m.dev = pktiotest.New(2, nil)
	for i := range m.plan.Hosts {
		m.hosts = append(m.hosts, pktiotest.New(1, nil))
		pktiotest.Link(m.dev, sansio.Port(i), m.hosts[i], 0)
	}
	return m
}

// reduce sends a block by both hosts and wants the sum at both.
func (m *memory) reduce(t *testing.T, gen int) {
	t.Helper()
	for i, dev := range m.hosts {
		if err := dev.Send([]sansio.Send{{To: []sansio.Port{0}, Train: block(&m.plan.Hosts[i], gen)}}); err != nil {
			t.Fatal(err)
		}
	}
	for i, dev := range m.hosts {
		in, err := dev.Recv(patience)
		if err != nil || len(in) != 1 {
			t.Fatalf("host %d: %d trains, %v", i, len(in), err)
		}
		h, problem := wire.Parse(in[0].Train.Body)
		if sum := binary.BigEndian.Uint32(in[0].Train.Body[wire.HeaderLen:]); problem != wire.OK || sum != 2 || h.SrcCnt != 2 || int(h.Gen) != gen {
			t.Fatalf("host %d got %+v with sum %d (%s)", i, h, sum, problem)
		}
	}
}

// The switch works before the run starts; the trace begins with it, and counts
// from its epoch.
func TestLifeOfASwitch(t *testing.T) {
	m := newMemory(t)
	ctl := newParent()
	path := filepath.Join(t.TempDir(), "trace")
	w, err := newTraceWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	eventsPath := filepath.Join(t.TempDir(), "events")
	d, err := newDaemon(Config{Chassis: twoLevels(m.plan), TracePath: path, Events: 1, EventsPath: eventsPath}, maker(chassistest.TrioML), w)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	d.equip(m.dev)
	go func() { _, err := d.drive(ctx, ctl); ended <- err }()
	<-ctl.ready
	m.reduce(t, 1)
	epoch := pktio.MonotonicNow()
	ctl.start <- epoch
	gen := 2
	for ; !w.started.Load(); gen++ {
		m.reduce(t, gen)
	}
	m.reduce(t, gen)
	checkAnswer(t, ctl, gen)
	took := pktio.MonotonicNow() - epoch
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	checkEvents(t, d, took)
	events := readTrace(t, path)
	var nodes []string
	for _, e := range events[len(events)-3:] {
		if e.At < 0 || int64(e.At) > 1000*took || e.Kind != trace.BlockSent || int(e.Gen) != gen {
			t.Errorf("event %+v in a run of %d ns", e, took)
		}
		nodes = append(nodes, e.Node)
	}
	slices.Sort(nodes)
	if want := []string{"mx480/pfe1", "mx480/pfe2", "mx480/pfe4"}; !slices.Equal(nodes, want) {
		t.Errorf("the last block was sent by %v, want %v", nodes, want)
	}
	if s := w.stats; s.BeforeStart < 3 || int(s.Written) != len(events) || int(s.Written+s.BeforeStart) != 3*gen {
		t.Errorf("statistics %+v after %d generations with %d lines", s, gen, len(events))
	}
	report := d.report(m.dev.Stats(), pktio.Report{})
	want := []chassis.PortStat{
		{Port: 0, Name: "et-0-0-0", In: chassis.Volume{Frames: uint64(gen), Bytes: 58 * uint64(gen)}, Out: chassis.Volume{Frames: uint64(gen), Bytes: 58 * uint64(gen)}},
		{Port: 4, Name: "et-0-1-0", In: chassis.Volume{Frames: uint64(gen), Bytes: 58 * uint64(gen)}, Out: chassis.Volume{Frames: uint64(gen), Bytes: 58 * uint64(gen)}},
	}
	if diff := cmp.Diff(want, report.Ports); diff != "" || len(report.UnaskedDrops) != 0 {
		t.Errorf("drops %v, ports (-want +got):\n%s", report.UnaskedDrops, diff)
	}
}

// checkEvents reads the log of a switch as its parent does.
func checkEvents(t *testing.T, d *daemon, took int64) {
	t.Helper()
	if err := d.writeEvents(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(d.cfg.EventsPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, err := trace.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	last, ok := log.Last()
	if !ok || last.At < 0 || int64(last.At) > 1000*took || log.Len() == d.log.Len() {
		t.Errorf("%d of %d events in a run of %d ns, the last %+v", log.Len(), d.log.Len(), took, last)
	}
}

// checkAnswer asks the running switch where things stand.
func checkAnswer(t *testing.T, ctl *parent, gen int) {
	t.Helper()
	ctl.ask <- struct{}{}
	a := <-ctl.answers
	if a.Busy || a.State.Node != "mx480" || len(a.State.Links) < 4 || len(a.State.Engines) != 4 {
		t.Fatalf("answer %+v", a)
	}
	if last := a.State.Last; last == nil || int(last.Gen) != gen || last.At < 0 {
		t.Errorf("last event %+v", last)
	}
}

func TestEndsWithAReport(t *testing.T) {
	good := func(m *memory) Config { return Config{Chassis: twoLevels(m.plan)} }
	for name, tc := range map[string]struct {
		prepare func(m *memory, c *parent, stop func()) Config
		openErr error
		want    string
	}{
		"stopped before start": {prepare: func(m *memory, _ *parent, stop func()) Config { stop(); return good(m) }},
		"parent gone":          {prepare: func(m *memory, c *parent, _ func()) Config { close(c.start); return good(m) }, want: "switch mx480: await start: never started"},
		"parent deaf":          {prepare: func(m *memory, c *parent, _ func()) Config { c.fail = errors.New("broken pipe"); return good(m) }, want: "switch mx480: say ready: broken pipe"},
		"device breaks": {prepare: func(m *memory, _ *parent, _ func()) Config {
			m.dev.Break(errors.New("port p0 is gone"))
			return good(m)
		},
			want: "switch mx480: receive: port p0 is gone"},
		"no ports": {prepare: func(m *memory, _ *parent, _ func()) Config { return good(m) }, openErr: errors.New("no such interface"), want: "switch mx480: open ports: no such interface"},
		"bad ring": {prepare: func(m *memory, _ *parent, _ func()) Config { c := good(m); c.RingFrames = -1; return c },
			want: "switch mx480: ring of -1 frames: it must be positive, or zero for 64"},
		"bad trace": {prepare: func(m *memory, _ *parent, _ func()) Config { c := good(m); c.TracePath = "/nowhere/x"; return c },
			want: "switch mx480: create trace: open /nowhere/x: no such file or directory"},
		"unwired": {prepare: func(m *memory, _ *parent, _ func()) Config { c := good(m); c.Chassis.Switch.Ports = nil; return c },
			want: "switch mx480: no port has a link: the switch would have nothing to do"},
	} {
		t.Run(name, func(t *testing.T) {
			m, ctl := newMemory(t), newParent()
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			cfg := tc.prepare(m, ctl, stop)
			open := func() (pktio.Device, error) {
				if tc.openErr != nil {
					return nil, tc.openErr
				}
				return m.dev, nil
			}
			report, err := life{cfg, maker(chassistest.TrioML), open}.run(ctx, ctl)
			if got := fmt.Sprint(err); (tc.want == "") != (err == nil) || err != nil && got != tc.want {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if report.Node != "mx480" {
				t.Errorf("report of %q", report.Node)
			}
		})
	}
}
