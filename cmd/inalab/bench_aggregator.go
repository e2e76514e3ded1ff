package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/bench"
)

// The packet-socket switch, with segmentation offload and without. It is no aggregator of one hop:
// its all-reduce is a closed loop.
const (
	ofSwitch      = "switch"
	ofSwitchPlain = "switch-plain"
)

type aggregatorFlags struct {
	tableFlags
	of      []string
	values  []int
	queues  []int
	rate    float64
	seconds float64
	repeat  int
	quick   bool
}

// aggregatorNames lists what can be measured.
func aggregatorNames() (list []string) {
	for _, k := range onehop.Kinds() {
		list = append(list, string(k))
	}
	return append(list, ofSwitch, ofSwitchPlain)
}

func newBenchAggregator() *cobra.Command {
	var f aggregatorFlags
	c := &cobra.Command{
		Use:   "aggregator",
		Short: "Packets that one aggregator adds and sends on: XDP, a polling process, TCP, the switch",
		Long: `Measures one aggregator between a worker and a parameter server, each in a namespace
of its own, as XAgg's microbenchmarks do. All rows take turns in each of --repeat runs.
xdp is the XDP program in the driver of veth, xdp-generic the same in the kernel's stack,
poll a process that polls AF_XDP sockets without a pause, tcp a relay over kernel TCP, and
tcp-plain the same without offloads, a segment for the values of each packet. switch is an
all-reduce of two workers through the packet-socket switch, and switch-plain the same
without segmentation offload; their packets have the sizes of that system. Several queues
are of xdp alone, and have a CPU each, which their senders share. It needs root.`,
		Example: "  inalab bench aggregator --values 32,256,320 --of xdp,poll,tcp-plain\n" +
			"  inalab bench aggregator --of xdp --queues 1,2 --seconds 2",
		RunE: func(c *cobra.Command, _ []string) error { return benchAggregator(c, f) },
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.of, "of", aggregatorNames(), "what to measure: "+strings.Join(aggregatorNames(), ", "))
	flags.IntSliceVar(&f.values, "values", []int{256}, "of a packet, 32 to 320")
	flags.IntSliceVar(&f.queues, "queues", []int{1}, "receive queues of the server")
	flags.Float64Var(&f.rate, "rate", 0, "packets that are sent in a second; 0: as many as possible")
	flags.Float64Var(&f.seconds, "seconds", 1, "of a run of each row")
	flags.IntVar(&f.repeat, "repeat", 5, "runs of each row; medians are shown")
	flags.BoolVar(&f.quick, "quick", false, "at most three runs of each row, and a fifth of the seconds")
	f.register(flags)
	return c
}

// aggregatorRow is one row, and how a run of it is measured.
type aggregatorRow struct {
	bench.AggregatorMeasurement
	measure func(context.Context, *bench.AggregatorMeasurement) (bench.AggregatorRun, error)
}

func benchAggregator(c *cobra.Command, f aggregatorFlags) error {
	o, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	if f.quick {
		f.repeat, f.seconds = min(f.repeat, 3), f.seconds/5
	}
	rows, err := f.rows()
	if err != nil {
		return usage(err)
	}
	if err := enterNamespaces(); err != nil {
		return err
	}
	table, err := f.measureRows(c.Context(), rows)
	if err != nil {
		return err
	}
	if err := bench.WriteAggregators(c.OutOrStdout(), table, o); err != nil {
		return err
	}
	return checkSums(table, func(r bench.Aggregator) uint64 { return r.Wrong })
}

// measureRows has the rows take turns.
func (f aggregatorFlags) measureRows(ctx context.Context, rows []aggregatorRow) ([]bench.Aggregator, error) {
	for round := range f.repeat {
		for i := range rows {
			row := &rows[(i+round)%len(rows)]
			run, err := row.measure(ctx, &row.AggregatorMeasurement)
			if errors.Is(err, onehop.ErrPermission) || errors.Is(err, onehop.ErrUnsupported) {
				return nil, withCode(exitPreflight, err)
			}
			if err != nil {
				return nil, fmt.Errorf("%s with %d values: %w", row.Aggregator, row.Values, err)
			}
			row.Runs = append(row.Runs, run)
		}
	}
	list := make([]bench.AggregatorMeasurement, len(rows))
	for i := range rows {
		list[i] = rows[i].AggregatorMeasurement
	}
	return bench.NewAggregators(list)
}

// rows lists what to measure, or says what of the flags is wrong.
func (f aggregatorFlags) rows() (rows []aggregatorRow, err error) {
	switch {
	case f.repeat < 1:
		return nil, fmt.Errorf("--repeat %d: at least 1 is needed", f.repeat)
	case !(f.seconds >= 0.001 && f.seconds <= 60):
		return nil, fmt.Errorf("--seconds %g: 0.001 to 60 are possible", f.seconds)
	case len(f.of) == 0 || len(f.values) == 0 || len(f.queues) == 0:
		return nil, errors.New("--of, --values and --queues: at least one of each is needed")
	}
	for _, name := range f.of {
		var more []aggregatorRow
		if !slices.Contains(aggregatorNames(), name) {
			return nil, fmt.Errorf("--of %s: there are %s", name, strings.Join(aggregatorNames(), ", "))
		}
		if name == ofSwitch || name == ofSwitchPlain {
			more = []aggregatorRow{f.switchRow(name)}
		} else if more, err = f.oneHopRows(onehop.Kind(name)); err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// oneHopRows are those of an aggregator: with several queues only where it can have them.
func (f aggregatorFlags) oneHopRows(k onehop.Kind) (rows []aggregatorRow, err error) {
	several := slices.Max(f.queues) > 1 && k == onehop.XDP
	for _, n := range f.values {
		for _, q := range f.queues {
			if q > 1 && k != onehop.XDP && len(f.of) > 1 {
				continue // of others the rows with one queue stand beside
			}
			cfg := onehop.Config{Aggregator: k, Values: n, Queues: q, Rate: f.rate, Shared: several, For: time.Duration(f.seconds * float64(time.Second))}
			if err := cfg.Validate(); err != nil {
				return nil, err
			}
			rows = append(rows, oneHopRow(cfg))
		}
	}
	return rows, nil
}

func oneHopRow(cfg onehop.Config) aggregatorRow {
	row := aggregatorRow{AggregatorMeasurement: bench.AggregatorMeasurement{
		Aggregator: string(cfg.Aggregator), Values: cfg.Values, Queues: max(1, cfg.Queues), Shared: cfg.Shared, OfferedPPS: cfg.Rate,
	}}
	row.measure = func(ctx context.Context, _ *bench.AggregatorMeasurement) (run bench.AggregatorRun, err error) {
		r, err := onehop.Measure(ctx, cfg)
		if err != nil {
			return run, err
		}
		run = bench.AggregatorRun{PPS: r.Rate(), Wrong: uint64(r.Wrong), Checked: uint64(r.Checked)}
		if r.KnownCPU {
			run.CPU, run.CorePPS, run.Foreign = &r.CPU, r.CoreRate(), r.Foreign
		}
		if loss := r.Loss(); cfg.Aggregator == onehop.TCP || cfg.Aggregator == onehop.TCPPlain {
			run.Again = &r.Again
		} else {
			run.Loss = &loss
		}
		if cfg.Aggregator == onehop.XDP || cfg.Aggregator == onehop.XDPGeneric {
			run.ProgramNs, err = programTime(ctx, cfg)
		}
		return run, err
	}
	return row
}

// programTime is the time of the XDP program for a packet, of a run by itself: to take it slows the
// program down.
func programTime(ctx context.Context, cfg onehop.Config) (float64, error) {
	cfg.Cost, cfg.For = true, max(cfg.For/4, time.Millisecond)
	r, err := onehop.Measure(ctx, cfg)
	return float64(r.Cost), err
}

// switchRow is an all-reduce of two workers, of the system that tables compare with.
func (f aggregatorFlags) switchRow(name string) aggregatorRow {
	row := aggregatorRow{AggregatorMeasurement: bench.AggregatorMeasurement{Aggregator: name, Queues: 1, Description: "closed loop of two workers"}}
	row.measure = func(ctx context.Context, m *bench.AggregatorMeasurement) (run bench.AggregatorRun, err error) {
		a := allReduceFlags{system: benchDefault(), topo: "rack", workers: 2, iters: switchIters, warmup: 1, check: true}
		j, err := a.job(switchTensor)
		if err != nil {
			return run, err
		}
		r, err := a.measure(ctx, j, name == ofSwitchPlain)
		if err != nil {
			return run, err
		}
		m.Values = int(math.Round(r.AggregateInput * 1e9 / 32 / r.PPS))
		return bench.AggregatorRun{PPS: r.PPS, Wrong: r.Wrong, Checked: r.Checked}, nil
	}
	return row
}

// The all-reduces of a run through the switch: some tenths of a second.
const (
	switchIters  = 5
	switchTensor = 64 * units.MiB
)
