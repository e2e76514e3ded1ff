package unit

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/switchmlrdma"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

// switchmlRDMA is what a lost packet costs hosts that send messages (SwitchML
// App B).
func switchmlRDMA() experiment.Experiment {
	const id = "switchml.appB.rdma-retx"
	return experiment.Experiment{
		ID: id, Title: "what one lost packet costs SwitchML over RoCE",
		Claims: []claims.ID{id},
		Quick:  "a tenth of the random trials",
		Run: func(_ context.Context, e *experiment.Env) (experiment.Findings, error) {
			return lostMessages(e)
		},
	}
}

// cost is what lost packets, one in each trial, cost.
type cost struct {
	trials, own, peers int // packets sent again by the worker whose packet it was, and by the others
	wrong, checked     int // sums
}

func lostMessages(e *experiment.Env) (f experiment.Findings, err error) {
	t := claims.Table{
		ID: "switchml.appB.rdma-retx", Title: "Packets sent again for one that is lost, by the worker to or from whom it was, and by the others of 2 to 5",
		Columns: []claims.Column{{Name: "hosts"}, {Name: "lost on the way"}, {Name: "trials"}, {Name: "sent again for each"}, {Name: "by others, mean"}, {Name: "sums checked"}, {Name: "wrong"}},
		Notes:   []string{"Lost on the way up, nobody has the result, and all send again. Lost on the way down, others send again what they wait for when the worker is a phase behind."},
	}
	row := func(hosts, way string, c cost) {
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(hosts), render.Text(way), render.Int(c.trials), render.Number(float64(c.own)/float64(c.trials), 2), render.Number(float64(c.peers)/float64(c.trials), 2), render.Int(c.checked), render.Int(c.wrong),
		})
	}
	var all cost
	for _, up := range []bool{true, false} {
		way := map[bool]string{true: "up", false: "down"}[up]
		one, err := lostPackets(e, up)
		if err != nil {
			return f, err
		}
		row("UDP", way, one)
		c, err := lostInMessages(e, up)
		if err != nil {
			return f, err
		}
		row(fmt.Sprintf("RoCE, messages of %d packets", switchmlrdma.DefaultPackets), way, c)
		all.trials, all.own, all.wrong, all.checked = all.trials+c.trials, all.own+c.own, all.wrong+c.wrong, all.checked+c.checked
	}
	f.Tables = []claims.Table{t}
	m := claims.Group(map[string]claims.Measured{
		"resent_per_loss": claims.Number(float64(all.own) / float64(all.trials)), "wrong": claims.Number(float64(all.wrong)),
	})
	m.Model = "hosts with emulated network cards and one switch in memory; one packet of a worker is lost in each trial, either way"
	m.Note = fmt.Sprintf("%d trials, %d sums checked; sent again by the worker whose packet it was", all.trials, all.checked)
	f.Set("switchml.appB.rdma-retx", m)
	return f, nil
}

// lostInMessages loses one packet in each of some random runs.
func lostInMessages(e *experiment.Env, up bool) (c cost, err error) {
	stream := e.Seed.Stream("switchml.rdma/messages/" + fmt.Sprint(up))
	for range e.Trials(200) {
		n := rdmaNet{workers: 2 + stream.IntN(4), queues: 1 + stream.IntN(4), blocks: 1 + stream.IntN(8)}
		victim, at := stream.IntN(n.workers), stream.IntN(n.blocks*switchmlrdma.DefaultPackets)
		seen := 0
		n.lost = func(w int, way bool) bool {
			if w != victim || way != up {
				return false
			}
			seen++
			return seen == at+1
		}
		hosts, err := n.run()
		if err != nil {
			return c, err
		}
		c.trials++
		for w, h := range hosts {
			if w == victim {
				c.own += h.again()
			} else {
				c.peers += h.again()
			}
			wrong := n.wrong(h)
			c.wrong, c.checked = c.wrong+wrong, c.checked+len(h.sums)
		}
	}
	return c, nil
}

// lostPackets is the same for hosts that send packets.
func lostPackets(e *experiment.Env, up bool) (c cost, err error) {
	stream := e.Seed.Stream("switchml.rdma/packets/" + fmt.Sprint(up))
	for range e.Trials(200) {
		blocks := 1 + stream.IntN(100)
		n := rig.Net{Workers: 2 + stream.IntN(4), Slots: 1 + stream.IntN(64), Tensor: blocks * rig.Elements, Up: units.Microsecond, Down: units.Microsecond}
		victim, at := stream.IntN(n.Workers), stream.IntN(blocks)
		sent, seen := make([]int, n.Workers), 0
		n.Heard = func(w int, way bool, _ wire.Header, _ int32) bool {
			if way {
				sent[w]++
			}
			if w != victim || way != up {
				return false
			}
			seen++
			return seen == at+1
		}
		if err := n.Run(); err != nil { // a wrong sum is an error
			return c, err
		}
		c.trials++
		for w := range sent {
			if w == victim {
				c.own += sent[w] - blocks
			} else {
				c.peers += sent[w] - blocks
			}
		}
		c.checked += n.Workers * n.Tensor
	}
	return c, nil
}

// rdmaNet is a switch and its workers in memory, that sum tensors of int32 over
// RoCE. Every value of worker w in packet b is BlockValue(w, b).
type rdmaNet struct {
	workers, queues, blocks int
	lost                    func(w int, up bool) bool
}

func (n *rdmaNet) elements() int {
	return n.blocks * switchmlrdma.DefaultPackets * rig.Elements
}

// rdmaHost reduces a tensor of int32 where a host has floats.
type rdmaHost struct {
	*switchmlrdma.Core
	q, sums []int32
}

// Begin begins the integers in place of the floats.
func (h *rdmaHost) Begin(now units.Time, gen int, _ []float32, eff *sansio.Effects) {
	h.BeginInts(now, gen, h.q, eff)
}

// Finish keeps the sums.
func (h *rdmaHost) Finish(int) (result.Outcome, func([]float32)) {
	h.sums = append([]int32{}, h.Sums()...)
	return result.Outcome{}, func([]float32) {}
}

// again returns the packets that were sent again.
func (h *rdmaHost) again() int {
	for _, c := range h.Counters() {
		if c.Name == switchmlrdma.CountRetransmits {
			return int(c.N) * switchmlrdma.DefaultPackets
		}
	}
	return 0
}

func (n *rdmaNet) job() switchml.Job {
	packets := switchmlrdma.DefaultPackets
	j := switchml.Job{
		ID: 1, Elements: rig.Elements, Slots: n.queues * packets, NumWorkers: n.workers, RDMA: &switchml.RDMA{MessageBytes: 4 * rig.Elements * packets},
	}
	for w := range n.workers {
		q := &switchml.Queues{RKey: uint32(w)}
		for i := range n.queues {
			q.QPNs, q.PSNs = append(q.QPNs, uint32(i)), append(q.PSNs, 0)
		}
		j.Workers = append(j.Workers, switchml.Worker{ID: uint8(w), MAC: inet.MAC{2, 0, 0, 0, 0, byte(w)}, Addr: rig.Worker(w), Port: sansio.Port(w), RDMA: q})
	}
	return j
}

// run runs to the end.
func (n *rdmaNet) run() (hosts []*rdmaHost, err error) {
	var net sansiotest.Network
	prog, err := reference.NewRDMA(switchml.Config{Node: "tor", Router: rig.Router, Jobs: []switchml.Job{n.job()}, CheckICRC: true})
	if err != nil {
		return nil, err
	}
	sw := net.Add(prog)
	for w := range n.workers {
		flow := rig.SwitchMLUp(w)
		flow.SrcPort, flow.DstPort = roce.Port, roce.Port
		core, err := switchmlrdma.New(switchmlrdma.Config{
			Node: fmt.Sprint("w", w), Workers: n.workers, Tensor: n.elements(), Elements: rig.Elements, Queues: n.queues, Flow: flow,
			PeerQPN: switchml.QPN(w, 0), Key: uint32(w), PeerKey: switchml.PoolRKey, CheckICRC: true, Integers: true,
		})
		if err != nil {
			return nil, err
		}
		h := &rdmaHost{Core: core, q: make([]int32, n.elements())}
		for i := range h.q {
			h.q[i] = rig.BlockValue(w, i/rig.Elements)
		}
		hosts = append(hosts, h)
		net.Connect(net.Add(&sansiotest.Host{Core: h, Tensors: [][]float32{nil}}), 0, sw, sansio.Port(w), n.wire(w, true), n.wire(w, false))
	}
	if pending, err := net.Run(units.Time(3600 * units.Second)); pending || err != nil {
		return nil, fmt.Errorf("%d workers, %d queue pairs: still busy after an hour: %w", n.workers, n.queues, err)
	}
	for w, h := range hosts {
		if h.sums == nil {
			return nil, fmt.Errorf("nothing is pending, but worker %d is not done", w)
		}
	}
	return hosts, nil
}

func (n *rdmaNet) wire(w int, up bool) *sansiotest.Wire {
	return &sansiotest.Wire{Delay: units.Microsecond, Drop: func(sansio.Train) bool { return n.lost(w, up) }}
}

// wrong counts the sums of a host that are not those of all workers' values.
func (n *rdmaNet) wrong(h *rdmaHost) (wrong int) {
	for i, got := range h.sums {
		var want int32
		for v := range n.workers {
			want += rig.BlockValue(v, i/rig.Elements)
		}
		if got != want {
			wrong++
		}
	}
	return wrong
}
