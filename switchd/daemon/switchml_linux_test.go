package daemon_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	system "github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/internal/wire/switchmlproto"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// switchmlEngine is an engine that takes SwitchML jobs.
type switchmlEngine struct {
	name string
	make func(node string, router netip.Addr, mac inet.MAC, sink trace.Sink) (dataplane.Engine, error)
}

// switchmlEngines are those that the public client is tried with.
var switchmlEngines = []switchmlEngine{
	{"reference", func(node string, router netip.Addr, mac inet.MAC, sink trace.Sink) (dataplane.Engine, error) {
		return reference.New(switchml.Config{Node: node, Router: router, MAC: mac, Trace: sink})
	}},
	{"pipeline", func(node string, router netip.Addr, mac inet.MAC, sink trace.Sink) (dataplane.Engine, error) {
		return pipeline.New(switchml.Config{Node: node, Router: router, MAC: mac, Trace: sink}, pipeline.Options{})
	}},
}

// madeOf is SwitchML with an engine of the test's own.
type madeOf struct {
	system.System
	make func(sink trace.Sink) (dataplane.Engine, error)
}

func (m madeOf) NewEngine(_ json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	return m.make(sink)
}

// sessionLab is a rack whose switch runs SwitchML, and a management network that
// its hosts' clients reach the switch by.
type sessionLab struct {
	*lab
	sw         *plan.Switch
	management ns.NetNS
}

const managementAddr = "192.168.99.1:50099"

func newSessionLab(t *testing.T, hosts int, e switchmlEngine) *sessionLab {
	t.Helper()
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: hosts})
	l := &sessionLab{&lab{t: t, plan: p, spaces: map[string]ns.NetNS{}, reports: map[string]daemon.Report{}}, &p.Switches[0], netnstest.NewSpace(t)}
	for i := range p.Hosts {
		l.spaces[p.Hosts[i].Name] = netnstest.NewSpace(t)
	}
	l.spaces[l.sw.Name] = netnstest.NewSpace(t)
	for i, w := range p.Wires {
		l.wire(i, w)
		netnstest.AwaitUp(t, l.spaces[w.A.Node], w.A.Iface)
		netnstest.AwaitUp(t, l.spaces[w.B.Node], w.B.Iface)
	}
	netnstest.Connect(t, netnstest.Wire{
		A: netnstest.End{Space: l.management, Iface: "eth0", Addr: netip.MustParsePrefix("192.168.99.2/24")},
		B: netnstest.End{Space: l.spaces[l.sw.Name], Iface: "management", Addr: netip.MustParsePrefix("192.168.99.1/24")}, Index: 2 * firstIndex,
	})
	l.system = madeOf{make: func(sink trace.Sink) (dataplane.Engine, error) {
		return e.make(l.sw.Name, l.sw.Router, inet.MAC(l.sw.MAC), sink)
	}}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	t.Cleanup(l.end)
	l.startSwitch(ctx, l.sw, func(c *daemon.Config) {
		c.Chassis.Programs = []json.RawMessage{json.RawMessage("{}")}
		c.Service = &daemon.ServiceConfig{Listen: managementAddr, Config: json.RawMessage(`{"Slots":1024}`), FramesFrom: wire.Port}
	})
	return l
}

// worker is one worker, from its set-up on.
type worker struct {
	publicClient
	conn *grpc.ClientConn
	switchmlproto.SessionClient
	switchmlproto.SyncClient
	rank, n int
	id      uint64
	ended   bool
}

// worker takes a host over for a rank of a job.
func (l *sessionLab) worker(host, rank, n, elements int) *worker {
	l.t.Helper()
	h := &l.plan.Hosts[host]
	w := &worker{rank: rank, n: n, publicClient: publicClient{
		rawHost: rawHost{mac: h.MAC, ip: h.Addr.Addr().As4(), elements: elements, sport: 4000},
		threads: 2, window: 8, dice: rand.New(rand.NewPCG(1, uint64(rank))),
	}}
	l.in(h.Name, func() error {
		link, err := netlink.LinkByName(h.Iface)
		if err != nil {
			return err
		}
		return w.open(link.Attrs().Index)
	})
	dial := func(ctx context.Context, addr string) (conn net.Conn, err error) {
		err = l.management.Do(func(ns.NetNS) (err error) {
			var d net.Dialer
			conn, err = d.DialContext(ctx, "tcp4", addr)
			return err
		})
		return conn, err
	}
	conn, err := grpc.NewClient("passthrough:///"+managementAddr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(dial))
	if err != nil {
		l.t.Fatal(err)
	}
	w.conn, w.SessionClient, w.SyncClient = conn, switchmlproto.NewSessionClient(conn), switchmlproto.NewSyncClient(conn)
	l.t.Cleanup(func() { w.end(l.t) })
	return w
}

// end is the end of a worker, be it by death.
func (w *worker) end(t testing.TB) {
	if w.ended {
		return
	}
	w.ended = true
	if err := errors.Join(w.close(), w.conn.Close()); err != nil {
		t.Error(err)
	}
}

// setUp is the order of the public client; rank 0 makes up the id.
func (w *worker) setUp(ctx context.Context, id uint64) error {
	r, err := w.Broadcast(ctx, &switchmlproto.BroadcastRequest{Value: id, Rank: uint32(w.rank), NumWorkers: uint32(w.n)})
	if err != nil {
		return err
	}
	w.id = r.GetValue()
	barrier := func(ctx context.Context) error {
		_, err := w.Barrier(ctx, &switchmlproto.BarrierRequest{NumWorkers: uint32(w.n)})
		return err
	}
	steps := []func(context.Context) error{barrier, w.sessionWhenFree, barrier}
	if w.rank == 0 {
		steps = []func(context.Context) error{w.sessionWhenFree, barrier, barrier}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sessionWhenFree is session once the switch has heard of the end of whoever was in the worker's place before.
func (w *worker) sessionWhenFree(ctx context.Context) error {
	for {
		err := w.session(ctx)
		if status.Code(err) != codes.AlreadyExists {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// session learns the addresses of the switch.
func (w *worker) session(ctx context.Context) error {
	size := switchmlproto.PacketSize_PACKET_SIZE_256
	if w.elements == 256 {
		size = switchmlproto.PacketSize_PACKET_SIZE_1024
	}
	mac := binary.BigEndian.Uint64(append([]byte{0, 0}, w.mac[:]...))
	r, err := w.UdpSession(ctx, &switchmlproto.UdpSessionRequest{
		SessionId: w.id, Rank: uint32(w.rank), NumWorkers: uint32(w.n), Mac: mac, Ipv4: binary.BigEndian.Uint32(w.ip[:]), PacketSize: size,
	})
	if err != nil {
		return err
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], r.GetMac())
	copy(w.switchMAC[:], b[2:])
	binary.BigEndian.PutUint32(w.switchIP[:], r.GetIpv4())
	return nil
}

// job returns n workers, on hosts from the first, whose job is set up.
func (l *sessionLab) job(id uint64, first, n, elements int) (ws []*worker) {
	l.t.Helper()
	for rank := range n {
		ws = append(ws, l.worker(first+rank, rank, n, elements))
	}
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	each(l.t, ws, func(w *worker) error { return w.setUp(ctx, id) })
	return ws
}

// each runs f for all workers at once and wants no error.
func each(t testing.TB, ws []*worker, f func(*worker) error) {
	t.Helper()
	errs := make([]error, len(ws))
	var running sync.WaitGroup
	for i, w := range ws {
		running.Go(func() { errs[i] = f(w) })
	}
	running.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("rank %d: %v", i, err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// The public client's jobs, one after the other on one set-up: integers and scaled
// floats, both packet sizes, two to four workers, with and without loss.
func TestPublicClient(t *testing.T) {
	for _, e := range switchmlEngines {
		for _, tc := range []struct {
			workers, elements int
			loss              float64
		}{{2, 64, 0}, {2, 256, 0.05}, {3, 64, 0.05}, {4, 256, 0}} {
			t.Run(fmt.Sprintf("%s/%d workers/%d values/loss %v", e.name, tc.workers, tc.elements, tc.loss), func(t *testing.T) {
				l := newSessionLab(t, tc.workers, e)
				ws := l.job(1<<40, 0, tc.workers, tc.elements)
				for _, w := range ws {
					w.loss = tc.loss
				}
				dice := rand.New(rand.NewPCG(2, uint64(tc.workers)))
				for job, packets := range []int{1, 50, 7, 33} {
					reduceIntegers(t, dice, ws, packets)
					reduceFloats(t, dice, ws, packets+job)
				}
				resent := 0
				for _, w := range ws {
					resent += w.resent
				}
				if tc.loss > 0 && resent == 0 {
					t.Error("nothing was sent twice: the test shows nothing of loss")
				}
				l.end()
				if r := l.reports[l.sw.Name]; len(r.UnaskedDrops) > 0 {
					t.Errorf("drops %v", r.UnaskedDrops)
				}
			})
		}
	}
}

// reduceIntegers runs a job of integers that wrap, with blocks of zeros among them.
func reduceIntegers(t *testing.T, dice *rand.Rand, ws []*worker, packets int) {
	t.Helper()
	elements := ws[0].elements
	sums := make([][]int32, packets)
	tensors := make([]*integers, len(ws))
	for i := range ws {
		tensors[i] = &integers{make([][]int32, packets), make([][]int32, packets)}
		for p := range packets {
			sums[p] = append(sums[p], make([]int32, elements-len(sums[p]))...)
			tensors[i].got[p] = make([]int32, elements)
			tensors[i].sent[p] = make([]int32, elements)
			for k := range elements {
				if p%5 != 4 {
					tensors[i].sent[p][k] = int32(dice.Uint32())
				}
				sums[p][k] += tensors[i].sent[p][k]
			}
		}
	}
	each(t, ws, func(w *worker) error { return w.reduce(tensors[w.rank]) })
	for i, v := range tensors {
		for p := range packets {
			for k, got := range v.got[p] {
				if got != sums[p][k] {
					t.Fatalf("rank %d, packet %d, value %d: sum %d, want %d", i, p, k, got, sums[p][k])
				}
			}
		}
	}
}

// reduceFloats runs a job of floats of many magnitudes. The sums must be those of
// the values as the common exponent of their block quantises them.
func reduceFloats(t *testing.T, dice *rand.Rand, ws []*worker, packets int) {
	t.Helper()
	tensors := make([]*floats, len(ws))
	for i := range ws {
		v := &floats{len(ws), make([][]float32, packets), make([][]float32, packets)}
		for p := range packets {
			magnitude := math.Ldexp(1, dice.IntN(80)-40)
			v.got[p], v.sent[p] = make([]float32, ws[0].elements), make([]float32, ws[0].elements)
			for k := range v.sent[p] {
				if p%5 != 4 {
					v.sent[p][k] = float32(magnitude * (2*dice.Float64() - 1))
				}
			}
		}
		tensors[i] = v
	}
	each(t, ws, func(w *worker) error { return w.reduce(tensors[w.rank]) })
	for p := range packets {
		e := int8(math.MinInt8)
		for _, v := range tensors {
			e = max(e, v.exponent(p))
		}
		s := tensors[0].scale(e)
		for k := range tensors[0].sent[p] {
			var sum int32
			for _, v := range tensors {
				sum += int32(math.Round(float64(v.sent[p][k]) * s))
			}
			for i, v := range tensors {
				if want := float32(float64(sum) / s); v.got[p][k] != want {
					t.Fatalf("rank %d, packet %d, value %d: sum %g, want %g", i, p, k, v.got[p][k], want)
				}
			}
		}
	}
}
