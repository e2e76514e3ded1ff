package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

func newSwitchJob() *cobra.Command {
	c := &cobra.Command{
		Use:   "job",
		Short: "Add, remove and list the jobs of a running switch",
	}
	c.AddCommand(newJobAdd(job.Runtimes(systems())), newJobRemove(), newJobList())
	return c
}

func newJobList() *cobra.Command {
	var f switchFlags
	c := &cobra.Command{
		Use:   "ls",
		Short: "List the jobs of a running switch, as \"switch show jobs\" does",
		Long:  "Lists the job records of every engine, with their caps and counters." + switchCodes,
		RunE: func(c *cobra.Command, _ []string) error {
			return showView(c, f, control.Request{Op: control.OpShow, View: dataplane.ViewJobs, Limit: control.DefaultRows})
		},
	}
	f.register(c.Flags())
	return c
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
		for k, n := range r.Counters {
			columns = append(columns, dataplane.Column{Key: n.Name, Name: n.Name, Spare: k + 1})
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
