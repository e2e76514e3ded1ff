package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	switchmlsystem "github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/program/switchml"
	switchmlsession "github.com/inalab/inalab/switchd/program/switchml/session"
	"github.com/inalab/inalab/topo/gen"
)

type serveFlags struct {
	tableFlags
	hosts, slots        int
	lab, pipe, patience string
	seed                uint64
	faithful            bool
}

func newSwitchServe() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Bring up a rack whose switch serves SwitchML clients of your own",
		Long: `Brings up a rack without workers. Its switch runs SwitchML, with no job yet, and offers
the gRPC service of the public client. Clients run in the namespaces of hosts; the table
says how to get there, and what their addresses are. It runs until it is interrupted.
Meanwhile "inalab switch show jobs" and the rest of "inalab switch" work, in another
terminal. See docs/switchml.md.`,
		Example: `  inalab switch serve --hosts 2
  nsenter --net=/run/netns/... ./my-client --server 192.168.255.1:50099   # another terminal`,
		RunE: func(c *cobra.Command, _ []string) error { return serve(c, f) },
	}
	flags := c.Flags()
	flags.IntVar(&f.hosts, "hosts", 2, "number of hosts")
	flags.IntVar(&f.slots, "slots", 0, fmt.Sprintf("of each set, for each job, 1 to %d (default: all that the switch has)", switchml.MaxSlots))
	flags.StringVar(&f.pipe, "pipe", "pipeline", "what aggregates: pipeline (at most 16 hosts) or reference")
	flags.StringVar(&f.patience, "patience", "", fmt.Sprintf("how long Barrier and Broadcast wait, as in 30s (default: %v)", switchmlsession.DefaultPatience))
	flags.StringVar(&f.lab, "lab", "", "name of the lab (default: a new one)")
	flags.Uint64Var(&f.seed, "seed", 1, "of the drop simulator")
	flags.BoolVar(&f.faithful, "faithful", false, "no check for late packets, as in the paper and the public switch program")
	f.register(flags)
	return c
}

// serving checks the flags.
func (f serveFlags) serving() (o live.ServeOptions, err error) {
	o = live.ServeOptions{Lab: f.lab, Seed: rng.Root(f.seed), Owner: journal.CurrentCaller()}
	system := switchmlsystem.Service{System: switchmlsystem.System{
		Elements: 256, Slots: f.slots, Faithful: f.faithful, Pipe: switchmlsystem.Pipe{Pipeline: f.pipe == "pipeline"},
	}}
	switch {
	case f.pipe != "pipeline" && f.pipe != "reference":
		return o, fmt.Errorf("--pipe %q: allowed are pipeline, reference", f.pipe)
	case f.slots < 0 || f.slots > switchml.MaxSlots:
		return o, fmt.Errorf("--slots %d: 1 to %d are possible", f.slots, switchml.MaxSlots)
	}
	if f.patience != "" {
		if system.Patience, err = units.ParseDuration(f.patience); err != nil {
			return o, fmt.Errorf("--patience: %w", err)
		}
	}
	o.System = system
	if o.Lab == "" {
		o.Lab = netns.NewLabName()
	}
	if err := journal.CheckLab(o.Lab); err != nil {
		return o, fmt.Errorf("--lab: %w", err)
	}
	return o, nil
}

func serve(c *cobra.Command, f serveFlags) error {
	format, err := f.tableFlags.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	o, err := f.serving()
	if err != nil {
		return usage(err)
	}
	p, err := planOf("rack", gen.Params{Hosts: f.hosts})
	if err != nil {
		return usage(err)
	}
	if _, err := o.System.Serving(&p.Switches[0], o.Seed); err != nil {
		return usage(err)
	}
	if err := enterNamespaces(); err != nil {
		return err
	}
	return live.WithLogs(c.Context(), "serve", func(logs string) error {
		o.Logs = logs
		return live.Serve(c.Context(), p, o, func(s live.Served) error {
			return render.Write(c.OutOrStdout(), servedTable(o.Lab, s), format)
		})
	})
}

func servedTable(lab string, s live.Served) render.Table {
	t := render.Table{
		ID: "switch.serve", Title: fmt.Sprintf("SwitchML service of lab %s at %v", lab, s.Management),
		Columns: []render.Column{{Key: "host", Name: "host"}, {Key: "interface", Name: "interface"}, {Key: "mac", Name: "MAC"}, {Key: "address", Name: "address"}, {Key: "namespace", Name: "network namespace"}},
		Notes: []string{
			fmt.Sprintf("the service answers at %v in every one of these namespaces, by the interface mgmt", s.Management),
			"enter one with: nsenter --net=NAMESPACE COMMAND",
			"it runs until it is interrupted (Ctrl-C)",
		},
	}
	for _, h := range s.Plan.Hosts {
		t.Rows = append(t.Rows, []render.Cell{render.Text(h.Name), render.Text(h.Iface), render.Text(h.MAC.String()), render.Text(h.Addr.String()), render.Text(s.Paths[h.Name])})
	}
	t.Rows = append(t.Rows, []render.Cell{render.Text(s.Node), render.NA(), render.NA(), render.NA(), render.Text(s.Paths[s.Node])})
	return t
}
