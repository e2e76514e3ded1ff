package trioml_test

import (
	"math"
	"net/netip"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
)

var _ worker.Collective = (*trioml.Core)(nil)

const (
	ms      = units.Time(units.Millisecond)
	timeout = 10 * units.Millisecond // T of the PFEs that have workers
	jobID   = 1
)

func routerAddr() netip.Addr { return netip.MustParseAddr("10.0.0.254") }

// flowOf is the flow from a worker to the router; resultFlow goes to the group.
func flowOf(w int) inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, byte(w)}, DstMAC: inet.MAC{2, 1}, Src: netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}),
		Dst: routerAddr(), SrcPort: wire.Port, DstPort: wire.Port,
	}
}

func resultFlow() inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 1}, DstMAC: inet.MAC{1, 0, 0x5e, 0, 0, 1}, Src: routerAddr(), Dst: netip.MustParseAddr("239.0.0.1"),
		SrcPort: wire.Port, DstPort: wire.Port,
	}
}

// params describes a run. pfes holds the number of workers of each lower PFE;
// one PFE is a single level, more feed a top level.
type params struct {
	pfes                []int
	tensor, grads, gens int
	window              int
	every               int // blocks that carry values
	wake                trioml.WakePolicy
	late                program.LatePolicy
	delay               units.Duration
	ready               func(w, g int) units.Time // nil: at once
	noAging             bool
	ints                bool // int32 tensors
	// fate of a frame of a worker, up or down; see sansiotest.Wire. nil: one copy.
	fate func(w int, up bool) []units.Duration
}

func (p params) workers() (n int) {
	for _, k := range p.pfes {
		n += k
	}
	return n
}

func (p params) blocks() int { return (p.tensor + p.grads - 1) / p.grads }

// rig is a chassis and its workers in memory.
type rig struct {
	params
	net   sansiotest.Network
	pfes  []*reference.Program // the last is the one that sends results
	cores []*trioml.Core
	hosts []*sansiotest.Host
	up    []*sansiotest.Wire
	rec   []*sansiotest.Recorder
	log   *journal
}

// journal keeps the trace of the programs and the cores.
type journal struct{ events []trace.Event }

func (j *journal) Event(e *trace.Event) { j.events = append(j.events, *e) }

const topNode = "top"

func newRig(t rapid.TB, p params) *rig {
	t.Helper()
	r := &rig{params: p, log: &journal{}}
	if len(p.pfes) == 1 {
		sources := make([]uint8, p.pfes[0])
		for w := range sources {
			sources[w] = uint8(w)
		}
		id := r.pfe(t, topNode, timeout, sources, r.hostPorts(), 200)
		r.attach(t, id, 0, p.pfes[0])
		return r
	}
	var ids []sansiotest.NodeID
	var above []uint8
	first := 0
	for i, k := range p.pfes {
		var sources []uint8
		for w := first; w < first+k; w++ {
			sources = append(sources, uint8(w))
		}
		ids = append(ids, r.pfe(t, pfeName(i), timeout, sources, []sansio.Port{dataplane.Fabric(9)}, uint8(100+i)))
		above = append(above, uint8(100+i))
		first += k
	}
	top := r.pfe(t, topNode, 3*timeout, above, r.hostPorts(), 200)
	first = 0
	for i, k := range p.pfes {
		r.net.Connect(ids[i], dataplane.Fabric(9), top, dataplane.Fabric(i), nil, nil)
		r.attach(t, ids[i], first, k)
		first += k
	}
	// Results leave by the top level, by a port for each worker.
	for w := range r.hosts {
		r.net.Connect(top, sansio.Port(w), r.hostID(w), 1, r.wire(w, false), nil)
	}
	return r
}

func pfeName(i int) string { return string(rune('a' + i)) }

func (r *rig) hostPorts() (out []sansio.Port) {
	for w := range r.workers() {
		out = append(out, sansio.Port(w))
	}
	return out
}

func (r *rig) pfe(t rapid.TB, node string, timeout units.Duration, sources []uint8, to []sansio.Port, id uint8) sansiotest.NodeID {
	t.Helper()
	prog, err := reference.New(program.Config{
		Node: node, Timeout: timeout, Late: r.late, NoAging: r.noAging, Trace: r.log,
		Jobs: []program.Job{{ID: jobID, Sources: sources, Out: resultFlow(), To: to, OutSource: id}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.pfes = append(r.pfes, prog)
	return r.net.Add(prog)
}

// attach makes k workers, from number first on, and connects them to a PFE.
func (r *rig) attach(t rapid.TB, pfe sansiotest.NodeID, first, k int) {
	t.Helper()
	for w := first; w < first+k; w++ {
		rec := &sansiotest.Recorder{}
		core, err := trioml.New(trioml.Config{
			Node: "w", Job: jobID, Source: uint8(w), Tensor: r.tensor, Grads: r.grads, Window: r.window, Wake: r.wake,
			Flow: flowOf(w), Results: resultFlow(), Recorder: rec, Sample: gradient.Sampling{Every: r.every},
		})
		if err != nil {
			t.Fatal(err)
		}
		host := &sansiotest.Host{Core: core, Tensors: tensors(w, r.params)}
		if r.ints {
			host.Core = integers(core, w, r.tensor)
		}
		if r.ready != nil {
			host.Ready = func(g int) units.Time { return r.ready(w, g) }
		}
		up := r.wire(w, true)
		id := r.net.Add(host)
		r.net.Connect(id, 0, pfe, sansio.Port(w), up, r.wire(w, false))
		r.cores, r.hosts, r.rec, r.up = append(r.cores, core), append(r.hosts, host), append(r.rec, rec), append(r.up, up)
	}
}

// wire returns one direction of worker w's link.
func (r *rig) wire(w int, up bool) *sansiotest.Wire {
	out := &sansiotest.Wire{Delay: r.delay}
	if r.fate != nil {
		out.Copies = func(sansio.Train) []units.Duration { return r.fate(w, up) }
	}
	return out
}

// hostID returns the node of a worker: nodes are numbered as they were added,
// lower PFEs and the top level first.
func (r *rig) hostID(w int) sansiotest.NodeID { return sansiotest.NodeID(len(r.pfes) + w) }

func tensors(w int, p params) [][]float32 {
	return sansiotest.Tensors(11, w, p.gens, p.tensor, func(int, int) float64 { return 1 })
}

func (r *rig) run(t rapid.TB, until units.Time) (done bool) {
	t.Helper()
	if _, err := r.net.Run(until); err != nil {
		t.Fatal(err)
	}
	for _, h := range r.hosts {
		if !h.Done() {
			return false
		}
	}
	return true
}

// masks returns the workers behind each result that the top level sent, by
// generation and block: the first one, where there are several.
func (r *rig) masks() map[[2]int]trace.Mask {
	leaf := map[string]map[[2]int]trace.Mask{}
	for _, e := range r.log.events {
		if e.Kind != trace.BlockSent {
			continue
		}
		if leaf[e.Node] == nil {
			leaf[e.Node] = map[[2]int]trace.Mask{}
		}
		k := [2]int{int(e.Gen), int(e.Block)}
		if _, ok := leaf[e.Node][k]; !ok {
			leaf[e.Node][k] = e.Mask
		}
	}
	if len(r.params.pfes) == 1 {
		return leaf[topNode]
	}
	out := map[[2]int]trace.Mask{}
	for k, top := range leaf[topNode] {
		var m trace.Mask
		for i := range r.params.pfes {
			if top.Has(uint8(100 + i)) {
				m = m.Or(leaf[pfeName(i)][k])
			}
		}
		out[k] = m
	}
	return out
}

// check holds everything delivered against the oracle: the sum over the mask of
// the quantised tensors, and the mean over as many workers.
func (r *rig) check(t rapid.TB) {
	t.Helper()
	masks := r.masks()
	for g := range r.gens {
		for b := range r.blocks() {
			m, ok := masks[[2]int{g, b}]
			if !ok || m.Len() == 0 {
				t.Fatalf("generation %d, block %d has no result", g, b)
			}
			for i := b * r.grads; i < min((b+1)*r.grads, r.tensor); i++ {
				var sum int32
				for w := range r.workers() {
					if !m.Has(uint8(w)) {
						continue
					}
					q := int32(math.RoundToEven(float64(r.hosts[w].Tensors[g][i]) * 1e8))
					sum += q
					if sent := r.rec[w].Out[g]; r.rec[w].In[g] != nil && (sent == nil || sent[i] != q) {
						t.Fatalf("worker %d, generation %d, element %d: recorded %v as sent, want %d", w, g, i, sent, q)
					}
				}
				mean := float32(float64(sum) / (1e8 * float64(m.Len())))
				for w, rec := range r.rec {
					if rec.In[g] == nil {
						continue // not there yet
					}
					if got := rec.In[g][i]; got != sum {
						t.Fatalf("worker %d, generation %d, element %d: sum %d, want %d over %d workers", w, g, i, got, sum, m.Len())
					}
					if got := r.hosts[w].Means[g][i]; got != mean {
						t.Fatalf("worker %d, generation %d, element %d: mean %v, want %v", w, g, i, got, mean)
					}
				}
			}
		}
	}
}

func count(list []sansio.Count, name string) int {
	for _, x := range list {
		if x.Name == name {
			return int(x.N)
		}
	}
	return 0
}
