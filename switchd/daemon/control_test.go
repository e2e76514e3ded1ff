package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/pktiotest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// asked is a control client that wants no errors.
type asked struct {
	t *testing.T
	*control.Client
}

func dial(t *testing.T, path string) asked {
	t.Helper()
	c, err := control.Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return asked{t, c}
}

func (a asked) must(r control.Request) control.Response {
	a.t.Helper()
	out, err := a.Do(a.t.Context(), r)
	if err != nil {
		a.t.Fatal(err)
	}
	return out
}

// column returns the values of a column of a view, by PFE and job.
func (a asked) column(v dataplane.View, key string) map[[2]string]string {
	a.t.Helper()
	out := map[[2]string]string{}
	for _, e := range a.must(control.Request{Op: control.OpShow, View: v}).Tables {
		for _, row := range e.Table.Rows {
			for i, c := range e.Table.Columns {
				if c.Key == key {
					out[[2]string{e.PFE, row[0].String()}] = row[i].String()
				}
			}
		}
	}
	return out
}

// contribute has a host send a gradient of one for a job.
func (m *memory) contribute(t *testing.T, job, host int) {
	t.Helper()
	train := chassistest.Contribution(&m.plan.Hosts[host], wire.Header{Job: uint8(job)}, 1)
	if err := m.hosts[host].Send([]sansio.Send{{To: []sansio.Port{0}, Train: train}}); err != nil {
		t.Fatal(err)
	}
}

// take wants a result of a job at a host.
func (m *memory) take(t *testing.T, job, host int) {
	t.Helper()
	in, err := m.hosts[host].Recv(patience)
	if err != nil || len(in) != 1 {
		t.Fatalf("host %d: %d trains, %v", host, len(in), err)
	}
	train := &in[0].Train
	h, problem := wire.Parse(train.Body)
	l, _ := train.Layout()
	if problem != wire.OK || int(h.Job) != job || h.SrcCnt != 2 || inet.FlowOf(train.Header, l).Dst != plan.Group(uint16(job)) {
		t.Fatalf("host %d got %+v (%s)", host, h, problem)
	}
}

// onTwoLevels lays every job that is asked for over the PFEs of [twoLevels].
type onTwoLevels struct {
	maker
	plan *plan.Plan
}

func (onTwoLevels) Protocol() string { return trioml.Protocol }

func (l onTwoLevels) LayOut(sw *plan.Switch, _ int, job json.RawMessage) (control.Layout, error) {
	var asked struct{ ID int }
	if err := json.Unmarshal(job, &asked); err != nil {
		return control.Layout{}, err
	}
	group := plan.Group(uint16(asked.ID))
	out := inet.Flow{SrcMAC: inet.MAC(sw.MAC), DstMAC: inet.MulticastMAC(group), Src: sw.Router, Dst: group, SrcPort: wire.Port, DstPort: wire.Port}
	part := func(pfe int, source uint8, to []sansio.Port, from ...uint8) control.Part {
		return control.Part{PFE: pfe, Document: &trioml.Job{ID: uint8(asked.ID), Sources: from, Out: out, OutSource: source, To: to}}
	}
	up := []sansio.Port{dataplane.Fabric(3)}
	return control.Layout{ID: asked.ID, Parts: []control.Part{part(3, 0, []sansio.Port{0, 4}, 10, 11), part(0, 10, up, 0), part(1, 11, up, 1)}}, nil
}

// While a switch forwards, somebody gives it a job, whose packets it then adds up,
// sees its counters, and takes it away. The job that it had goes on.
func TestJobsOfARunningSwitch(t *testing.T) {
	m := newMemory(t)
	ctl := newParent()
	path := control.SocketPath(t.TempDir(), "mx480")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	open := func() (pktio.Device, error) { return m.dev, nil }
	go func() {
		_, err := life{Config{Chassis: twoLevels(m.plan), Control: path}, onTwoLevels{maker(chassistest.TrioML), m.plan}, open}.run(ctx, ctl)
		ended <- err
	}()
	<-ctl.ready
	c := dial(t, path)
	m.reduce(t, 1)
	if out := c.must(control.Request{Op: control.OpAddJob, Job: json.RawMessage(`{"id":2}`)}); len(out.Added.Tables) != 3 {
		t.Fatalf("added %+v", out.Added)
	}
	m.contribute(t, 2, 0)
	m.contribute(t, 2, 1)
	m.take(t, 2, 0)
	m.take(t, 2, 1)
	m.reduce(t, 2)
	results := c.column(dataplane.ViewJobs, "results")
	if results[[2]string{"pfe4", "2"}] != "1" || results[[2]string{"pfe4", "1"}] != "2" || results[[2]string{"pfe1", "2"}] != "1" {
		t.Errorf("results %v", results)
	}
	if idle := c.column(dataplane.ViewJobs, "idle_us"); idle[[2]string{"pfe1", "1"}] == "" || idle[[2]string{"pfe4", "2"}] == "" {
		t.Errorf("time since the last packet: %v", idle)
	}
	first := c.must(control.Request{Op: control.OpShow, View: dataplane.ViewJobs}).At
	if at := c.must(control.Request{Op: control.OpShow, View: dataplane.ViewJobs}).At; first <= 0 || at <= first {
		t.Errorf("views of %v and, later, %v", first, at)
	}
	if out := c.must(control.Request{Op: control.OpRemoveJob, ID: new(2)}); len(out.Removed) != 3 {
		t.Errorf("removed %+v", out.Removed)
	}
	m.contribute(t, 2, 0)
	m.reduce(t, 3) // the packet before it has been through
	if n := c.column(dataplane.ViewStats, "n")[[2]string{"pfe1", "trioml-unknown-job"}]; n != "1" {
		t.Errorf("%q packets of an unknown job, want 1", n)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

// Where the loop does not get to a request, the answer is that it is busy; nothing
// is done later.
func TestBusySwitch(t *testing.T) {
	m := newMemory(t)
	w, err := newTraceWriter("")
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDaemon(Config{Chassis: twoLevels(m.plan)}, maker(chassistest.TrioML), w)
	if err != nil {
		t.Fatal(err)
	}
	d.equip(m.dev)
	out := d.manage(control.Request{Version: control.Version, Op: control.OpRemoveJob, ID: new(1)})
	if out.Fault != control.FaultBusy || out.Switch != "mx480" {
		t.Errorf("answer %+v", out)
	}
	if got := d.chassis.Snapshot(nil).Engines[0].Sources.Len(); got != 1 {
		t.Errorf("job 1 has %d sources: it was removed though nobody was told", got)
	}
}

func TestSocketThatCannotBe(t *testing.T) {
	m := newMemory(t)
	open := func() (pktio.Device, error) { return pktiotest.New(2, nil), nil }
	path := filepath.Join(t.TempDir(), "gone", "mx480.sock")
	_, err := life{Config{Chassis: twoLevels(m.plan), Control: path}, maker(chassistest.TrioML), open}.run(t.Context(), newParent())
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
