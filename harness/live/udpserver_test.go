package live

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo/plan"
)

// tally is a system of one server that adds up what workers send it by UDP, a block at a
// time. The server is beside worker 0, or on a host of its own. With a protocol of their own, which needs
// that, ends hold a file in a directory until they are closed, if they are given one.
type tally struct {
	job.HostsOnly
	Apart bool
	Raw   bool
	Held  string
}

const (
	tallyProtocol              = 254 // for experiments (RFC 3692)
	tallyPort, tallyServerPort = 49500, 49501
	tallyValues                = 500 // of a block
)

// tallyEnd is what both ends have: the flow of a worker to the server, or of the server
// to each worker.
type tallyEnd struct {
	Params, Workers int
	Flows           []inet.Flow
	Raw             bool
	Held            string // file
}

// emit sends a block.
func (e *tallyEnd) emit(eff *sansio.Effects, flow inet.Flow, body []byte) {
	header := inet.UDPHeader(flow)
	if !e.Raw {
		eff.Emit([]sansio.Port{0}, header, body)
		return
	}
	header = header[:inet.EtherLen+inet.IPv4Len]
	ip := inet.IPv4(header[inet.EtherLen:])
	ip[9] = tallyProtocol
	ip.SetTotalLen(inet.IPv4Len + len(body))
	ip.UpdateChecksum()
	eff.Send([]sansio.Port{0}, sansio.Train{Header: append(eff.Header(len(header))[:0], header...), Body: body})
}

// hold makes the file. An end is made in the namespace of its host, and before its sockets.
func (e *tallyEnd) hold() error {
	if e.Held == "" {
		return nil
	}
	if _, err := net.InterfaceByName("eth0"); err != nil {
		return fmt.Errorf("this is not the namespace of a host: %w", err)
	}
	for _, port := range []int{tallyPort, tallyServerPort} {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{Port: port})
		if err != nil {
			return fmt.Errorf("the sockets were here before: %w", err)
		}
		c.Close()
	}
	return os.WriteFile(e.Held, nil, 0o600)
}

// Close removes it.
func (e *tallyEnd) Close() error {
	if e.Held == "" {
		return nil
	}
	return os.Remove(e.Held)
}

func (t tally) Name() string {
	if t.Raw {
		return "tally-raw"
	}
	if t.Apart {
		return "tally-apart"
	}
	return "tally"
}

func (tally) Description() string { return "a server that adds by UDP" }

func (t tally) Servers(int) int {
	if t.Apart {
		return 1
	}
	return 0
}

func (t tally) Layout(j *job.Job) (job.Layout, error) {
	at := j.Hosts()[0]
	if t.Apart {
		at = j.ServerHosts()[0]
	}
	l := job.Layout{
		Port: tallyPort, ServerPort: tallyServerPort, Packet: inet.IPv4Len + inet.UDPLen + 8 + 4*tallyValues, Window: 1, Block: j.Params,
		Time: units.Second,
	}
	if t.Raw {
		l.Protocol = tallyProtocol
	}
	held := func(h *plan.Host) string {
		if t.Held == "" {
			return ""
		}
		return filepath.Join(t.Held, h.Name)
	}
	server := tallyEnd{Params: j.Params, Workers: len(j.Hosts()), Raw: t.Raw, Held: held(&at)}
	for _, h := range j.Hosts() {
		up := inet.Flow{SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(at.MAC), Src: h.Addr.Addr(), Dst: at.Addr.Addr(), SrcPort: tallyPort, DstPort: tallyServerPort}
		down := inet.Flow{SrcMAC: up.DstMAC, DstMAC: up.SrcMAC, Src: up.Dst, Dst: up.Src, SrcPort: up.DstPort, DstPort: up.SrcPort}
		if h.Name == at.Name { // under the virtual clock by way of the switch; live the kernel keeps it on the host
			up.DstMAC, down.DstMAC = inet.MAC(h.GatewayMAC), inet.MAC(h.GatewayMAC)
		}
		l.Cores = append(l.Cores, tallyEnd{Params: j.Params, Workers: len(j.Hosts()), Flows: []inet.Flow{up}, Raw: t.Raw, Held: held(&h)})
		server.Flows = append(server.Flows, down)
	}
	if t.Apart {
		l.Dedicated = []any{server}
	} else {
		l.Beside = []any{server}
	}
	return l, nil
}

func (tally) NewCore(text json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	e, err := job.Decode[tallyEnd](text)
	if err == nil {
		err = e.hold()
	}
	return &tallyWorker{tallyEnd: e, rec: rec, q: make([]int32, e.Params), sums: make([]int32, e.Params)}, err
}

func (tally) NewServer(text json.RawMessage, _ trace.Sink) (job.Server, error) {
	e, err := job.Decode[tallyEnd](text)
	if err == nil {
		err = e.hold()
	}
	return &tallyServer{tallyEnd: e}, err
}

// quiet is what both machines have: no deadlines.
type quiet struct{ count sansio.Tally }

func (*quiet) NextDeadline() units.Time           { return units.Never }
func (*quiet) Expire(units.Time, *sansio.Effects) {}
func (q *quiet) Counters() []sansio.Count         { return q.count.List() }

// tallyWorker sends block after block.
type tallyWorker struct {
	quiet
	tallyEnd
	rec     gradient.Recorder
	q, sums []int32
	seq     int // of the block at hand, counted through the run
}

func (w *tallyWorker) blocks() int { return (w.Params + tallyValues - 1) / tallyValues }

func (w *tallyWorker) block(of []int32) []int32 {
	lo := w.seq % w.blocks() * tallyValues
	return of[lo:min(lo+tallyValues, w.Params)]
}

func (w *tallyWorker) Begin(_ units.Time, _ int, grad []float32, eff *sansio.Effects) {
	gradient.Fixed{}.Quantise(w.q, grad)
	w.send(eff)
}

func (w *tallyWorker) send(eff *sansio.Effects) {
	values := w.block(w.q)
	body := eff.Body(8 + 4*len(values))
	binary.BigEndian.PutUint64(body, uint64(w.seq))
	vec.PutBE(body[8:], values)
	w.emit(eff, w.Flows[0], body)
	w.count.Add("tally-sent", 1)
}

func (w *tallyWorker) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		for f := range in[i].Train.Frames() {
			p := in[i].Train.Payload(f)
			if len(p) < 8 || binary.BigEndian.Uint64(p) != uint64(w.seq) {
				continue
			}
			vec.GetBE(w.block(w.sums), p[8:])
			if w.seq++; w.seq%w.blocks() > 0 {
				w.send(eff)
			}
		}
	}
}

func (w *tallyWorker) Complete(gen int) bool { return w.seq == (gen+1)*w.blocks() }

func (w *tallyWorker) Finish(gen int) (result.Outcome, func([]float32)) {
	q, sums := w.q, w.sums
	w.q, w.sums = make([]int32, len(q)), make([]int32, len(q))
	return result.Outcome{Contributed: true}, func(mean []float32) {
		if w.rec != nil {
			w.rec.Sent(gen, q)
			w.rec.Delivered(gen, sums)
		}
		gradient.Fixed{}.Mean(mean, sums, w.Workers)
	}
}

// tallyServer answers the last block of all with their sum.
type tallyServer struct {
	quiet
	tallyEnd
	sum []byte
	n   int
}

func (s *tallyServer) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		for f := range in[i].Train.Frames() {
			s.add(in[i].Train.Payload(f), eff)
		}
	}
}

func (s *tallyServer) add(p []byte, eff *sansio.Effects) {
	if s.n == 0 {
		s.sum = append(s.sum[:0], p...)
	} else {
		vec.AddBE(s.sum[8:], p[8:])
	}
	s.count.Add("tally-added", 1)
	if s.n++; s.n < len(s.Flows) {
		return
	}
	s.n = 0
	for _, f := range s.Flows {
		s.emit(eff, f, append(eff.Body(len(s.sum))[:0], s.sum...))
	}
}

// testSystems are those that node processes of this binary know.
func testSystems() []job.System {
	return append(system.All(), tally{}, tally{Apart: true}, tally{Apart: true, Raw: true}, loud{})
}

// A server that speaks UDP serves from a host of its own, or beside a worker, in both
// clocks and with the same sums; nothing is added twice.
func TestServersOverUDP(t *testing.T) {
	needRoot(t)
	images, err := loadImages()
	if err != nil {
		t.Fatal(err)
	}
	for _, sys := range []tally{{}, {Apart: true}, {Apart: true, Raw: true}} {
		t.Run(sys.Name(), func(t *testing.T) {
			s := scene{system: sys, topology: "rack"}
			liveCell, liveTensors := runRecorded(t, mustJob(t, s), options(t))
			virtual, virtualCell, virtualTensors := virtualRecorded(t, s, images)
			checkParity(t, virtual, virtualTensors, liveTensors, virtualCell, liveCell)
			want := uint64(cmp.Or(len(virtual.Hosts()), 1)) * counted(virtualCell, "tally-sent", func(node string) bool { return node == "h1" })
			if got := counted(liveCell, "tally-added", nil); got != want || got == 0 {
				t.Errorf("%d blocks were added, want %d", got, want)
			}
		})
	}
}

// What cores and servers hold is given back when a run ends in order, and when it is interrupted. They are
// made in the namespace of their host, before its sockets.
func TestMachinesAreClosed(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		dir := t.TempDir()
		s := scene{system: tally{Apart: true, Raw: true, Held: dir}, topology: "rack", hosts: 2}
		if interrupted {
			s.iterations = 10_000
		}
		j, opt := mustJob(t, s), options(t)
		run := start(t, t.Context(), j, opt)
		run.awaitTraining(t)
		if interrupted {
			if list, err := os.ReadDir(dir); err != nil || len(list) != 3 {
				t.Errorf("%d machines hold something, want 3: %v", len(list), err)
			}
			run.cancel()
		}
		<-run.ended
		if (run.err != nil) != interrupted {
			t.Errorf("interrupted: %v, error %v", interrupted, run.err)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
			t.Errorf("interrupted: %v: left are %v %v", interrupted, list, err)
		}
	}
}

// Hosts of a job with a protocol of its own have both sockets, and send no ICMP errors.
func TestSocketsOfAProtocol(t *testing.T) {
	j := mustJob(t, scene{system: tally{Apart: true, Raw: true}, topology: "rack", hosts: 2})
	for _, w := range workers(j, "/private", false) {
		if w.UDP != nil || w.TCP != nil || w.Raw == nil || w.Raw.Protocol != tallyProtocol || w.Raw.UDP.Bind.Port() != tallyPort {
			t.Errorf("a worker has %+v", w.Sockets)
		}
	}
	for _, s := range servers(j, true) {
		if s.UDP != nil || s.Raw == nil || s.Raw.UDP.Bind.Port() != tallyServerPort || !s.Raw.UDP.Plain {
			t.Errorf("a server has %+v", s.Sockets)
		}
	}
	for _, n := range withInterfaces(LabSpec("x", j.Plan, true), job.Alone(j)).Nodes {
		if n.Silent != (n.Name != j.Plan.Switches[0].Name) {
			t.Errorf("%s is silent: %v", n.Name, n.Silent)
		}
	}
}

// interfaced is a system that asks for interfaces.
type interfaced struct{ tally }

func (i interfaced) Layout(j *job.Job) (job.Layout, error) {
	l, err := i.tally.Layout(j)
	l.XDP, l.Queues = true, 2
	return l, err
}

// The switch's ends of hosts with XDP have GRO, and their wires the queues.
func TestInterfacesOfXDP(t *testing.T) {
	j := mustJob(t, scene{system: interfaced{tally{Apart: true, Raw: true}}, topology: "rack", hosts: 2})
	sw := j.Plan.Switches[0].Name
	for _, w := range withInterfaces(LabSpec("x", j.Plan, true), job.Alone(j)).Wires {
		for _, e := range []netns.End{w.A, w.B} {
			if e.GRO != (e.Node == sw) || w.Queues != 2 {
				t.Errorf("%v has GRO %v and %d queues", e, e.GRO, w.Queues)
			}
		}
	}
}
