package main

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/program/switchmljob"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// jobFlags are the options of "inalab switch job add". Those of one protocol are no
// options of the other.
type jobFlags struct {
	switchFlags
	id      int
	sources string

	blocks, grads, outSrc int // Trio-ML
	group                 string
	ports                 []string

	elements, slots int // SwitchML
	workers         []string
}

// Flags by which a job is one of SwitchML, and those that only Trio-ML has.
var (
	flagsOfSwitchML = []string{"slots", "elements", "worker"}
	flagsOfTrio     = []string{"block-cnt-max", "block-grad-max", "group", "ports", "out-src-id"}
)

// elementsByDefault is the packet of the larger SwitchML program.
const elementsByDefault = 256

func newJobAdd() *cobra.Command {
	var f jobFlags
	c := &cobra.Command{
		Use:   "add --id N --sources LIST",
		Short: "Give a running switch a job",
		Long: `Sets up a job on the engines of a switch, of Trio-ML or, with --slots, of SwitchML: it
has to be what the program there speaks. Its sources are hosts by number (h3 is 3).
A job is set up on all engines that it needs or on none. Jobs that are there, and
their packets, notice nothing.

Trio-ML: the PFEs that have the hosts aggregate, and where these are several, the
top-level PFE above them. Results go to a multicast group, by the ports of the
sources. With --pfe the whole job is on that PFE; then sources may be any src_ids,
if --ports says where results go.

SwitchML: the job takes --slots of the switch's pool in each set, and its packets
have --elements values. Ranks are in the order of the sources. A client that takes an
interface over, with another address, is told by --worker, one for each rank, in place
of --sources. All workers are at ports of one engine: a job that is added has no
levels of switches or PFEs, other than the job of a run.` + switchCodes,
		Example: `  inalab switch job add --id 2 --sources 0-5
  inalab switch job add --id 3 --sources 0-2 --block-cnt-max 512 --block-grad-max 256
  inalab switch job add --id 4 --sources 7,9 --pfe pfe1 --ports et-0-0-0,et-0-0-1
  inalab switch job add --id 2 --sources 0-3 --slots 512
  inalab switch job add --id 3 --slots 128 --elements 64 --worker 10.1.0.9,02:00:00:00:00:00,p0`,
		Args: arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return f.add(c) },
	}
	f.register(c.Flags())
	flags := c.Flags()
	flags.IntVar(&f.id, "id", 0, "number of the job, 0 to 255 (required)")
	flags.StringVar(&f.sources, "sources", "", "sources, as in 0-2,5 (required, but for --worker)")
	flags.IntVar(&f.blocks, "block-cnt-max", 0, fmt.Sprintf("Trio-ML: concurrent blocks on each PFE, at most %d (default %d)", trioml.MaxJobBlocks, trioml.DefaultBlockMax))
	flags.IntVar(&f.grads, "block-grad-max", 0, fmt.Sprintf("Trio-ML: gradients a block, at most %d (default %[1]d)", trioml.MaxJobGrads))
	flags.StringVar(&f.group, "group", "", "Trio-ML: multicast group of the results (default 239.255.0.ID)")
	flags.StringSliceVar(&f.ports, "ports", nil, "Trio-ML: ports that results leave by, or PFEs (default: those of the sources)")
	flags.IntVar(&f.outSrc, "out-src-id", 0, "Trio-ML, with --pfe: src_id of its results (default: 200 and the index of the PFE)")
	flags.IntVar(&f.slots, "slots", 0, fmt.Sprintf("SwitchML: its part of the pool, 1 to %d (required there)", switchmljob.MaxSlots))
	flags.IntVar(&f.elements, "elements", elementsByDefault, "SwitchML: values a packet, 64 or 256")
	flags.StringArrayVar(&f.workers, "worker", nil, "SwitchML: address, MAC and port of a worker, as 10.1.0.9,02:00:00:00:00:00,p0; once for each rank")
	return c
}

func (f *jobFlags) add(c *cobra.Command) error {
	j, err := f.job(c)
	if err != nil {
		return usage(err)
	}
	return f.ask(c, control.Request{Op: control.OpAddJob, Job: j}, func(lab string, answer control.Response) render.Table {
		title := fmt.Sprintf("job %d, added to %s, lab %s", j.ID, answer.Switch, lab)
		if s := j.SwitchML; s != nil {
			return workersTable(fmt.Sprintf("%s: %d slots of each set, %d values a packet", title, s.Slots, s.Elements), answer.Added)
		}
		return addedTable(title, answer.Added)
	})
}

// job makes a job of the flags; the switch judges it.
func (f *jobFlags) job(c *cobra.Command) (*control.Job, error) {
	given := c.Flags().Changed
	if !given("id") || !given("sources") && !given("worker") {
		return nil, fmt.Errorf("%s lacks --id or --sources: usage is %q", c.CommandPath(), c.UseLine())
	}
	j := &control.Job{ID: f.id}
	var err error
	if given("sources") {
		if j.Sources, err = parseNumbers(f.sources); err != nil {
			return nil, fmt.Errorf("--sources %q: %w", f.sources, err)
		}
	}
	if first(flagsOfSwitchML, given) == "" {
		return j, f.ofTrio(j, given)
	}
	return j, f.ofSwitchML(j, given)
}

// first returns the first of some flags that was given.
func first(flags []string, given func(string) bool) string {
	for _, name := range flags {
		if given(name) {
			return name
		}
	}
	return ""
}

func (f *jobFlags) ofTrio(j *control.Job, given func(string) bool) (err error) {
	j.BlockMax, j.GradMax, j.Ports = f.blocks, f.grads, f.ports
	if f.group != "" {
		if j.Group, err = netip.ParseAddr(f.group); err != nil {
			return fmt.Errorf("--group %q: it must be an IPv4 multicast address, as 239.255.0.2", f.group)
		}
	}
	if given("out-src-id") {
		if f.pfe == "" {
			return fmt.Errorf("--out-src-id %d: it belongs to one PFE; add --pfe", f.outSrc)
		}
		j.OutSrc = &f.outSrc
	}
	return nil
}

func (f *jobFlags) ofSwitchML(j *control.Job, given func(string) bool) error {
	other := first(flagsOfTrio, given)
	switch {
	case other != "":
		return fmt.Errorf("--%s is of jobs of Trio-ML, --%s of those of SwitchML: leave one of them out", other, first(flagsOfSwitchML, given))
	case !given("slots"):
		return fmt.Errorf("--%s is of jobs of SwitchML, which take a part of the pool: add --slots, 1 to %d", first(flagsOfSwitchML, given), switchmljob.MaxSlots)
	case given("sources") && given("worker"):
		return fmt.Errorf("--sources and --worker: tell the workers in one way")
	}
	j.SwitchML = &control.SwitchML{Elements: f.elements, Slots: f.slots}
	for _, text := range f.workers {
		w, err := parseWorker(text)
		if err != nil {
			return fmt.Errorf("--worker %q: %w", text, err)
		}
		j.SwitchML.Workers = append(j.SwitchML.Workers, w)
	}
	return nil
}

// parseWorker reads "10.1.0.9,02:00:00:00:00:00,p0".
func parseWorker(text string) (w control.Worker, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return w, fmt.Errorf("write ADDRESS,MAC,PORT")
	}
	if w.Addr, err = netip.ParseAddr(parts[0]); err != nil {
		return w, fmt.Errorf("%q is no IPv4 address", parts[0])
	}
	if _, err := control.ParseMAC(parts[1]); err != nil {
		return w, err
	}
	w.MAC, w.Port = parts[1], parts[2]
	return w, nil
}

// maxNumbers bounds a list of sources; the switch takes fewer.
const maxNumbers = 4096

// parseNumbers reads "0-2,5".
func parseNumbers(text string) (out []int, err error) {
	for item := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(item), "-")
		if !isRange {
			last = first
		}
		lo, errLo := strconv.ParseUint(first, 10, 16)
		hi, errHi := strconv.ParseUint(last, 10, 16)
		if errLo != nil || errHi != nil || hi < lo {
			return nil, fmt.Errorf("%q is no number or range: write 0-2,5", item)
		}
		if len(out)+int(hi-lo) >= maxNumbers {
			return nil, fmt.Errorf("more than %d numbers", maxNumbers)
		}
		for n := lo; n <= hi; n++ {
			out = append(out, int(n))
		}
	}
	return out, nil
}

func addedTable(title string, added []control.Placed) render.Table {
	t := render.Table{ID: "switch.job.added", Title: title, Columns: []render.Column{
		{Key: "pfe", Name: "pfe"}, {Key: "sources", Name: "sources", Align: render.Right}, {Key: "source_ids", Name: "src_ids"},
		{Key: "out_src_id", Name: "out src_id", Align: render.Right}, {Key: "result_group", Name: "results to"}, {Key: "result_ports", Name: "by ports"},
	}}
	for _, a := range added {
		ids := make([]string, len(a.Job.Sources))
		for i, s := range a.Job.Sources {
			ids[i] = strconv.Itoa(s)
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(a.PFE), render.Int(len(ids)), render.Text(strings.Join(ids, ",")), render.Int(a.Job.OutSrc),
			render.Text(a.Job.Out.Dst.String()), render.Text(strings.Join(a.Ports, ",")),
		})
	}
	return t
}

// workersTable shows the workers of a job of SwitchML, by rank.
func workersTable(title string, added []control.Placed) render.Table {
	t := render.Table{ID: "switch.job.workers", Title: title, Columns: []render.Column{
		{Key: "pfe", Name: "pfe"}, {Key: "rank", Name: "rank", Align: render.Right}, {Key: "address", Name: "address"}, {Key: "mac", Name: "MAC"}, {Key: "port", Name: "port"},
	}}
	for _, a := range added {
		for i, w := range a.SwitchML.Workers {
			t.Rows = append(t.Rows, []render.Cell{
				render.Text(a.PFE), render.Int(w.Rank), render.Text(w.Addr.String()), render.Text(plan.MAC(w.MAC).String()), render.Text(a.Ports[i]),
			})
		}
	}
	return t
}
