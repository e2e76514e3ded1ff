package virtual

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
)

// fig9 is SwitchML Fig 9 and App C: the size of the pool.
func fig9() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.fig9", Title: "time of an aggregation and round trip by the size of the pool",
		Switch: []claims.Switch{claims.SwitchPipelineTimed, claims.SwitchReference},
		Claims: []claims.ID{"switchml.fig9.rtt-vs-s", "switchml.appC.optimal-s"},
		Quick:  "2 workers in place of 8; tensors of pools below 32 slots are a fraction",
		Run:    runFig9,
	}
}

// pools are the sizes of the sweep; DPDK hosts, whose knee is further up, have one more.
var (
	pools     = []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
	dpdkPools = append(slices.Clone(pools), 2048)
)

// swept is the sweep at one link rate, on two kinds of hosts.
type swept struct {
	line []pooled // that fill the line, and add little to the round trip
	dpdk []pooled // DPDK, core by core, with bursts and transmit buffers
}

// knee is the share of the best rate that the smallest sufficient pool reaches.
const knee = 0.98

// pooled is one point of the sweep.
type pooled struct {
	slots  int
	call   call
	took   units.Duration
	blocks int
}

// whole is the time of a tensor of 95 MiB: measured, or from a smaller one whose
// time is in proportion where rounds of the pool follow one another.
func (p *pooled) whole() units.Duration {
	return p.took.Scale(float64(tensorMiB) / float64(p.call.mib))
}

// trip is the round trip of a packet: a slot sends its next as soon as its result
// is in, so that its packets, exponents' included, share the time.
func (p *pooled) trip() units.Duration {
	return p.took.Scale(float64(p.slots) / float64(p.blocks+p.slots))
}

// pointOf is the point of a pool at a link rate, on hosts that fill the line. The passes of a packet are those of
// the emulated Tofino, or of another choice: the reference program then, in a switch that takes as long for
// every packet.
func pointOf(e *experiment.Env, slots int, rate units.Rate, choice string) (p pooled, err error) {
	c := call{
		name: fmt.Sprintf("pool of %d", slots), sys: switchml.System{Elements: 256, Slots: slots}, host: e.Constants.RDMA(),
		workers: 8, rate: rate, mib: tensorMiB,
	}
	if choice == emulatedPasses() {
		c = c.onChip(e)
	} else if c.inside, err = insideSwitch(e, choice); err != nil {
		return p, err
	}
	if e.Quick {
		c.workers = 2
		if slots < 32 {
			c.mib = max(8, tensorMiB*slots/32)
		}
	}
	return pooled{slots: slots, call: c, blocks: int(c.bytes()) / 1024}, nil
}

// simulate gives points their times.
func simulate(ctx context.Context, e *experiment.Env, points []pooled) error {
	var calls []call
	for i := range points {
		calls = append(calls, points[i].call)
	}
	times, err := aggregate(ctx, e, calls)
	for i := range times {
		points[i].took, points[i].call.ran = times[i], calls[i].ran
	}
	return err
}

// sweepPools simulates every pool at a link rate.
func sweepPools(ctx context.Context, e *experiment.Env, rate units.Rate) (swept, error) {
	var line, dpdk []pooled
	for _, s := range dpdkPools {
		p, err := pointOf(e, s, rate, e.Reading(extraPasses))
		if err != nil {
			return swept{}, err
		}
		if slices.Contains(pools, s) {
			line = append(line, p)
		}
		p.call = p.call.onDPDK(e)
		dpdk = append(dpdk, p)
	}
	all := slices.Concat(line, dpdk)
	err := simulate(ctx, e, all)
	return swept{line: all[:len(line)], dpdk: all[len(line):]}, err
}

// kneeOf returns the smallest pool that reaches the knee.
func kneeOf(points []pooled) int {
	best := units.Duration(math.MaxInt64)
	for i := range points {
		best = min(best, points[i].whole())
	}
	for i := range points {
		if float64(best) >= knee*float64(points[i].whole()) {
			return i
		}
	}
	return len(points) - 1
}

// formula is the pool of App C: round trip times rate over the packet, up to the
// next power of two.
func formula(trip units.Duration, rate units.Rate) int {
	need := trip.Seconds() * float64(rate) / 8 / testbed.PacketOf256
	return 1 << int(math.Ceil(math.Log2(max(1, need))))
}

func runFig9(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	f := experiment.Findings{}
	parts, sweeps, trips, ran := map[string]claims.Measured{}, map[units.Rate]swept{}, []string{}, ""
	for _, l := range testbed.LinkRates {
		s, err := sweepPools(ctx, e, l.Rate)
		if err != nil {
			return f, err
		}
		sweeps[l.Rate] = s
		at, knee := kneeOf(s.line), kneeOf(s.dpdk)
		ran = s.line[at].call.ran
		parts["knee_over_formula_"+l.Name] = claims.Number(float64(s.line[at].slots) / float64(formula(s.line[0].trip(), l.Rate)))
		parts["knee_"+l.Name] = claims.Number(float64(s.dpdk[knee].slots))
		trips = append(trips, fmt.Sprintf("%.3g us at %v", s.dpdk[max(0, knee-1)].trip().Seconds()*1e6, l.Rate))
		f.Tables = append(f.Tables, lineTable(s.line, l.Name, l.Rate), dpdkTable(s.dpdk, l.Name, l.Rate))
		if l.Name == "100g" {
			m := poolFindings(s.line, at, l.Rate)
			f.Set("switchml.fig9.rtt-vs-s", m.On(lineModel).RanOn(claims.Switch(ran)))
		}
	}
	f.Set("switchml.appC.optimal-s", claims.Group(parts).On("knees: SwitchML-256 on DPDK hosts, core by core; knees over formula: "+lineModel+", round trip measured with a pool of one slot").RanOn(claims.Switch(ran)).
		Noting("round trip of the largest pool below the knee: %s; the paper's pools imply %s at 10 Gbit/s and %s at 100", strings.Join(trips, ", "), impliedTrip(pool10, testbed.Gigabit10), impliedTrip(switchml.DefaultSlots, testbed.Gigabit100)))
	drawn, err := poolFigure(sweeps, "a switch whose passes take time; no retransmission")
	if err != nil {
		return f, err
	}
	f.Figures = append(f.Figures, drawn)
	choices, err := passChoices(ctx, e)
	f.Tables = append(f.Tables, choices)
	return f, err
}

// lineModel is what the sweep runs on where only the line and the switch matter.
const lineModel = "SwitchML-256 on hosts that do not limit the rate, and a switch whose passes take time; no retransmission"

// impliedTrip is the round trips for which a pool is the next power of two that
// App C's formula asks for.
func impliedTrip(slots int, rate units.Rate) string {
	us := rate.TimeToSend(testbed.PacketOf256).Seconds() * 1e6
	return fmt.Sprintf("%.3g to %.3g us", us*float64(slots/2), us*float64(slots))
}

// poolFindings is what Fig 9 says: times fall up to the knee and stay, and round
// trips grow by a packet's time with each slot past it.
func poolFindings(points []pooled, at int, rate units.Rate) claims.Measured {
	var falls []claims.Point
	for i := range points[:at+1] {
		falls = append(falls, claims.Point{X: float64(points[i].slots), Y: points[i].whole().Seconds() * 1e6})
	}
	past := points[at:]
	least, greatest := past[0].whole(), past[0].whole()
	for i := range past {
		least, greatest = min(least, past[i].whole()), max(greatest, past[i].whole())
	}
	first, last := past[min(1, len(past)-1)], past[len(past)-1]
	slope := (last.trip() - first.trip()).Seconds() / float64(last.slots-first.slots)
	return claims.Group(map[string]claims.Measured{
		"tat_falls":       claims.Series(falls...),
		"tat_past_knee":   claims.Number(greatest.Seconds() / least.Seconds()),
		"rtt_slope_ratio": claims.Number(slope / rate.TimeToSend(testbed.PacketOf256).Seconds()),
	})
}

// lineTable is the sweep on hosts that fill the line.
func lineTable(points []pooled, name string, rate units.Rate) claims.Table {
	t := poolTable(points, claims.ID("switchml.fig9."+name), fmt.Sprintf("Pool size at %v, hosts that fill the line", rate))
	t.Notes = []string{fmt.Sprintf("App C's formula gives %d slots for the round trip of one; the smallest pool at %g%% of the best rate has %d.",
		formula(points[0].trip(), rate), 100*knee, points[kneeOf(points)].slots)}
	return t
}

// dpdkTable is the sweep on DPDK hosts, with what the paper says beside.
func dpdkTable(points []pooled, name string, rate units.Rate) claims.Table {
	at, used := kneeOf(points), switchml.DefaultSlots
	if rate == testbed.Gigabit10 {
		used = pool10
	}
	t := poolTable(points, claims.ID("switchml.fig9."+name+".dpdk"), fmt.Sprintf("Pool size at %v, DPDK hosts with %d cores", rate, points[len(points)-1].call.host.Queues))
	t.Notes = []string{
		fmt.Sprintf("The smallest pool at %g%% of the best rate has %d slots; the paper settles on %d.", 100*knee, points[at].slots, used),
		fmt.Sprintf("Round trip of the largest pool below that: %.3g us; the paper's pool implies %s (App C's formula). It is compared with, and fed to nothing.",
			points[max(0, at-1)].trip().Seconds()*1e6, impliedTrip(used, rate)),
	}
	return t
}

// poolTable is the points of a sweep.
func poolTable(points []pooled, id claims.ID, title string) claims.Table {
	t := claims.Table{
		ID: id, Title: fmt.Sprintf("%s: time of a tensor of %d MiB and mean round trip", title, tensorMiB),
		Columns: []claims.Column{{Name: "slots"}, {Name: "switch"}, {Name: "simulated", Unit: "MiB"}, {Name: "time", Unit: "ms"}, {Name: "round trip", Unit: "us"}},
	}
	for i := range points {
		p := &points[i]
		t.Add(render.Int(p.slots), render.Text(p.call.ran), render.Int(p.call.mib), render.Number(p.whole().Milliseconds(), 3), render.Number(p.trip().Seconds()*1e6, 3))
	}
	return t
}

// extraPasses is the ambiguity of how many passes beyond the first a packet of 256
// values makes that completes its slot. Its choices are numbers.
const extraPasses claims.ID = "switchml.extra-pass-count"

// passCounts are its choices: three pipes more to add, these and four to read, and
// what reads of 32 values take.
var passCounts = []string{"3", "7", "10"}

// emulatedPasses is the choice that the emulated Tofino makes.
func emulatedPasses() string { return strconv.Itoa(pipeline.Passes(256, true) - 1) }

// insideSwitch is how long a result takes from port to port under a choice.
func insideSwitch(e *experiment.Env, choice string) (units.Duration, error) {
	n, err := strconv.Atoi(choice)
	if err != nil {
		return 0, fmt.Errorf("ambiguity %s: choice %q is no number", extraPasses, choice)
	}
	return testbed.SwitchTime(e) + units.Duration(n)*testbed.PassTime(e), nil
}

// passChoices is what each choice does to the round trip, to the pool that App C's
// formula gives for it, and to the time of a tensor with the pool that the paper uses.
func passChoices(ctx context.Context, e *experiment.Env) (claims.Table, error) {
	t := claims.Table{
		ID: "switchml.fig9.passes", Title: fmt.Sprintf("Passes of a packet of 256 values that completes its slot, at %v", testbed.Gigabit100),
		Columns: []claims.Column{
			{Name: "further passes"}, {Name: "switch"}, {Name: "in the switch, idle", Unit: "us"}, {Name: "round trip, pool of 1", Unit: "us"}, {Name: "pool by the formula"}, {Name: fmt.Sprintf("tensor, pool of %d", switchml.DefaultSlots), Unit: "ms"},
		},
		Notes: []string{
			"The choices of ambiguity " + string(extraPasses) + "; the other tables are with " + e.Reading(extraPasses) + " further passes.",
			"The emulated pipeline makes " + emulatedPasses() + ". For the others every packet takes as long in a switch with the reference program, whose ports inside are never full.",
		},
	}
	var points []pooled
	for _, choice := range passCounts {
		for _, slots := range []int{1, switchml.DefaultSlots} {
			p, err := pointOf(e, slots, testbed.Gigabit100, choice)
			if err != nil {
				return t, err
			}
			points = append(points, p)
		}
	}
	if err := simulate(ctx, e, points); err != nil {
		return t, err
	}
	for i, choice := range passCounts {
		one, all := &points[2*i], &points[2*i+1]
		inside, err := insideSwitch(e, choice)
		if err != nil {
			return t, err
		}
		t.Add(render.Text(choice), render.Text(all.call.ran), render.Number(inside.Seconds()*1e6, 2), render.Number(one.trip().Seconds()*1e6, 2),
			render.Int(formula(one.trip(), testbed.Gigabit100)), render.Number(all.whole().Milliseconds(), 3))
	}
	return t, nil
}
