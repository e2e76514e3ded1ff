package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
)

func newSwitchRaise() *cobra.Command {
	var f switchFlags
	var program string
	c := &cobra.Command{
		Use:   "raise EVENT [VALUE]",
		Short: "Raise an external event of a running program in Microcode",
		Long: `Starts a thread of an event entry, in every PFE whose program declares the event: of
"event EVENT entry LABEL;" the thread at LABEL. It finds VALUE, a number of 32 bits (0 without),
in its work register. "inalab switch show threads" counts how often each event was raised. In a
scenario it is at: [{time: 1s, raise: EVENT, on: SWITCH, value: VALUE}].` + switchCodes,
		Example: `  inalab switch raise forgive 7
  inalab switch raise restart --program alarm --pfe pfe1`,
		Args: arguments(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			r := control.Request{Op: control.OpRaise, Program: program, Raise: &control.Raise{Event: args[0]}}
			if len(args) > 1 {
				n, err := strconv.ParseUint(args[1], 0, 32)
				if err != nil {
					return usage(fmt.Errorf("value %q: a number of up to 32 bits is needed, in decimal or as 0x", args[1]))
				}
				r.Raise.Value = uint32(n)
			}
			return f.ask(c, r, func(lab string, answer control.Response) render.Table {
				return raisedTable(fmt.Sprintf("events raised on %s, lab %s", answer.Switch, lab), answer.Raised)
			})
		},
	}
	f.register(c.Flags())
	c.Flags().StringVar(&program, "program", "", "one program of a PFE (default: all that have the event)")
	return c
}

func raisedTable(title string, raised []control.Raised) render.Table {
	t := render.Table{ID: "switch.raise", Title: title, Columns: []render.Column{
		{Key: "pfe", Name: "pfe"}, {Key: "program", Name: "program"}, {Key: "event", Name: "event"}, {Key: "value", Name: "value", Align: render.Right},
	}}
	for _, r := range raised {
		t.Rows = append(t.Rows, []render.Cell{render.Text(r.PFE), render.Text(r.Program), render.Text(r.Event), render.Text(strconv.FormatUint(uint64(r.Value), 10))})
	}
	return t
}
