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
		Switch:   []claims.Switch{claims.SwitchPFE},
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

// fig15Curve is the figure in one reading of latency, with one division of the stated
// latency between instructions and the fixed cost.
type fig15Curve struct {
	latencyReading
	machine Machine
	points  []pfePoint // by fig15Grads
}

func (c *fig15Curve) rate(i int) float64 { return c.points[i].rate(c.latency(&c.points[i])) }

// at says what is assumed on the curve.
func (c *fig15Curve) at() string { return c.machine.Times() + ", latency of " + c.name }

// gains are by how much the rate rises over the last doubling of a packet, and over the
// first.
func (c *fig15Curve) gains() (last, first float64) {
	n := len(fig15Grads) - 1
	return c.rate(n)/c.rate(n-1) - 1, c.rate(1)/c.rate(0) - 1
}

func runPFEFig15(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	m, err := NewTrio(e)
	if err != nil {
		return f, err
	}
	target, err := statedLatency()
	if err != nil {
		return f, err
	}
	curves, err := fig15Curves(ctx, e, m, target)
	if err != nil {
		return f, err
	}
	span, err := fig15Range(ctx, m, target)
	if err != nil {
		return f, err
	}
	f.Tables = []claims.Table{fig15Table(curves), span.table()}
	f.Figures = append(f.Figures, fig15Figure(curves, target))
	fig15Findings(&f, curves)
	f.Predict("trio.fig15.latency.1024", span.prediction(curves))
	return f, nil
}

// fig15Curves are those of each reading, the one as assumed before those of the ends. The
// first is what claims are about.
func fig15Curves(ctx context.Context, e *experiment.Env, m Machine, target units.Duration) (curves []fig15Curve, err error) {
	for _, r := range latencyReadings {
		for i, divide := range []split{asAssumed, fastInstruction, slowInstruction} {
			c := fig15Curve{latencyReading: r}
			if c.machine, err = divide(solver{latencyReading: r, target: target}, m); err != nil {
				return nil, err
			}
			blocks := statedBlocks
			if i == 0 {
				blocks = experiment.Cut(e, fig15Packets, quickPackets)
			}
			e.Note("%d to %d gradients per packet: %s", fig15Grads[0], fig15Grads[len(fig15Grads)-1], c.at())
			if err := c.measure(ctx, blocks); err != nil {
				return nil, err
			}
			curves = append(curves, c)
		}
	}
	return curves, nil
}

// measure runs every point over so many blocks.
func (c *fig15Curve) measure(ctx context.Context, blocks int) (err error) {
	var runs []pfeRun
	for _, n := range fig15Grads {
		runs = append(runs, pfeRun{c.machine, lone(n, blocks, 0)})
	}
	c.points, err = measureAll(ctx, runs)
	return err
}

// fig15Findings are those of the first curve, and of the others as the ends of what is
// assumed. The latency at 64 gradients is what was fed in.
func fig15Findings(f *experiment.Findings, curves []fig15Curve) {
	set := func(id claims.ID, measured func(*fig15Curve) claims.Measured) {
		m := measured(&curves[0]).On(Model).Noting("%s", curves[0].at())
		for i := range curves[1:] {
			c := &curves[1+i]
			m = m.Over(claims.End{At: c.at(), Measured: measured(c)})
		}
		f.Set(id, m)
	}
	set("trio.fig15.latency.64", func(c *fig15Curve) claims.Measured { return claims.Number(c.latency(&c.points[0]).Seconds() * 1e6) })
	set("trio.fig15.sublinear", func(c *fig15Curve) claims.Measured {
		var rates []claims.Point
		for i, n := range fig15Grads {
			rates = append(rates, claims.Point{X: float64(n), Y: c.rate(i)})
		}
		return claims.Series(rates...)
	})
	set("trio.fig15.plateau", func(c *fig15Curve) claims.Measured {
		last, first := c.gains()
		return claims.NumberParts(map[string]float64{"gain_1024_pct": 100 * last, "gain_ratio": last / first})
	})
}

func fig15Table(curves []fig15Curve) claims.Table {
	t := claims.Table{
		ID: "trio.fig15", Title: "Latency of one PFE by gradients per packet, 4 servers with one packet each",
		Columns: []claims.Column{
			{Name: "latency of"}, {Name: "instruction", Unit: "ns"}, {Name: "fixed", Unit: "us"}, {Name: "gradients"}, {Name: "latency", Unit: "us"},
			{Name: "rate", Unit: "gradients/us"}, {Name: "from"},
		},
		Notes: []string{
			"Latency: from the arrival of a packet to the end of its thread, mean. Rate: gradients of a packet over it.",
			fmt.Sprintf("The latency at %d gradients is fed in. It holds a fixed cost of a packet and the cost of its instructions, of which neither is printed: the first rows of a reading have an instruction of as many clocks as a PPE has threads (assumed), the others the ends.", statedGrads),
			"An instruction takes 2 clocks at least (Trio §2.2, §6.3), and at most what leaves no fixed cost.",
			fmt.Sprintf("%d packets of each server at each point, %d at the ends. Servers act at the same time, since they get results at the same time.", curves[0].points[0].load.count, statedBlocks),
		},
	}
	for i := range curves {
		c := &curves[i]
		for k := range c.points {
			p := &c.points[k]
			from := "simulated"
			if p.load.grads == statedGrads {
				from = "fed in"
			}
			t.Add(render.Text(c.name), instructionCell(&c.machine), fixedCell(&c.machine), render.Int(p.load.grads),
				render.Number(c.latency(p).Seconds()*1e6, 2), render.Number(c.rate(k), 3), render.Text(from))
		}
	}
	return t
}

// instructionCell is what an instruction takes, in ns; fixedCell what a packet takes beside
// them, in us.
func instructionCell(m *Machine) render.Cell {
	return render.Int(int64(m.timing.Instruction / units.Nanosecond))
}

func fixedCell(m *Machine) render.Cell { return render.Number(m.timing.Packet.Seconds()*1e6, 1) }

// fig15Span is the latency at 1024 gradients over what the papers leave open, solved for
// the stated latency anew at each.
type fig15Span []fig15Row

type fig15Row struct {
	machine Machine
	reading latencyReading
	apart   units.Duration
	divide  split
	other   string         // choice; "": none
	latency units.Duration // at 1024 gradients
	gain    float64        // of the rate, from 512 to 1024 gradients
}

// serversApart is by how much a server may be slower than the one before, where
// they do not act at the same time. Assumed: longer than a thread needs to create
// a record, so that no other has to wait for it.
const serversApart = 20 * units.Microsecond

func fig15Range(ctx context.Context, m Machine, target units.Duration) (s fig15Span, err error) {
	s = fig15Rows(m)
	err = experiment.Parallel(len(s), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return s[i].run(target)
	})
	return s, err
}

// fig15Rows are all combinations of what has ends, and the other choices alone.
func fig15Rows(m Machine) (rows []fig15Row) {
	for _, divide := range []split{fastInstruction, slowInstruction} {
		for _, size := range ThreadRange {
			for _, dram := range DRAMRange {
				for _, r := range latencyReadings {
					for _, apart := range []units.Duration{0, serversApart} {
						row := fig15Row{machine: m, reading: r, apart: apart, divide: divide}
						row.machine.PPEs, row.machine.Threads, row.machine.Memory.DRAMLatency = size.PPEs, size.Threads, dram
						rows = append(rows, row)
					}
				}
			}
		}
		for _, c := range addChoices() {
			row := fig15Row{machine: m, reading: c.reading, divide: divide, other: c.name}
			c.change(&row.machine)
			rows = append(rows, row)
		}
	}
	return rows
}

func (r *fig15Row) run(target units.Duration) (err error) {
	if r.machine, err = r.divide(solver{latencyReading: r.reading, apart: r.apart, target: target}, r.machine); err != nil {
		return err
	}
	half, err := pfeRun{r.machine, lone(512, statedBlocks, r.apart)}.measure()
	if err != nil {
		return err
	}
	p, err := pfeRun{r.machine, lone(1024, statedBlocks, r.apart)}.measure()
	r.latency = r.reading.latency(&p)
	r.gain = p.rate(r.latency)/half.rate(r.reading.latency(&half)) - 1
	return err
}

func (s fig15Span) table() claims.Table {
	t := claims.Table{
		ID: "trio.fig15.range", Title: "Latency at 1024 gradients over what the paper leaves open",
		Columns: []claims.Column{
			{Name: "PPEs"}, {Name: "threads"}, {Name: "DRAM", Unit: "ns"}, {Name: "latency of"}, {Name: "servers apart", Unit: "us"}, {Name: "instruction", Unit: "ns"}, {Name: "fixed", Unit: "us"}, {Name: "latency", Unit: "us"},
			{Name: "gain of rate over 512", Unit: "%"}, {Name: "and"},
		},
		Notes: []string{
			"Each row is solved for the stated latency at 64 gradients, with both ends of what an instruction takes. At most five threads are in use, so that their number does not show.",
			headNote(),
		},
	}
	for i := range s {
		r := &s[i]
		t.Add(render.Int(r.machine.PPEs), render.Int(r.machine.Threads), render.Int(int64(r.machine.Memory.DRAMLatency/units.Nanosecond)), render.Text(r.reading.name),
			render.Int(int64(r.apart/units.Microsecond)), instructionCell(&r.machine), fixedCell(&r.machine), render.Number(r.latency.Seconds()*1e6, 1),
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

// prediction is the interval over the range, and over the curves.
func (s fig15Span) prediction(curves []fig15Curve) claims.Prediction {
	low, high := math.Inf(1), 0.0
	for i := range curves {
		c := &curves[i]
		us := c.latency(&c.points[len(c.points)-1]).Seconds() * 1e6
		low, high = math.Min(low, us), math.Max(high, us)
	}
	for i := range s {
		us := s[i].latency.Seconds() * 1e6
		low, high = math.Min(low, us), math.Max(high, us)
	}
	c := &curves[0]
	return claims.Prediction{
		Low: low, High: high, Model: Model,
		Note: fmt.Sprintf("%.1f us with %s; over both ends of what an instruction takes, 96 to 160 PPEs, 16 to 24 threads, DRAM of 300 to 400 ns, servers together and apart, both readings of latency, adds of 4, 8 and 64 bytes and at 8 bytes a clock, other policies of late packets, solved for the stated latency in each",
			c.latency(&c.points[len(c.points)-1]).Seconds()*1e6, c.machine.Times()),
	}
}
