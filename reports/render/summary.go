package render

import (
	"io"
	"math"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
)

// summaryColumn is one column of summary.csv. Tables for people, JSON and
// COLUMNS.md are made from the same list.
type summaryColumn struct {
	Column
	unit string // in CSV and JSON
	doc  string // for COLUMNS.md
	cell func(*compare.Row) Cell
}

// decimalsOf is how many decimals people see of times, so that they align: at least
// four digits of the largest.
func decimalsOf(rows []compare.Row) int {
	var largest float64
	for _, r := range rows {
		if ms, ok := r.Time(); ok {
			largest = max(largest, ms)
		}
	}
	decimals := 1
	for limit := 100.0; largest < limit && decimals < 4; limit /= 10 {
		decimals++
	}
	return decimals
}

// summaryColumns returns the columns in the order of summary.csv, new ones at the end;
// people see times with so many decimals.
func summaryColumns(baseline result.Baseline, decimals int) []summaryColumn {
	return append(resultColumns(baseline, decimals), settingColumns()...)
}

// resultColumns are what was compared, and how it came out.
func resultColumns(baseline result.Baseline, decimals int) []summaryColumn {
	speedup := "speedup_" + baseline.Key
	return []summaryColumn{
		{Column{Key: "system", Name: "system"}, "", "what ran; ideal is computed, not run: measured compute time plus the analytic time of a ring at link rate",
			func(r *compare.Row) Cell { return Text(r.System) }},
		{Column{Key: "model", Name: "model", Fold: true}, "", "profile of the network that was trained",
			func(r *compare.Row) Cell { return Text(r.Model) }},
		{Column{Key: "clock", Name: "clock", Fold: true}, "", "live (wall clock, real packets) or virtual (event queue)",
			func(r *compare.Row) Cell { return Text(r.Clock) }},
		{Column{Key: "straggle_p", Name: "p", Unit: "%", Align: Right}, "fraction", "straggle probability of the scenario",
			func(r *compare.Row) Cell { return Percent(r.StraggleP) }},
		{Column{Key: "n", Name: "n", Align: Right, Fold: true}, "iterations", "iterations that the mean and its interval rest on: those that every worker finished",
			func(r *compare.Row) Cell { return count(&r.Iter.N, !r.Computed) }},
		{Column{Key: "seed", Name: "seed", Align: Right, Fold: true}, "", "root of all randomness in the run",
			func(r *compare.Row) Cell { return Int(r.Seed) }},
		{Column{Key: "scale", Name: "scale", Align: Right, Fold: true}, "", "what link rate, model size, window, pool and queues were divided by",
			func(r *compare.Row) Cell { return count(&r.Scale, r.Scale > 0) }},
		{Column{Key: "iter_ms", Name: "iteration", Unit: "ms", Align: Right}, "ms", "time between a worker's consecutive model updates: mean over all workers and iterations, the straggler included",
			func(r *compare.Row) Cell { return iterCell(r, decimals) }},
		{Column{Key: "iter_ms_ci", Align: Right}, "ms", "half-width of the 95% interval of iter_ms (Student t over the means of n iterations)",
			func(r *compare.Row) Cell { return when(r.Iter.Bounded(), Number(r.Iter.Half, decimals)) }},
		{Column{Key: "iter_ms_expected", Name: "expected", Unit: "ms", Align: Right, Spare: 2}, "ms", "iteration time that follows from the injected schedule, the nominal compute time and the link rate, without the time that software takes; iter_ms_expected_kind says in which sense",
			func(r *compare.Row) Cell { return expectedCell(r, decimals) }},
		{Column{Key: "ratio_ideal", Name: "/ideal", Align: Right, Spare: 1}, "ratio", "iter_ms over that of the ideal of the same setting and seed, which has no stragglers",
			func(r *compare.Row) Cell {
				return number(r.RatioIdeal, 2).Suspect(r.Invalid() || r.RatioInvalid)
			}},
		{Column{Key: speedup, Name: "speed-up", Unit: baseline.Word, Align: Right}, "ratio", "mean iteration time of " + baseline.System + " over this system's, paired by iteration; same model, p, seed, clock, scale and workers; no better than the fidelity of both rows",
			speedupCell},
		{Column{Key: "degraded_blocks", Name: "degraded", Unit: "blocks", Align: Right, Spare: 6}, "blocks", "blocks whose result lacked a source, over the run, at the worker that saw most (all workers get the same results)",
			func(r *compare.Row) Cell { return Optional(r.DegradedBlocks, Int).Suspect(r.Invalid()) }},
		{Column{Key: "retransmits", Name: "retransmits", Unit: "packets", Align: Right, Fold: true, Spare: 7}, "packets", "datagrams and segments of TCP that were sent again, by all workers and servers of the job",
			func(r *compare.Row) Cell { return resentCell(r, func(a *result.Resent) Cell { return Int(a.Packets) }) }},
		{Column{Key: "wrong", Name: "wrong", Unit: "of checked", Align: Right}, "elements", "elements of results that differ from the sum over their contributors: every worker, or those that the trace of the switch names where a block may lack some; must be 0",
			wrongCell},
		{Column{Key: "checked", Align: Right}, "elements", "elements that were compared; must not be 0",
			func(r *compare.Row) Cell { return Optional(r.Checked, Int) }},
		{Column{Key: "accuracy", Name: "accuracy", Unit: "%", Align: Right, Spare: 5}, "fraction", "share of the test set that the model gets right, when it was last evaluated",
			accuracyCell},
		{Column{Key: "fidelity", Name: "fidelity"}, "", "trusted, busy or invalid (live clock), exact (virtual clock), computed (not run); numbers of an invalid row are not results",
			fidelityCell},
		{Column{Key: speedup + "_lo"}, "ratio", "lower end of the 95% interval of " + speedup + " (linearised, Student t)",
			func(r *compare.Row) Cell { return when(r.Speedup.Bounded(), Number(r.Speedup.Lo(), 3)) }},
		{Column{Key: speedup + "_hi"}, "ratio", "upper end of that interval",
			func(r *compare.Row) Cell { return when(r.Speedup.Bounded(), Number(r.Speedup.Hi(), 3)) }},
		{Column{Key: "iter_ms_expected_kind"}, "", "value: what iter_ms comes to; bound: what iter_ms stays below; either way but for the time that software takes",
			expectedKind},
	}
}

// settingColumns are where and beside what a job ran, and what that did to it.
func settingColumns() []summaryColumn {
	return []summaryColumn{
		{Column{Key: "topology", Name: "topology", Detail: true}, "", "where the system ran",
			func(r *compare.Row) Cell { return Text(r.Topology) }},
		{Column{Key: "workers", Name: "workers", Align: Right, Fold: true}, "", "workers that trained together",
			func(r *compare.Row) Cell { return count(&r.Workers, r.Workers > 0) }},
		{Column{Key: "job", Name: "job", Detail: true}, "", "name of the job, where several shared the lab",
			func(r *compare.Row) Cell { return when(r.Job != "", Text(r.Job)) }},
		{Column{Key: "inflation", Name: "/first", Align: Right, Detail: true}, "ratio", "iter_ms over that of the same system at the first point of the sweep; empty without a sweep",
			func(r *compare.Row) Cell { return number(r.Inflation, 2).Suspect(r.Invalid()) }},
		{Column{Key: "marks", Name: "marks", Unit: "frames", Align: Right, Spare: 3, Detail: true}, "frames", "frames that links marked for congestion, over the run; links.csv has them by link",
			func(r *compare.Row) Cell { return Optional(r.Marks, Int).Suspect(r.Invalid()) }},
		{Column{Key: "drops", Name: "drops", Unit: "frames", Align: Right, Spare: 3, Detail: true}, "frames", "frames that links lost or dropped, over the run; links.csv has them by link and reason",
			func(r *compare.Row) Cell { return Optional(r.Drops, Int).Suspect(r.Invalid()) }},
		{Column{Key: "lab", Name: "lab", Detail: true}, "", "what the jobs of the lab ran, where that was several systems, each with the number of its jobs",
			func(r *compare.Row) Cell { return when(r.Lab != "", Text(r.Lab)) }},
		{Column{Key: "resent", Name: "resent", Unit: "bytes", Align: Right, Detail: true}, "B", "bytes that were sent again because of losses and timeouts, by all workers and servers of the job: what is behind the headers of UDP or TCP",
			func(r *compare.Row) Cell { return resentCell(r, func(a *result.Resent) Cell { return Int(a.Bytes) }) }},
		{Column{Key: "ended", Name: "ended", Unit: "s", Align: Right, Detail: true}, "s", "when the job was ended before it was done, from the start of the run; empty where it was done",
			func(r *compare.Row) Cell { return number(r.Ended, 3) }},
		{Column{Key: "throughput", Name: "throughput", Unit: "Mbit/s", Align: Right, Detail: true}, "bit/s", "of one of several jobs of a lab: payload that came to a worker, over the time of its iterations; empty where no series was recorded",
			throughputCell},
		{Column{Key: "jain", Name: "Jain", Align: Right, Detail: true}, "", "Jain's index over the rates of iterations of the jobs of the lab that train the same model: 1 where all are alike, 1/n where one of n has all",
			func(r *compare.Row) Cell { return number(r.Jain, 3) }},
		{Column{Key: "depth_p99", Name: "queue", Unit: "kB", Align: Right, Detail: true}, "B", "of one of several jobs of a lab: the deepest queue before a line to or from its hosts, without the 1% of the time at which it was deepest; links.csv has them by link",
			depthCell},
		{Column{Key: "switch", Name: "switch", Spare: 8, Fold: true}, "", "what aggregated in switches: a program on an emulated chip (pipeline, microcode), with the time of that chip or without, or the protocol in Go (reference); empty where switches only forward",
			func(r *compare.Row) Cell { return when(r.Switch != "", Text(r.Switch)) }},
		{Column{Key: "rate", Name: "rate", Unit: "Mbit/s", Align: Right, Detail: true}, "bit/s", "of a model that is given by its size: the gradient over iter_ms, computes included, at the scale of the run (algbw of nccl-tests); empty where a network is trained",
			rateCell},
	}
}

func resentCell(r *compare.Row, of func(*result.Resent) Cell) Cell {
	if r.Resent == nil {
		return NA()
	}
	return of(r.Resent).Suspect(r.Invalid())
}

func rateCell(r *compare.Row) Cell {
	if r.Rate == nil {
		return NA()
	}
	return Int(int64(math.Round(*r.Rate))).As(Number(*r.Rate/1e6, 1).people).Suspect(r.Invalid())
}

func throughputCell(r *compare.Row) Cell {
	if r.Throughput == nil {
		return NA()
	}
	return Int(int64(math.Round(*r.Throughput))).As(Number(*r.Throughput/1e6, 2).people).Suspect(r.Invalid())
}

func depthCell(r *compare.Row) Cell {
	if r.Depth == nil {
		return NA()
	}
	return Int(*r.Depth).As(Number(float64(*r.Depth)/1e3, 1).people).Suspect(r.Invalid())
}

func iterCell(r *compare.Row, decimals int) Cell {
	ms, ok := r.Time()
	c := Within(ms, r.Iter.Half, decimals)
	if r.Computed {
		c = Number(ms, decimals)
	}
	return when(ok, c).Suspect(r.Invalid())
}

func expectedCell(r *compare.Row, decimals int) Cell {
	c := number(r.Expected, decimals)
	if r.Expected != nil && r.ExpectedIsBound {
		c = c.As("≤" + c.people)
	}
	return c
}

func expectedKind(r *compare.Row) Cell {
	switch {
	case r.Expected == nil:
		return NA()
	case r.ExpectedIsBound:
		return Text("bound")
	}
	return Text("value")
}

func speedupCell(r *compare.Row) Cell {
	if !r.Speedup.Known() {
		return NA()
	}
	c := Within(r.Speedup.Value, r.Speedup.Half, 2)
	if r.IsBaseline { // exactly 1, not an estimate
		c = Number(r.Speedup.Value, 2)
	}
	return c.Suspect(r.Invalid() || r.SpeedupInvalid)
}

// wrongCell shows people both counts: neither says anything without the other.
func wrongCell(r *compare.Row) Cell {
	c := Optional(r.Wrong, Int)
	switch {
	case r.Wrong == nil || r.Checked == nil:
		return c
	case *r.Checked == 0:
		return c.As("unchecked")
	}
	return c.As(c.people + "/" + Optional(r.Checked, Int).people)
}

func accuracyCell(r *compare.Row) Cell {
	if r.Accuracy == nil {
		return NA()
	}
	c := Number(*r.Accuracy, 3)
	return c.As(Number(100**r.Accuracy, 1).people).Suspect(r.Invalid())
}

func fidelityCell(r *compare.Row) Cell {
	switch {
	case r.Fidelity.Verdict != "":
		return Text(r.Fidelity.Verdict)
	case r.Computed && r.Job != "": // among jobs, people find it in the name
		return Text("computed").As("")
	case r.Computed:
		return Text("computed")
	}
	return NA()
}

func when(applies bool, c Cell) Cell {
	if !applies {
		return NA()
	}
	return c
}

func count(n *int, applies bool) Cell { return when(applies, Int(*n)) }

func number(v *float64, decimals int) Cell {
	if v == nil {
		return NA()
	}
	return Number(*v, decimals)
}

// WriteSummary writes summary.csv.
func WriteSummary(w io.Writer, rows []compare.Row, baseline result.Baseline) error {
	return Write(w, Comparison(rows, baseline), Options{Format: FormatCSV})
}

// SummaryKeys returns the columns of summary.csv, but for those of swept keys.
func SummaryKeys(baseline result.Baseline) (keys []string) {
	for _, c := range summaryColumns(baseline, 0) {
		keys = append(keys, c.Key)
	}
	return keys
}

// Columns returns COLUMNS.md: what each column of summary.csv, links.csv, flows.csv, series.csv,
// aggregations.csv, transit.csv, reports.csv, tallies.csv and decisions.csv and each key of samples.jsonl means, and its unit.
func Columns(baseline result.Baseline) string {
	summary := Table{Title: "summary.csv"}
	summary.Columns = []Column{{Name: "column"}, {Name: "unit"}, {Name: "meaning"}}
	for _, c := range summaryColumns(baseline, 0) {
		summary.Rows = append(summary.Rows, []Cell{Text(c.Key), Text(c.unit), Text(c.doc)})
	}
	samples := Table{Title: "samples.jsonl"}
	samples.Columns = []Column{{Name: "key"}, {Name: "unit"}, {Name: "meaning"}}
	for _, k := range sampleKeys {
		samples.Rows = append(samples.Rows, []Cell{Text(k.name), Text(k.unit), Text(k.doc)})
	}
	links := describe("links.csv", summary.Columns, linkColumns())
	flows := describe("flows.csv", summary.Columns, flowColumns())
	series := describe("series.csv", summary.Columns, seriesColumns())
	aggregations := describe("aggregations.csv", summary.Columns, aggregationColumns())
	transit := describe("transit.csv", summary.Columns, transitColumns())
	reports := describe("reports.csv", summary.Columns, reportColumns())
	tallies := describe("tallies.csv", summary.Columns, tallyColumns())
	decisions := describe("decisions.csv", summary.Columns, decisionColumns())
	times := describe("times.csv", summary.Columns, timeColumns())
	repeats := describeRepeats(summary.Columns, baseline)
	var b strings.Builder
	b.WriteString("# Columns\n\nschema_version " + Int(SchemaVersion).people + ". An empty field of summary.csv, and a null in JSON, means not applicable.\n" +
		"One row of summary.csv is one system at one point of the sweep; one line of samples.jsonl is one worker and iteration,\n" +
		"one row of links.csv is one direction of a link in one run, and one row of flows.csv, which runs with flows have, is one flow in one run.\n" +
		"One row of series.csv, which runs with flows, several jobs or a stated interval have, is one job or flow in one interval of a run.\n" +
		"Such runs have rows of aggregations.csv, too, for each job whose servers say what switches added for them.\n" +
		"Runs with programs that frames pass have a row of transit.csv for each of their counters, and one of reports.csv for whom they told collectors of.\n" +
		"Systems that count have a row of tallies.csv for each number of a job; what each is of stands below the table that people see.\n" +
		"Systems whose servers decide things by themselves, as who is in a tree, have a row of decisions.csv for each.\n" +
		"One row of times.csv says where the time of one run went.\n" +
		"Runs with several seeds have a row of repeats.csv for each setting: means over the seeds.\n" +
		"All but samples.jsonl begin with a column for each key that is swept.\n\n")
	for i, t := range []Table{summary, samples, links, flows, series, aggregations, transit, reports, tallies, decisions, times, repeats} {
		if i > 0 {
			b.WriteString("\n")
		}
		if err := writeMarkdown(&b, t); err != nil {
			panic("a table of constants did not render: " + err.Error())
		}
	}
	return b.String()
}
