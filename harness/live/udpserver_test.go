package live

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
)

// tally is a system of one server that adds up what workers send it by UDP, a block at a
// time. The server is beside worker 0, or on a host of its own.
type tally struct {
	job.HostsOnly
	Apart bool
}

const (
	tallyPort, tallyServerPort = 49500, 49501
	tallyValues                = 500 // of a block
)

// tallyEnd is what both ends have: the flow of a worker to the server, or of the server
// to each worker.
type tallyEnd struct {
	Params, Workers int
	Flows           []inet.Flow
}

func (t tally) Name() string {
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
	server := tallyEnd{Params: j.Params, Workers: len(j.Hosts())}
	for _, h := range j.Hosts() {
		up := inet.Flow{SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(at.MAC), Src: h.Addr.Addr(), Dst: at.Addr.Addr(), SrcPort: tallyPort, DstPort: tallyServerPort}
		down := inet.Flow{SrcMAC: up.DstMAC, DstMAC: up.SrcMAC, Src: up.Dst, Dst: up.Src, SrcPort: up.DstPort, DstPort: up.SrcPort}
		if h.Name == at.Name { // under the virtual clock by way of the switch; live the kernel keeps it on the host
			up.DstMAC, down.DstMAC = inet.MAC(h.GatewayMAC), inet.MAC(h.GatewayMAC)
		}
		l.Cores = append(l.Cores, tallyEnd{Params: j.Params, Workers: len(j.Hosts()), Flows: []inet.Flow{up}})
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
	return &tallyWorker{tallyEnd: e, rec: rec, q: make([]int32, e.Params), sums: make([]int32, e.Params)}, err
}

func (tally) NewServer(text json.RawMessage, _ trace.Sink) (job.Server, error) {
	e, err := job.Decode[tallyEnd](text)
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
	eff.Emit([]sansio.Port{0}, inet.UDPHeader(w.Flows[0]), body)
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
		eff.Emit([]sansio.Port{0}, inet.UDPHeader(f), append(eff.Body(len(s.sum))[:0], s.sum...))
	}
}

// testSystems are those that node processes of this binary know.
func testSystems() []job.System { return append(system.All(), tally{}, tally{Apart: true}, loud{}) }

// A server that speaks UDP serves from a host of its own, or beside a worker, in both
// clocks and with the same sums; nothing is added twice.
func TestServersOverUDP(t *testing.T) {
	needRoot(t)
	images, err := loadImages()
	if err != nil {
		t.Fatal(err)
	}
	for _, sys := range []tally{{}, {Apart: true}} {
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
