package chip

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/trio"
)

// pfeGraceful is simple forwarding beside Trio-ML on one PFE.
func pfeGraceful() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.graceful", Title: "simple forwarding at line rate beside more and more Trio-ML traffic on one PFE",
		Switch: []claims.Switch{claims.SwitchPFE},
		Claims: []claims.ID{"trio.s2.graceful-rate"},
		Quick:  "4 of 7 loads; nothing of what the paper leaves open is varied",
		Run:    runGraceful,
	}
}

// Three ports bring Trio-ML, the fourth packets that the program only forwards. A
// PFE has four ports of 100 Gbit/s (Trio §6.1).
const (
	heavyServers = 3
	heavyGrads   = 1024
	simpleBytes  = 1500 // of an IP packet
	simplePort   = heavyServers
	forwardHop   = 0 // of the program's other traffic

	gracefulFrom = 500 * units.Microsecond // measured from here
	gracefulTo   = 2 * units.Millisecond   // to here
)

// graceful is one load.
type graceful struct {
	offered int // Gbit/s of Trio-ML
	on      Machine
	simple  units.Bytes // that was forwarded while measured
	results int         // blocks, likewise
	end     trio.Snapshot
}

// rate is bits a second of so many bytes, while measured.
func (g *graceful) rate(n units.Bytes) float64 {
	return 8 * float64(n) / (gracefulTo - gracefulFrom).Seconds()
}

// added is bits of gradients a second that were added, while measured.
func (g *graceful) added() float64 {
	return g.rate(units.Bytes(4 * heavyGrads * heavyServers * g.results))
}

// loss is the share of the line rate that simple packets did not get.
func (g *graceful) loss() float64 { return 1 - g.rate(g.simple)/float64(pfeLinkRate) }

// saturated reports whether all threads have been in use.
func (g *graceful) saturated() bool { return g.end.InUse.Max == g.end.Threads }

func runGraceful(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	m, err := NewTrio(e)
	if err != nil {
		return f, err
	}
	all, err := gracefulLoads(ctx, e, &m)
	if err != nil {
		return f, err
	}
	loss, most, err := gracefulLosses(all)
	if err != nil {
		return f, err
	}
	f.Tables = append(f.Tables, gracefulTable(all))
	f.Figures = append(f.Figures, gracefulFigure(all))
	measured := loss.On(Model).Noting("of the line rate, the most: at loads that leave threads free, up to %d Gbit/s of Trio-ML, and at all of them, up to the %d Gbit/s of three ports; %s",
		most, all[len(all)-1].offered, m.Times())
	if !e.Quick && !e.Varied {
		var rows [][]render.Cell
		if measured, rows, err = gracefulEnds(ctx, e, &m, measured); err != nil {
			return f, err
		}
		f.Tables[0].Rows = append(f.Tables[0].Rows, rows...)
	}
	f.Set("trio.s2.graceful-rate", measured)
	return f, nil
}

// gracefulEnds adds what is measured at both ends of what an instruction takes.
func gracefulEnds(ctx context.Context, e *experiment.Env, m *Machine, measured claims.Measured) (claims.Measured, [][]render.Cell, error) {
	var rows [][]render.Cell
	ends, err := m.Ends()
	if err != nil {
		return measured, nil, err
	}
	for i := range ends {
		all, err := gracefulLoads(ctx, e, &ends[i])
		if err != nil {
			return measured, nil, err
		}
		loss, _, err := gracefulLosses(all)
		if err != nil {
			return measured, nil, fmt.Errorf("%s: %w", ends[i].Times(), err)
		}
		measured = measured.Over(claims.End{At: ends[i].Times(), Measured: loss})
		rows = append(rows, gracefulRows(all)...)
	}
	return measured, rows, nil
}

// gracefulLoads runs a machine at every load.
func gracefulLoads(ctx context.Context, e *experiment.Env, m *Machine) (all []graceful, err error) {
	for _, load := range experiment.Cut(e, []int{0, 50, 100, 150, 200, 250, 300}, []int{0, 100, 200, 300}) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.Note("Trio-ML at %d Gbit/s, %s", load, m.Times())
		g := graceful{offered: load, on: *m}
		if err := g.run(m); err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// gracefulLosses is what simple packets lose at loads that leave threads free, and at every
// load, as parts of the claim; most is the largest load that leaves threads free.
func gracefulLosses(all []graceful) (m claims.Measured, most int, err error) {
	free, most, err := gracefulLoss(all)
	if err != nil {
		return m, 0, err
	}
	every := free
	for i := range all {
		every = max(every, 100*all[i].loss())
	}
	return claims.NumberParts(map[string]float64{"threads_free": free, "every_load": every}), most, nil
}

// gracefulLoss is the most, in percent of the line rate, that the simple packets lose at
// loads that leave threads free, and the largest of these loads. Without Trio-ML there is
// nothing beside them: one of the loads has to have some.
func gracefulLoss(all []graceful) (loss float64, most int, err error) {
	for i := range all {
		if g := &all[i]; !g.saturated() {
			loss, most = max(loss, 100*g.loss()), max(most, g.offered)
		}
	}
	if most == 0 {
		return 0, 0, fmt.Errorf("all %d threads of the PFE are in use at every load of Trio-ML, from %d Gbit/s on: nothing is known of a PFE that has some to spare; give it more, or run a smaller load", all[0].end.Threads, all[min(1, len(all)-1)].offered)
	}
	return loss, most, nil
}

// flow is packets at even distances.
type flow struct {
	next, gap units.Time
	block     uint32
}

// run offers both kinds of packets, whatever becomes of them.
func (g *graceful) run(m *Machine) error {
	const blocks = 1<<16 - 1 // with the job, all records of a PFE
	engine, err := m.engine(blocks, heavyServers)
	if err != nil {
		return err
	}
	if err := engine.SetNextHop(trio.NextHop{Index: forwardHop, To: []sansio.Port{simplePort}}); err != nil {
		return err
	}
	d := sansiotest.Feed{Machine: engine, Sent: g.sent}
	simple := simpleTrain()
	flows := make([]flow, heavyServers+1)
	flows[simplePort].gap = units.Time(pfeLinkRate.TimeToSend(simple.WireBytes()))
	for w := range heavyServers {
		flows[w] = flow{next: units.Never}
		if g.offered > 0 {
			gap := units.Time((units.GbitPerSecond * units.Rate(g.offered)).TimeToSend(trioFrame(heavyGrads) * heavyServers))
			flows[w] = flow{next: gap * units.Time(w) / heavyServers, gap: gap}
		}
	}
	for {
		first := 0
		for i := range flows {
			if flows[i].next < flows[first].next {
				first = i
			}
		}
		now := &flows[first]
		if now.next >= units.Time(gracefulTo) {
			break
		}
		packet := sansio.Arrival{Port: simplePort, Train: simple}
		if first != simplePort {
			packet = trioPacket(first, now.block, heavyGrads)
		}
		d.Arrive(now.next, packet)
		now.block++
		now.next += now.gap
	}
	d.Until(units.Time(gracefulTo))
	g.end = engine.Snapshot()
	return nil
}

// simpleTrain is a packet of no program's port.
func simpleTrain() sansio.Train {
	f := rig.TrioUp(simplePort)
	f.SrcPort, f.DstPort = 4000, 4000
	h := inet.UDPHeader(f)
	body := simpleBytes - inet.IPv4Len - inet.UDPLen
	inet.SetUDPBody(h, body)
	return sansio.Train{Header: h, Unstored: body}
}

func (g *graceful) sent(at units.Time, s *sansio.Send) {
	switch {
	case at < units.Time(gracefulFrom):
	case len(s.To) == 1:
		g.simple += s.Train.WireBytes()
	default:
		g.results++
	}
}

func gracefulTable(all []graceful) claims.Table {
	t := claims.Table{
		ID: "trio.graceful", Title: "Simple forwarding beside Trio-ML on one PFE",
		Columns: []claims.Column{
			{Name: "instruction", Unit: "ns"}, {Name: "fixed", Unit: "us"}, {Name: "Trio-ML offered", Unit: "Gbit/s"}, {Name: "gradients added", Unit: "Gbit/s"}, {Name: "threads in use, mean"}, {Name: "threads, most"},
			{Name: "queue, most", Unit: "packets"}, {Name: "forwarded", Unit: "Gbit/s"}, {Name: "loss", Unit: "%"},
		},
		Notes: []string{
			fmt.Sprintf("One port has packets of %d bytes at 100 Gbit/s that are only forwarded, three have Trio-ML of %d gradients at an even rate, whatever comes of it.", simpleBytes, heavyGrads),
			"Measured from 0.5 to 2 ms. Loss: of the line rate. Once all threads are in use, a packet waits for a thread behind all others.",
			fmt.Sprintf("%s; %d threads.", Model, all[0].end.Threads),
		},
	}
	t.Rows = gracefulRows(all)
	return t
}

// gracefulRows are the rows of a machine.
func gracefulRows(all []graceful) [][]render.Cell {
	var t claims.Table
	for i := range all {
		g := &all[i]
		t.Add(instructionCell(&g.on), fixedCell(&g.on), render.Int(g.offered), render.Number(g.added()/1e9, 1), render.Number(g.end.InUse.Mean, 0),
			render.Int(g.end.InUse.Max), render.Int(g.end.Queue.Max), render.Number(g.rate(g.simple)/1e9, 2), render.Percent(max(0, g.loss())))
	}
	return t.Rows
}
