package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
)

func newSwitchReplace() *cobra.Command {
	var f switchFlags
	c := &cobra.Command{
		Use:   "replace PROGRAM FILE",
		Short: "Replace a program of your own on a running switch by another source",
		Long: `Compiles FILE and puts it in the place of a Microcode program that runs on a switch, on all
PFEs that have it or with --pfe on one. Match, side, next hops, timers and initial memory stay
as they were. Frames go on: those that are inside the old program are lost and counted, later
ones pass the new one. What is wrong with the source is said with file and line, and the old
program goes on.` + switchCodes,
		Example: `  inalab switch replace firewall firewall.mc
  inalab switch replace firewall firewall.mc --pfe pfe1`,
		Args: arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := os.ReadFile(args[1])
			if err != nil {
				return usage(err)
			}
			source := &control.Source{Program: args[0], File: filepath.Base(args[1]), Text: string(text)}
			return f.ask(c, control.Request{Op: control.OpReplace, Source: source}, func(lab string, answer control.Response) render.Table {
				return replacedTable(fmt.Sprintf("programs replaced on %s, lab %s", answer.Switch, lab), answer)
			})
		},
	}
	f.register(c.Flags())
	return c
}

func replacedTable(title string, answer control.Response) render.Table {
	t := render.Table{ID: "switch.replace", Title: title, Columns: []render.Column{
		{Key: "pfe", Name: "pfe"}, {Key: "program", Name: "program"}, {Key: "in_flight", Name: "packets lost in flight", Align: render.Right},
	}}
	for _, r := range answer.Replaced {
		t.Rows = append(t.Rows, []render.Cell{render.Text(r.PFE), render.Text(r.Program), render.Text(strconv.Itoa(r.InFlight))})
	}
	return t
}
