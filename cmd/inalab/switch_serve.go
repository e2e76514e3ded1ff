package main

import (
	"cmp"
	"errors"
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
	programs            programFlags
}

func newSwitchServe() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Bring up a lab for clients of your own: a rack with SwitchML, or any with programs in Microcode",
		Long: `Brings up a rack without workers. Its switch runs SwitchML, with no job yet, and offers
the gRPC service of the public client. Clients run in the namespaces of hosts; the table
says how to get there, and what their addresses are. It runs until it is interrupted.
Meanwhile "inalab switch show jobs" and the rest of "inalab switch" work, in another
terminal: "inalab switch drop set" has either engine lose packets. See docs/switchml.md.

A client of T threads with M packets outstanding each needs (2T-1)M slots, as the public
one numbers them: 448 with its 4 threads and 256 packets. A second table says what --slots
is enough for. A job that sends to a slot beyond its own, or packets of another size than
its clients have told, is refused: it takes no packet any more, "inalab switch show jobs"
and a line here say why, and other jobs go on.

--program brings up a lab whose hosts are for your own traffic, and whose switches run a
program in Microcode that all frames pass; --scenario one with the topology, the links and
the programs in transit of a scenario. Next hops, timers, memory and tables stand in the
scenario, or in --set. See docs/microcode-guide.md.

--faithful runs the program as the paper and the public one have it; what that changes
stands below the table.`,
		Example: `  inalab switch serve --hosts 2
  nsenter --net=/run/netns/... ./my-client --server 192.168.255.1:50099   # another terminal
  inalab switch serve --program firewall.mc --hosts 3`,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.programs.given() {
				return servePrograms(c, f)
			}
			return serve(c, f)
		},
	}
	flags := c.Flags()
	flags.IntVar(&f.hosts, "hosts", 2, "number of hosts")
	flags.IntVar(&f.slots, "slots", 0, fmt.Sprintf("of each set, for each job, 1 to %d (default: all that the switch has)", switchml.MaxSlots))
	flags.StringVar(&f.pipe, "pipe", "pipeline", "what aggregates: pipeline (at most 16 hosts) or reference")
	flags.StringVar(&f.patience, "patience", "", fmt.Sprintf("how long Barrier and Broadcast wait, as in 30s (default: %v)", switchmlsession.DefaultPatience))
	flags.StringVar(&f.lab, "lab", "", "name of the lab (default: a new one)")
	flags.Uint64Var(&f.seed, "seed", 1, "of the drop simulator")
	flags.BoolVar(&f.faithful, "faithful", false, "the program as in the paper and the public one: late packets count, and with the pipeline of 256 values 128 to 159 come back as 192 to 223")
	f.register(flags)
	f.programs.register(c)
	return c
}

// system is what the switch runs.
func (f serveFlags) system() switchmlsystem.System {
	return switchmlsystem.System{Elements: 256, Slots: f.slots, Faithful: f.faithful, Pipe: switchmlsystem.Pipe{Pipeline: f.pipe == "pipeline"}}
}

// serving checks the flags.
func (f serveFlags) serving() (o live.ServeOptions, err error) {
	if o, err = f.labOptions(); err != nil {
		return o, err
	}
	system := switchmlsystem.Service{System: f.system()}
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
	return o, nil
}

// labOptions are those of any lab.
func (f serveFlags) labOptions() (live.ServeOptions, error) {
	o := live.ServeOptions{Lab: cmp.Or(f.lab, netns.NewLabName()), Seed: rng.Root(f.seed), Owner: journal.CurrentCaller()}
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
	return inLab(c, &o, func() error {
		return live.Serve(c.Context(), p, o, func(s live.Served) error {
			err := render.Write(c.OutOrStdout(), f.servedTable(o.Lab, s), format)
			if format.Format == render.FormatJSON || format.Format == render.FormatCSV {
				return err // programs read one table
			}
			return errors.Join(err, render.Write(c.OutOrStdout(), slotsTable(cmp.Or(f.slots, switchml.MaxSlots)), format))
		})
	})
}

// inLab serves a lab from namespaces of its own, with logs of its processes, and tells what
// becomes of it on standard error.
func inLab(c *cobra.Command, o *live.ServeOptions, serve func() error) error {
	if err := enterNamespaces(); err != nil {
		return err
	}
	o.Told = func(line string) { fmt.Fprintln(c.ErrOrStderr(), "inalab:", line) }
	return live.WithLogs(c.Context(), "serve", func(logs string) error {
		o.Logs = logs
		return serve()
	})
}

func (f serveFlags) servedTable(lab string, s live.Served) render.Table {
	t := render.Table{
		ID: "switch.serve", Title: fmt.Sprintf("SwitchML service of lab %s at %v", lab, s.Management),
		Columns: []render.Column{{Key: "host", Name: "host"}, {Key: "interface", Name: "interface"}, {Key: "mac", Name: "MAC"}, {Key: "address", Name: "address"}, {Key: "namespace", Name: "network namespace"}},
		Notes: []string{
			fmt.Sprintf("the service answers at %v in every one of these namespaces, by the interface mgmt", s.Management),
			"enter one with: nsenter --net=NAMESPACE COMMAND",
			"it runs until it is interrupted (Ctrl-C)",
		},
	}
	if f.faithful {
		for _, change := range f.system().FaithfulChanges() {
			t.Notes = append(t.Notes, "--faithful: "+change)
		}
	}
	for _, h := range s.Plan.Hosts {
		t.Rows = append(t.Rows, []render.Cell{render.Text(h.Name), render.Text(h.Iface), render.Text(h.MAC.String()), render.Text(h.Addr.String()), render.Text(s.Paths[h.Name])})
	}
	t.Rows = append(t.Rows, []render.Cell{render.Text(s.Node), render.NA(), render.NA(), render.NA(), render.Text(s.Paths[s.Node])})
	return t
}
