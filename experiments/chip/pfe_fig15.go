package chip

import (
	"context"
	"fmt"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// pfeFig15 is the latency of a PFE that has one packet of each server at a time.
func pfeFig15() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.fig15", Title: "latency and rate of one PFE by gradients per packet, window 1, 4 servers",
		Claims:   []claims.ID{"trio.fig15.latency.64", "trio.fig15.sublinear", "trio.fig15.plateau"},
		Predicts: []claims.ID{"trio.fig15.latency.1024"},
		Quick:    fmt.Sprintf("%d of %d packets of each server; they repeat each other", quickPackets, fig15Packets),
		Run:      runPFEFig15,
	}
}

// fig15Grads are the points of the figure; the least is the one that is fed in.
var fig15Grads = []int{64, 128, 256, 512, 1024}

const (
	fig15Packets = 10000 // of each server: Trio §6.3
	quickPackets = 200
)

// fig15Curve is the figure in one reading of latency, with the cost of an
// instruction that follows from that.
type fig15Curve struct {
	latencyReading
	instruction units.Duration
	points      []pfePoint // by fig15Grads
}

func (c *fig15Curve) rate(i int) float64 { return c.points[i].rate(c.latency(&c.points[i])) }

func runPFEFig15(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	m, err := NewTrio(e, true)
	if err != nil {
		return f, err
	}
	target, err := statedLatency()
	if err != nil {
		return f, err
	}
	var curves []fig15Curve
	for _, r := range latencyReadings {
		c, err := newFig15Curve(ctx, e, m, r, target)
		if err != nil {
			return f, err
		}
		curves = append(curves, c)
	}
	span, err := fig15Range(ctx, m, target)
	if err != nil {
		return f, err
	}
	f.Tables = []claims.Table{fig15Table(curves), span.table()}
	f.Figures = append(f.Figures, fig15Figure(curves, target))
	fig15Findings(&f, &curves[0])
	f.Predict("trio.fig15.latency.1024", span.prediction(&curves[0]))
	return f, nil
}

func newFig15Curve(ctx context.Context, e *experiment.Env, m Machine, r latencyReading, target units.Duration) (c fig15Curve, err error) {
	c.latencyReading = r
	e.Note("calibrating on %v at %d gradients: %s", target, calibrationGrads, r.name)
	if c.instruction, err = calibrate(m, r, 0, target); err != nil {
		return c, err
	}
	packets := experiment.Cut(e, fig15Packets, quickPackets)
	var runs []pfeRun
	for _, n := range fig15Grads {
		runs = append(runs, m.at(c.instruction, lone(n, packets, 0)))
	}
	e.Note("%d to %d gradients per packet: %s", fig15Grads[0], fig15Grads[len(fig15Grads)-1], r.name)
	c.points, err = measureAll(ctx, runs)
	return c, err
}

// fig15Findings are those of the first reading. That at 64 gradients is what was
// fed in.
func fig15Findings(f *experiment.Findings, c *fig15Curve) {
	set := func(id claims.ID, m claims.Measured) {
		f.Set(id, m.On(Model).Noting("an instruction takes %v, calibrated", c.instruction))
	}
	set("trio.fig15.latency.64", claims.Number(c.latency(&c.points[0]).Seconds()*1e6))
	var rates []claims.Point
	for i, n := range fig15Grads {
		rates = append(rates, claims.Point{X: float64(n), Y: c.rate(i)})
	}
	set("trio.fig15.sublinear", claims.Series(rates...))
	last := len(fig15Grads) - 1
	first, end := c.rate(1)/c.rate(0)-1, c.rate(last)/c.rate(last-1)-1
	set("trio.fig15.plateau", claims.NumberParts(map[string]float64{"gain_1024_pct": 100 * end, "gain_ratio": end / first}))
}

func fig15Table(curves []fig15Curve) claims.Table {
	t := claims.Table{
		ID: "trio.fig15", Title: "Latency of one PFE by gradients per packet, 4 servers with one packet each",
		Columns: []claims.Column{
			{Name: "latency of"}, {Name: "instruction", Unit: "ns"}, {Name: "gradients"}, {Name: "latency", Unit: "us"}, {Name: "rate", Unit: "gradients/us"},
			{Name: "from"},
		},
		Notes: []string{
			"Latency: from the arrival of a packet to the end of its thread, mean. Rate: gradients of a packet over it.",
			fmt.Sprintf("The latency at %d gradients is fed in: the cost of an instruction was solved for it, in each reading anew.", calibrationGrads),
			"That cost is hundreds of clocks, which is not plausible at 1 GHz: it takes up whatever the stated 30 us has that is not modelled.",
			fmt.Sprintf("%d packets of each server at each point. Servers act at the same time, since they get results at the same time.", curves[0].points[0].load.count),
		},
	}
	for i := range curves {
		c := &curves[i]
		for k := range c.points {
			p := &c.points[k]
			from := "simulated"
			if p.load.grads == calibrationGrads {
				from = "calibrated"
			}
			t.Add(render.Text(c.name), render.Int(int64(c.instruction/units.Nanosecond)), render.Int(p.load.grads), render.Number(c.latency(p).Seconds()*1e6, 2),
				render.Number(c.rate(k), 3), render.Text(from))
		}
	}
	return t
}

// fig15Span is the latency at 1024 gradients over what the papers leave open, the
// cost of an instruction calibrated anew at each.
type fig15Span []fig15Row

type fig15Row struct {
	machine     Machine
	reading     latencyReading
	apart       units.Duration
	other       string // choice; "": none
	instruction units.Duration
	latency     units.Duration // at 1024 gradients
	gain        float64        // of the rate, from 512 to 1024 gradients
}

// serversApart is by how much a server may be slower than the one before, where
// they do not act at the same time. Assumed: longer than a thread needs to create
// a record, so that no other has to wait for it.
const serversApart = 20 * units.Microsecond

func fig15Range(ctx context.Context, m Machine, target units.Duration) (s fig15Span, err error) {
	s = fig15Rows(m)
	for i := range s {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		if err := s[i].run(target); err != nil {
			return s, err
		}
	}
	return s, nil
}

// fig15Rows are all combinations of what has ends, and the other choices alone.
func fig15Rows(m Machine) (rows []fig15Row) {
	for _, size := range ThreadRange {
		for _, dram := range DRAMRange {
			for _, r := range latencyReadings {
				for _, apart := range []units.Duration{0, serversApart} {
					row := fig15Row{machine: m, reading: r, apart: apart}
					row.machine.PPEs, row.machine.Threads, row.machine.Memory.DRAMLatency = size.PPEs, size.Threads, dram
					rows = append(rows, row)
				}
			}
		}
	}
	for _, c := range addChoices() {
		row := fig15Row{machine: m, reading: c.reading, other: c.name}
		c.change(&row.machine)
		rows = append(rows, row)
	}
	return rows
}

func (r *fig15Row) run(target units.Duration) (err error) {
	if r.instruction, err = calibrate(r.machine, r.reading, r.apart, target); err != nil {
		return err
	}
	half, err := r.machine.at(r.instruction, lone(512, calibrationBlocks, r.apart)).measure()
	if err != nil {
		return err
	}
	p, err := r.machine.at(r.instruction, lone(1024, calibrationBlocks, r.apart)).measure()
	r.latency = r.reading.latency(&p)
	r.gain = p.rate(r.latency)/half.rate(r.reading.latency(&half)) - 1
	return err
}

func (s fig15Span) table() claims.Table {
	t := claims.Table{
		ID: "trio.fig15.range", Title: "Latency at 1024 gradients over what the paper leaves open",
		Columns: []claims.Column{
			{Name: "PPEs"}, {Name: "threads"}, {Name: "DRAM", Unit: "ns"}, {Name: "latency of"}, {Name: "servers apart", Unit: "us"}, {Name: "instruction", Unit: "ns"}, {Name: "latency", Unit: "us"},
			{Name: "gain of rate over 512", Unit: "%"}, {Name: "and"},
		},
		Notes: []string{
			"The cost of an instruction is calibrated at 64 gradients in each row. At most five threads are in use, so that their number does not show.",
			headNote(),
		},
	}
	for i := range s {
		r := &s[i]
		t.Add(render.Int(r.machine.PPEs), render.Int(r.machine.Threads), render.Int(int64(r.machine.Memory.DRAMLatency/units.Nanosecond)), render.Text(r.reading.name),
			render.Int(int64(r.apart/units.Microsecond)), render.Int(int64(r.instruction/units.Nanosecond)), render.Number(r.latency.Seconds()*1e6, 1),
			render.Percent(r.gain), render.Text(r.other))
	}
	return t
}

// headNote says at which points the two readings of where the head ends differ.
func headNote() string {
	var differ []int
	for _, n := range fig15Grads {
		if headChunks(n, headFromIP) != headChunks(n, headFromStart) {
			differ = append(differ, n)
		}
	}
	text := fmt.Sprintf("Ambiguity trio.head-split: with %d bytes of gradients in the head in place of %d, a tail has as many chunks of 64 bytes", headFromStart, headFromIP)
	if len(differ) == 0 {
		return text + " at every point, so that nothing here depends on it."
	}
	return fmt.Sprintf("%s but at %v gradients.", text, differ)
}

// prediction is the interval over the range, and over the curve with the
// constants as they are.
func (s fig15Span) prediction(c *fig15Curve) claims.Prediction {
	base := c.latency(&c.points[len(c.points)-1]).Seconds() * 1e6
	low, high := base, base
	for i := range s {
		us := s[i].latency.Seconds() * 1e6
		low, high = math.Min(low, us), math.Max(high, us)
	}
	return claims.Prediction{
		Low: low, High: high, Model: Model,
		Note: fmt.Sprintf("%.1f us with the constants as they are; over 96 to 160 PPEs, 16 to 24 threads, DRAM of 300 to 400 ns, servers together and apart, both readings of latency, adds at 8 bytes a clock, other policies of late packets, calibrated in each", base),
	}
}
