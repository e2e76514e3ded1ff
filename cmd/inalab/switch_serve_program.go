package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/topo/plan"
)

// programFlags are those of a lab whose switches run programs of one's own.
type programFlags struct {
	program, scenario, topology string
	set                         []string
}

func (f *programFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.program, "program", "", "file of a program in Microcode that all frames pass, in place of SwitchML")
	flags.StringVar(&f.scenario, "scenario", "", "file of a scenario whose topology, links and programs in transit are served, without its jobs")
	flags.StringVarP(&f.topology, "topo", "t", "rack", "topology, with --program")
	flags.StringArrayVar(&f.set, "set", nil, "set a value of the scenario, a list as a whole, as in --set 'transit=[{program: a.mc, next-hops: [{number: 1, to: h2}]}]'; may be repeated")
}

// given reports whether a lab of programs is asked for.
func (f *programFlags) given() bool { return f.program != "" || f.scenario != "" }

// bare is the scenario of a lab with a program alone. Its system does not run.
const bare = "apiVersion: " + scenarios.APIVersion + "\nkind: Scenario\nname: serve\nscale: 1\nsystems: [{system: ring}]\ntransit: [{program: %s}]\nhosts: %d\ntopology: %s\n"

// source is the scenario that is served.
func (f *programFlags) source(hosts int) (scenarios.Source, error) {
	src := scenarios.Source{Name: f.scenario, Set: f.set}
	if f.program != "" && f.scenario != "" {
		return src, errors.New("--program and --scenario: leave one out, a scenario names its programs below transit")
	}
	if f.program != "" {
		src.Name = "--program"
		src.Text = fmt.Appendf(nil, bare, strconv.Quote(f.program), hosts, f.topology)
		return src, nil
	}
	var err error
	if strings.HasSuffix(f.scenario, ".yaml") {
		src.Text, err = os.ReadFile(f.scenario)
		return src, err
	}
	src.Name += ".scenario.yaml"
	src.Text, err = scenarios.Embedded(f.scenario)
	return src, err
}

// lab returns what is brought up.
func (f *programFlags) lab(hosts int) (*plan.Plan, [][]chassis.Program, error) {
	src, err := f.source(hosts)
	if err != nil {
		return nil, nil, err
	}
	s, err := scenarios.Load(src, systems())
	if err != nil {
		return nil, nil, err
	}
	sets, err := s.Sets(false)
	if err != nil {
		return nil, nil, err
	}
	first := sets[0].First()
	return first.Plan, first.Transit, nil
}

// servePrograms serves a lab of programs.
func servePrograms(c *cobra.Command, f serveFlags) error {
	format, err := f.tableFlags.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	o, err := f.labOptions()
	if err != nil {
		return usage(err)
	}
	p, programs, err := f.programs.lab(f.hosts)
	if err != nil {
		return usage(err)
	}
	return inLab(c, &o, func() error {
		return live.ServePrograms(c.Context(), p, programs, o, func(s live.Served) error {
			return render.Write(c.OutOrStdout(), hostsTable(o.Lab, s, programs), format)
		})
	})
}

// hostsTable says how to get to the hosts of a lab.
func hostsTable(lab string, s live.Served, programs [][]chassis.Program) render.Table {
	t := render.Table{
		ID: "switch.serve.hosts", Title: "hosts of lab " + lab,
		Columns: []render.Column{{Key: "host", Name: "host"}, {Key: "address", Name: "address"}, {Key: "switch", Name: "switch"}, {Key: "namespace", Name: "network namespace"}},
	}
	for _, h := range s.Plan.Hosts {
		t.Rows = append(t.Rows, []render.Cell{render.Text(h.Name), render.Text(h.Addr.Addr().String()), render.Text(h.Switch), render.Text(s.Paths[h.Name])})
	}
	for i, list := range programs {
		for _, p := range list {
			sw := &s.Plan.Switches[i]
			at := sw.Name
			if sw.Chassis != nil {
				at += "/" + sw.Chassis.PFEs[p.PFE].Name
			}
			t.Notes = append(t.Notes, fmt.Sprintf("%s runs %s", at, cmp.Or(p.Name, p.System)))
		}
	}
	t.Notes = append(t.Notes, "enter a host with: nsenter --net=NAMESPACE COMMAND", "it runs until it is interrupted (Ctrl-C)")
	return t
}
