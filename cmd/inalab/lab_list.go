package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/running"
	"github.com/inalab/inalab/reports/render"
)

func newLabs() *cobra.Command {
	var f tableFlags
	c := &cobra.Command{
		Use:   "labs",
		Short: "List the labs that run",
		Long: `Lists the labs that run: those of root, and your own without root. Labs that were killed
are not listed; "inalab gc --dry-run" is for them.`,
		RunE: func(c *cobra.Command, _ []string) error {
			format, err := f.options(c.OutOrStdout())
			if err != nil {
				return err
			}
			t, err := labsTable(time.Now())
			if err != nil {
				return err
			}
			return render.Write(c.OutOrStdout(), t, format)
		},
	}
	f.register(c.Flags())
	return c
}

func labsTable(now time.Time) (render.Table, error) {
	t := render.Table{ID: "labs", Title: "labs that run", Columns: []render.Column{
		{Key: "lab", Name: "lab"}, {Key: "kind", Name: "kind"}, {Key: "topology", Name: "topology"},
		{Key: "hosts", Name: "hosts", Align: render.Right}, {Key: "switches", Name: "switches", Align: render.Right},
		{Key: "age_s", Name: "age s", Align: render.Right}, {Key: "pid", Name: "owner", Align: render.Right}, {Key: "root", Name: "root"},
	}}
	entries, err := running.List()
	if err != nil {
		return t, err
	}
	for _, e := range entries {
		age, root := now.Sub(e.Owner.Claimed).Truncate(time.Second), "no"
		if e.Owner.Rooted {
			root = "yes"
		}
		row := []render.Cell{render.Text(e.Lab), render.NA(), render.NA(), render.NA(), render.NA()}
		if s, err := running.Read(e.Dir); err == nil { // else it is coming up
			row = []render.Cell{render.Text(e.Lab), render.Text(string(s.Kind)), render.Text(s.Topology), render.Int(len(s.Names(running.Host))), render.Int(len(s.Names(running.Switch)))}
		}
		t.Rows = append(t.Rows, append(row, render.Int(int(age.Seconds())), render.Int(e.Owner.PID), render.Text(root)))
	}
	if len(entries) == 0 {
		t.Notes = []string{"no lab runs: bring one up with \"inalab up FILE\""}
	}
	return t, nil
}

// completeLabs completes the names of labs.
func completeLabs(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	entries, err := running.List()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for _, e := range entries {
		names = append(names, fmt.Sprintf("%s\tprocess %d", e.Lab, e.Owner.PID))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
