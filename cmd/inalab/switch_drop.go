package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
)

func newSwitchDrop() *cobra.Command {
	c := &cobra.Command{
		Use:   "drop",
		Short: "Have a running switch lose packets, by port and direction",
	}
	c.AddCommand(
		newDropSet(),
		newDropOthers("ls", "List what drop simulators do", "Lists the ports and directions at which packets are lost on request.", control.OpDrop),
		newDropOthers("clear", "Lose nothing any more", "Ends what drop simulators do, at all ports or with --pfe at those of one PFE.", control.OpClearDrop),
	)
	return c
}

func newDropSet() *cobra.Command {
	var f switchFlags
	var seed uint64
	c := &cobra.Command{
		Use:   "set PORT in|out PROBABILITY",
		Short: "Lose packets of the program at a port",
		Long: `Sets the drop simulator of the switch program, as SwitchML's has one: each packet of
SwitchML that comes in by the port, or goes out by it, is lost with a probability of 0
to 1, or as many percent. 0 ends that. Other traffic is forwarded as ever.

Each port has dice of its own for either direction, which run on from the seed of the run:
which packets it loses does not depend on what goes through other ports. --seed begins the
dice of this port and direction anew.` + switchCodes,
		Example: `  inalab switch drop set p0 in 1%
  inalab switch drop set p3 out 0.001 --seed 7`,
		Args: arguments(3, 3),
		RunE: func(c *cobra.Command, args []string) error {
			d := control.Drop{Port: args[0], Direction: control.Direction(args[1])}
			if d.Direction != control.In && d.Direction != control.Out {
				return usage(fmt.Errorf("direction %q: allowed are in, out", args[1]))
			}
			var err error
			if d.Probability, err = parseProbability(args[2]); err != nil {
				return usage(err)
			}
			if c.Flags().Changed("seed") {
				d.Seed = &seed
			}
			return f.askDrop(c, control.Request{Op: control.OpDrop, Drop: &d})
		},
	}
	f.register(c.Flags())
	c.Flags().Uint64Var(&seed, "seed", 0, "begin the dice of this port and direction anew (default: they run on)")
	return c
}

// parseProbability reads "0.01" or "1%".
func parseProbability(text string) (float64, error) {
	p, err := parseShare(text)
	if err != nil || !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("probability %q: write 0 to 1, or 0%% to 100%%", text)
	}
	return p, nil
}

// newDropOthers makes a command without arguments.
func newDropOthers(use, short, long string, op control.Op) *cobra.Command {
	var f switchFlags
	c := &cobra.Command{
		Use: use, Short: short, Long: long + switchCodes,
		RunE: func(c *cobra.Command, _ []string) error { return f.askDrop(c, control.Request{Op: op}) },
	}
	f.register(c.Flags())
	return c
}

func (f switchFlags) askDrop(c *cobra.Command, r control.Request) error {
	return f.ask(c, r, func(lab string, answer control.Response) render.Table {
		return dropTable(fmt.Sprintf("packets lost on request by %s, lab %s", answer.Switch, lab), answer.Drops)
	})
}

func dropTable(title string, drops []control.Dropping) render.Table {
	t := render.Table{ID: "switch.drop", Title: title, Columns: []render.Column{
		{Key: "pfe", Name: "pfe"}, {Key: "port", Name: "port"}, {Key: "direction", Name: "direction"},
		{Key: "probability", Name: "probability", Align: render.Right},
	}}
	for _, d := range drops {
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(d.PFE), render.Text(d.Port), render.Text(string(d.Direction)), render.Text(strconv.FormatFloat(d.Probability, 'g', -1, 64)),
		})
	}
	if len(drops) == 0 {
		t.Notes = []string{"nothing is lost on request"}
	}
	return t
}
