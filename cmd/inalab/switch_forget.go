package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
)

func newSwitchForget() *cobra.Command {
	var f switchFlags
	c := &cobra.Command{
		Use:   "forget",
		Short: "Have the programs of a running switch lose what they remember of packets",
		Long: `Empties the memory of packets of the programs of a switch, or with --pfe of one PFE. Jobs
stay, and so do frames in its links. That is for programs whose jobs go on without: ATP
loses no sum. A program of another kind is left alone; where there is no program that
can, the switch refuses.` + switchCodes,
		Example: `  inalab switch forget
  inalab switch forget --lab demo --switch tor`,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.ask(c, control.Request{Op: control.OpForget}, func(lab string, answer control.Response) render.Table {
				return forgotTable(fmt.Sprintf("what %s forgot, lab %s", answer.Switch, lab), answer.Forgot)
			})
		},
	}
	f.register(c.Flags())
	return c
}

func forgotTable(title string, forgot *control.Forgot) render.Table {
	t := render.Table{ID: "switch.forget", Title: title, Columns: []render.Column{
		{Key: "programs", Name: "programs", Align: render.Right}, {Key: "open_blocks", Name: "blocks open", Align: render.Right},
	}}
	if forgot != nil {
		t.Rows = append(t.Rows, []render.Cell{render.Text(strconv.Itoa(forgot.Engines)), render.Text(strconv.Itoa(forgot.Blocks))})
	}
	return t
}
