package unit

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/experiments/testbed"
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
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
)

// switchmlRDMA is what a lost packet costs hosts that send messages (SwitchML
// App B).
func switchmlRDMA() experiment.Experiment {
	const id = "switchml.appB.rdma-retx"
	return experiment.Experiment{
		ID: id, Title: "what one lost packet costs SwitchML over RoCE",
		Switch: []claims.Switch{claims.SwitchPipeline},
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

// again notes packets that were sent again, by the worker whose packet was lost or not.
func (c *cost) again(own bool, packets int) {
	if own {
		c.own += packets
	} else {
		c.peers += packets
	}
}

// loss loses one packet of a worker on its way up or down.
type loss struct {
	up         bool
	victim, at int // the worker, and how many of its packets arrive before
	seen       int
}

func (l *loss) hits(w int, up bool) bool {
	if w != l.victim || up != l.up {
		return false
	}
	l.seen++
	return l.seen == l.at+1
}

func lostMessages(e *experiment.Env) (f experiment.Findings, err error) {
	t := claims.Table{
		ID: "switchml.appB.rdma-retx", Title: "Packets sent again for one that is lost, by the worker to or from whom it was, and by the others of 2 to 5",
		Columns: []claims.Column{{Name: "hosts"}, {Name: "switch"}, {Name: "lost on the way"}, {Name: "trials"}, {Name: "sent again for each"}, {Name: "by others, mean"}, {Name: "sums checked"}, {Name: "wrong"}},
		Notes:   []string{"Lost on the way up, nobody has the result, and all send again. Lost on the way down, others send again what they wait for when the worker is a phase behind."},
	}
	row := func(hosts, way string, c cost) {
		t.Add(render.Text(hosts), render.Text(testbed.OnPipeline), render.Text(way), render.Int(c.trials), render.Number(float64(c.own)/float64(c.trials), 2), render.Number(float64(c.peers)/float64(c.trials), 2), render.Int(c.checked), render.Int(c.wrong))
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
	m := claims.NumberParts(map[string]float64{"resent_per_loss": float64(all.own) / float64(all.trials), "wrong": float64(all.wrong)})
	f.Set("switchml.appB.rdma-retx", m.On("hosts with emulated network cards and one emulated Tofino in memory; one packet of a worker is lost in each trial, either way").
		Noting("%d trials, %d sums checked; sent again by the worker whose packet it was", all.trials, all.checked))
	return f, nil
}

// lostInMessages loses one packet in each of some random runs.
func lostInMessages(e *experiment.Env, up bool) (c cost, err error) {
	stream := e.Seed.Stream("switchml.rdma/messages/" + fmt.Sprint(up))
	for range e.Trials(200) {
		workers, queues, packets := 2+stream.IntN(4), 1+stream.IntN(4), (1+stream.IntN(8))*switchmlrdma.DefaultPackets
		l := loss{up: up, victim: stream.IntN(workers), at: stream.IntN(packets)}
		n, err := rdmaNet(workers, queues, packets*rig.Elements)
		if err != nil {
			return c, err
		}
		n.Lost = func(w int, way bool, _ sansio.Train) bool { return l.hits(w, way) }
		hosts, err := n.Run()
		if err != nil {
			return c, err
		}
		c.trials++
		for w, h := range hosts {
			c.again(w == l.victim, switchmlrdma.DefaultPackets*int(sansio.CountOf(h.Counters(), switchmlrdma.CountRetransmits)))
			c.wrong, c.checked = c.wrong+rig.Wrong(h, workers, n.Tensor), c.checked+n.Tensor
		}
	}
	return c, nil
}

// lostPackets is the same for hosts that send packets.
func lostPackets(e *experiment.Env, up bool) (c cost, err error) {
	stream := e.Seed.Stream("switchml.rdma/packets/" + fmt.Sprint(up))
	for range e.Trials(200) {
		blocks := 1 + stream.IntN(100)
		workers, slots := 2+stream.IntN(4), 1+stream.IntN(64)
		n := rig.NewSwitchMLNet(workers, blocks*rig.Elements, slots)
		l := loss{up: up, victim: stream.IntN(workers), at: stream.IntN(blocks)}
		sent := make([]int, workers)
		n.Heard = func(w int, way bool, _ wire.Header, _ int32) bool {
			if way {
				sent[w]++
			}
			return l.hits(w, way)
		}
		if err := n.Run(); err != nil { // a wrong sum is an error
			return c, err
		}
		c.trials++
		for w := range sent {
			c.again(w == l.victim, sent[w]-blocks)
		}
		c.checked += workers * n.Tensor
	}
	return c, nil
}

// rdmaNet is a switch and workers that sum tensors of int32 over RoCE.
func rdmaNet(workers, queues, tensor int) (*rig.Net, error) {
	n := &rig.Net{Workers: workers, Tensor: tensor, Up: units.Microsecond, Down: units.Microsecond}
	n.Core = func(w int) (sansiotest.IntCore, error) {
		return switchmlrdma.New(switchmlrdma.Config{
			Node: fmt.Sprint("w", w), Workers: workers, Tensor: tensor, Elements: rig.Elements, Queues: queues, Flow: rig.Up(w, roce.Port, roce.Port),
			PeerQPN: switchml.QPN(w, 0), Key: uint32(w), PeerKey: switchml.PoolRKey, CheckICRC: true, Integers: true,
		})
	}
	var err error
	cfg := switchml.Config{Node: "tor", Router: rig.Router, Jobs: []switchml.Job{rdmaJob(workers, queues)}, CheckICRC: true}
	n.Switch, err = pipeline.New(cfg, pipeline.Options{Ports: workers, RDMA: true})
	return n, err
}

func rdmaJob(workers, queues int) switchml.Job {
	const packets = switchmlrdma.DefaultPackets
	j := switchml.Job{
		ID: 1, Elements: rig.Elements, Slots: queues * packets, NumWorkers: workers, RDMA: &switchml.RDMA{MessageBytes: 4 * rig.Elements * packets},
	}
	for w := range workers {
		q := &switchml.Queues{RKey: uint32(w)}
		for i := range queues {
			q.QPNs, q.PSNs = append(q.QPNs, uint32(i)), append(q.PSNs, 0)
		}
		j.Workers = append(j.Workers, switchml.Worker{ID: uint8(w), MAC: inet.MAC{2, 0, 0, 0, 0, byte(w)}, Addr: rig.Worker(w), Port: sansio.Port(w), RDMA: q})
	}
	return j
}
