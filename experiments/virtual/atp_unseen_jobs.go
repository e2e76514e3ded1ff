package virtual

import (
	"context"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// atpSixteenJobs is 16 jobs of two workers on one switch, with aggregators for all of their packets in flight and
// for half of them.
func atpSixteenJobs() experiment.Experiment {
	const id = "atp.unseen.sixteen-jobs"
	return experiment.Experiment{
		ID: id, Title: "16 jobs on one switch: aggregators in use, and rates, against arithmetic",
		Switch: []claims.Switch{claims.SwitchReference},
		Claims: []claims.ID{id},
		Quick:  "tensors of 8 MiB in place of 32",
		Run: func(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			first, err := runFirstWindows(ctx, e)
			if err != nil {
				return f, err
			}
			rates, err := runRates(ctx, e)
			if err != nil {
				return f, err
			}
			off, outside := 0.0, 0.0
			for i := range first {
				off = max(off, math.Abs(first[i].deviations()))
			}
			for i := range rates {
				outside = max(outside, rates[i].rate.outside(rates[i].measured))
			}
			f.Set(id, claims.NumberParts(map[string]float64{"deviations": off, "rate_outside_pct": outside}).
				On("two workers and a server a job, links of 100 Gbit/s, indexes that do not move").
				Noting("deviations: of the aggregators that the first windows use from their mean, the largest of four, in standard deviations"))
			f.Tables = append(f.Tables, firstWindowsTable(first), ratesTable(rates))
			return f, nil
		},
	}
}

// Settings of the 16 jobs. The tables are that of the public code (atp.DefaultAggregators), which has room for all windows,
// and its half.
const (
	manyJobs    = 16
	manyWorkers = 2
	manyWindow  = atp.DefaultAggregators / manyJobs
)

var manyTables = []int{atp.DefaultAggregators, atp.DefaultAggregators / 2}

// manyLab is the 16 jobs.
func manyLab(sys atp.System) tenantLab {
	l := tenantLab{hosts: manyJobs * (manyWorkers + 1)}
	for i := range manyJobs {
		at := i * (manyWorkers + 1)
		l.jobs = append(l.jobs, tenantJob{sys: sys, id: uint8(1 + i), on: []int{at, at + 1}, server: []int{at + manyWorkers}, iterations: 1})
	}
	return l
}

// firstWindow is what the first windows of all jobs found, before any aggregator was freed.
type firstWindow struct {
	hash     string
	drawn    occupancy
	used     int // aggregators
	single   int // contributions of workers that found none
	reserved int // by the counter of the switch
	resent   int
	ran      string // what aggregated
}

// deviations is how many standard deviations the table's use is from its mean.
func (w *firstWindow) deviations() float64 {
	return (float64(w.used) - w.drawn.used()) / w.drawn.spread()
}

// runFirstWindows sends one window of each job over links so long that no parameter packet is back before it is out.
func runFirstWindows(ctx context.Context, e *experiment.Env) ([]firstWindow, error) {
	var out []firstWindow
	var labs []tenantLab
	for _, table := range manyTables {
		for _, by := range []struct {
			name     string
			indexing host.Indexing
		}{{"place in the window", host.ByPosition}, {"number", host.ByNumber}} {
			sys := stillTenant(e, table, manyWindow)
			sys.Indexing = by.indexing
			l := manyLab(sys)
			l.inside = 2 * manyWindow * frameTime()
			for i := range l.jobs {
				l.jobs[i].elements, l.jobs[i].model = manyWindow*wire.Values, "vgg16"
			}
			labs = append(labs, l)
			out = append(out, firstWindow{hash: by.name, drawn: occupancy{table: table, jobs: manyJobs, places: manyWindow, apart: by.indexing == host.ByPosition}})
		}
	}
	cells, err := together(ctx, e, labs)
	for i := range cells {
		out[i].take(cells[i])
		out[i].ran = labs[i].ran
	}
	return out, err
}

// take counts what the jobs of a lab say.
func (w *firstWindow) take(cells []result.Cell) {
	for i := range cells {
		w.used += int(summed(&cells[i], atpps.CountWhole))
		w.single += int(summed(&cells[i], atpps.CountSingle))
		w.resent += int(summed(&cells[i], sansio.CountResentPackets))
	}
	w.reserved = int(endingIn(&cells[0], "atp-aggregators-reserved"))
}

func firstWindowsTable(list []firstWindow) claims.Table {
	t := claims.Table{
		ID: "atp.unseen.sixteen-jobs", Title: "Aggregators that the first windows of 16 jobs use",
		Columns: []claims.Column{
			{Name: "aggregators"}, {Name: "switch"}, {Name: "index is the hash of the"}, {Name: "arithmetic"}, {Name: "predicted in use"}, {Name: "standard deviation"}, {Name: "in use"}, {Name: "deviations off"},
			{Name: "packets that find none, predicted"}, {Name: "packets that find none"}, {Name: "reserved in the switch"}, {Name: "sent again"},
		},
		Notes: []string{"N aggregators, J jobs with S places each, W = JS packets of a worker in flight. Places of a job are apart from each other, numbers are not.", portsNote()},
	}
	for i := range list {
		w := &list[i]
		formula := "N(1-(1-1/N)^W)"
		if w.drawn.apart {
			formula = "N(1-(1-S/N)^J)"
		}
		t.Add(render.Int(w.drawn.table), render.Text(w.ran), render.Text(w.hash), render.Text(formula), render.Number(w.drawn.used(), 1), render.Number(w.drawn.spread(), 1), render.Int(w.used), render.Number(w.deviations(), 2),
			render.Number(manyWorkers*(w.drawn.wanted()-w.drawn.used()), 1), render.Int(w.single), render.Int(w.reserved), render.Int(w.resent))
	}
	return t
}

// crowdRate is the rate of a job among 16.
type crowdRate struct {
	table       int
	share, rate interval
	inSwitch    float64 // share of fragments that the switch added
	measured    float64 // Gbit/s of values, mean of the jobs
	resent      uint64
	ran         string // what aggregated
}

// runRates has all jobs send a long tensor.
func runRates(ctx context.Context, e *experiment.Env) ([]crowdRate, error) {
	mib := experiment.Cut(e, 32, 8)
	size := units.Bytes(mib) * units.MiB
	var out []crowdRate
	var labs []tenantLab
	for _, table := range manyTables {
		s := newSteady(e, occupancy{table: table, jobs: manyJobs, places: manyWindow, apart: true}, manyWorkers)
		trip := 2 * s.away.Seconds() // of the first packet, in an empty network
		out = append(out, crowdRate{table: table, share: s.shares(), rate: s.over(func(share float64) float64 {
			return 8 * float64(size) / (float64(fragmentsOf(size))/s.fragments(share) + trip) / 1e9
		})})
		l := manyLab(stillTenant(e, table, manyWindow))
		for i := range l.jobs {
			l.jobs[i].mib = mib
		}
		labs = append(labs, l)
	}
	cells, err := together(ctx, e, labs)
	for i, list := range cells {
		out[i].ran = labs[i].ran
		for k := range list {
			c := &list[k]
			out[i].measured += 8 * float64(size) / c.Samples[0].End.Sub(c.Samples[0].Start).Seconds() / 1e9 / manyJobs
			out[i].inSwitch += float64(summed(c, atpps.CountWhole)) / float64(summed(c, atpps.CountAnswered)) / manyJobs
			out[i].resent += summed(c, sansio.CountResentPackets)
		}
	}
	return out, err
}

func ratesTable(list []crowdRate) claims.Table {
	t := claims.Table{
		ID: "atp.unseen.sixteen-jobs.rates", Title: "Rate of a job among 16",
		Columns: []claims.Column{
			{Name: "aggregators"}, {Name: "switch"}, {Name: "predicted share of the switch"}, {Name: "share of the switch"}, {Name: "predicted rate", Unit: "Gbit/s"}, {Name: "rate", Unit: "Gbit/s"}, {Name: "outside", Unit: "%"}, {Name: "sent again"},
		},
		Notes: []string{
			"Of values, mean of the jobs. A fragment takes 1 frame of the server's line where the switch added it, else one of each worker.",
			"Lower ends: an aggregator in use adds one fragment in a round trip. Upper ends: those of several places are taken again at once. Both with three standard deviations of the aggregators in use.",
			portsNote(),
		},
	}
	for i := range list {
		r := &list[i]
		t.Add(render.Int(r.table), render.Text(r.ran), r.share.cell(3), render.Number(r.inSwitch, 3), r.rate.cell(2), render.Number(r.measured, 2), render.Number(r.rate.outside(r.measured), 2), render.Int(r.resent))
	}
	return t
}
