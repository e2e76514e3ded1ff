package main

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

func newSwitchJob() *cobra.Command {
	c := &cobra.Command{
		Use:   "job",
		Short: "Add, remove and list the jobs of a running switch",
		Args:  subcommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newJobAdd(), newJobRemove(), newJobList())
	return c
}

func newJobList() *cobra.Command {
	var f switchFlags
	c := &cobra.Command{
		Use:   "ls",
		Short: "List the jobs of a running switch, as \"switch show jobs\" does",
		Long:  "Lists the job records of every engine, with their caps and counters." + switchCodes,
		Args:  arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return showView(c, f, control.Request{Op: control.OpShow, View: dataplane.ViewJobs, Limit: control.DefaultRows})
		},
	}
	f.register(c.Flags())
	return c
}

// jobFlags are the options of "inalab switch job add".
type jobFlags struct {
	switchFlags
	id, blocks, grads, outSrc int
	sources, group            string
	ports                     []string
}

func newJobAdd() *cobra.Command {
	var f jobFlags
	c := &cobra.Command{
		Use:   "add --id N --sources LIST",
		Short: "Give a running switch a job",
		Long: `Sets up a job record on the engines of a switch. Its sources are hosts by number (h3
is 3): the PFEs that have them aggregate, and where these are several, the
top-level PFE above them. Results go to a multicast group, by the ports of the
sources. With --pfe the whole job is on that PFE; then sources may be any src_ids,
if --ports says where results go.

A job is set up on all engines that it needs or on none. Jobs that are there, and
their packets, notice nothing.` + switchCodes,
		Example: `  inalab switch job add --id 2 --sources 0-5
  inalab switch job add --id 3 --sources 0-2 --block-cnt-max 512 --block-grad-max 256
  inalab switch job add --id 4 --sources 7,9 --pfe pfe1 --ports et-0-0-0,et-0-0-1`,
		Args: arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return f.add(c) },
	}
	f.register(c.Flags())
	flags := c.Flags()
	flags.IntVar(&f.id, "id", 0, "job_id, 0 to 255 (required)")
	flags.StringVar(&f.sources, "sources", "", "sources, as in 0-2,5 (required)")
	flags.IntVar(&f.blocks, "block-cnt-max", 0, fmt.Sprintf("concurrent blocks on each PFE, at most %d (default %d)", dataplane.MaxJobBlocks, dataplane.DefaultJobBlocks))
	flags.IntVar(&f.grads, "block-grad-max", 0, fmt.Sprintf("gradients a block, at most %d (default %[1]d)", dataplane.MaxJobGrads))
	flags.StringVar(&f.group, "group", "", "multicast group of the results (default 239.255.0.ID)")
	flags.StringSliceVar(&f.ports, "ports", nil, "ports that results leave by, or PFEs (default: those of the sources)")
	flags.IntVar(&f.outSrc, "out-src-id", 0, "with --pfe: src_id of its results (default: 200 and the index of the PFE)")
	return c
}

func (f *jobFlags) add(c *cobra.Command) error {
	j, err := f.job(c)
	if err != nil {
		return usage(err)
	}
	return f.ask(c, control.Request{Op: control.OpAddJob, Job: j}, func(lab string, answer control.Response) render.Table {
		return addedTable(fmt.Sprintf("job %d, added to %s, lab %s", j.ID, answer.Switch, lab), answer.Added)
	})
}

// job makes a job of the flags; the switch judges it.
func (f *jobFlags) job(c *cobra.Command) (*control.Job, error) {
	given := c.Flags().Changed
	if !given("id") || !given("sources") {
		return nil, fmt.Errorf("%s lacks --id or --sources: usage is %q", c.CommandPath(), c.UseLine())
	}
	j := &control.Job{ID: f.id, BlockMax: f.blocks, GradMax: f.grads, Ports: f.ports}
	var err error
	if j.Sources, err = parseNumbers(f.sources); err != nil {
		return nil, fmt.Errorf("--sources %q: %w", f.sources, err)
	}
	if f.group != "" {
		if j.Group, err = netip.ParseAddr(f.group); err != nil {
			return nil, fmt.Errorf("--group %q: it must be an IPv4 multicast address, as 239.255.0.2", f.group)
		}
	}
	if given("out-src-id") {
		if f.pfe == "" {
			return nil, fmt.Errorf("--out-src-id %d: it belongs to one PFE; add --pfe", f.outSrc)
		}
		j.OutSrc = &f.outSrc
	}
	return j, nil
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

func newJobRemove() *cobra.Command {
	var f switchFlags
	c := &cobra.Command{
		Use:   "rm ID",
		Short: "Take a job from a running switch",
		Long: `Removes a job from every engine that has it, or with --pfe from that one. Its open
blocks are dropped and counted; packets that still come for it are those of an
unknown job. Other jobs notice nothing.` + switchCodes,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := strconv.Atoi(args[0])
			if err != nil {
				return usage(fmt.Errorf("job %q: an id of 0 to %d is needed", args[0], dataplane.MaxJobID))
			}
			return f.ask(c, control.Request{Op: control.OpRemoveJob, ID: &id}, func(lab string, answer control.Response) render.Table {
				return removedTable(fmt.Sprintf("job %d, removed from %s, lab %s", id, answer.Switch, lab), answer.Removed)
			})
		},
	}
	f.register(c.Flags())
	return c
}

// removedTable shows what went with a job, with the counters that engines kept.
func removedTable(title string, removed []control.Taken) render.Table {
	var tables []control.EngineTable
	for _, r := range removed {
		columns := []dataplane.Column{{Key: "open_blocks", Name: "open blocks dropped"}}
		row := []dataplane.Value{dataplane.Int(r.OpenBlocks)}
		for _, n := range r.Counters {
			columns = append(columns, dataplane.Column{Key: n.Name, Name: n.Name})
			row = append(row, dataplane.Int(n.N))
		}
		t := dataplane.Table{Columns: columns}
		t.Add(row...)
		tables = append(tables, control.EngineTable{PFE: r.PFE, Table: t})
	}
	t := joinTables(eachAlone(tables))
	t.ID, t.Title = "switch.job.removed", title
	return t
}
