package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/lab"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/running"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo/spec"
)

type upFlags struct {
	tableFlags
	name                   string
	seed                   uint64
	foreground, plain, dry bool
}

func newUp() *cobra.Command {
	var f upFlags
	c := &cobra.Command{
		Use:   "up FILE",
		Short: "Bring a lab up from a topology file, for programs of your own",
		Long: `Brings up the hosts, switches and links of a topology file, and returns. The lab stays
until "inalab down". "-" reads standard input. What the file leaves out of its links is a
perfect wire, and its schedule does not happen.

A process of its own owns the lab. If it is killed, "inalab gc" removes what is left. With
--foreground this command is that process, and an interrupt takes the lab down.

Exit codes: 0 it is up, 2 the file, the name or a flag is wrong, or the name is in use, 3 the
machine lacks something, 5 something could not be removed. See docs/lab.md.`,
		Example: `  inalab up lab.topo.yaml --name demo
  inalab generate leaf-spine --leaves 2 --spines 2 --hosts 4 | inalab up -`,
		Args: arguments(1, 1), ValidArgsFunction: completeFiles,
		RunE: func(c *cobra.Command, args []string) error { return up(c, args[0], f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.name, "name", "", "name of the lab (default: a new one)")
	flags.Uint64Var(&f.seed, "seed", 1, "of what links lose and delay")
	flags.BoolVar(&f.foreground, "foreground", false, "stay, and take the lab down at the end")
	flags.BoolVar(&f.plain, "no-offload", false, fmt.Sprintf("do without segmentation and checksum offload (default: so with more than %d hosts)", maxOffload))
	flags.BoolVar(&f.dry, "dry-run", false, "say what would be up, and stop")
	f.register(flags)
	return c
}

// maxOffload is how many hosts a lab may have that does with offload if nobody says otherwise: the ring of each port
// then has 4 MB, which the kernel has to clear. Assumed.
const maxOffload = 64

// upJob is what the owner of a lab is to bring up, as it crosses to its process.
type upJob struct {
	Lab, File string
	Text      []byte
	Seed      uint64
	Plain     bool
}

func up(c *cobra.Command, name string, f upFlags) error {
	format, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	text, called, err := readInput(name, c.InOrStdin())
	if err != nil {
		return usage(err)
	}
	job := upJob{Lab: cmp.Or(f.name, netns.NewLabName()), File: called, Text: text, Seed: f.seed, Plain: f.plain}
	if err := journal.CheckLab(job.Lab); err != nil {
		return usage(fmt.Errorf("--name: %w", err))
	}
	opt, err := job.options()
	if err != nil {
		return usage(err)
	}
	hosts, switches := countNodes(opt.Graph)
	if !c.Flags().Changed("no-offload") {
		job.Plain = hosts > maxOffload
		opt.Plain = job.Plain
	}
	if f.dry {
		fmt.Fprintf(c.OutOrStdout(), "lab of topology %s: %s, %s, %s\n", opt.Graph.Name, count(hosts, "host"), count(switches, "switch"), count(len(opt.Graph.Links), "link"))
		return nil
	}
	show := func(s running.State) error { return render.Write(c.OutOrStdout(), upTable(s, f.foreground), format) }
	if f.foreground {
		if err := enterNamespaces(); err != nil {
			return err
		}
		return lab.Run(c.Context(), opt, func(_ string, s running.State) error { return show(s) })
	}
	state, err := startOwner(c, job)
	if err != nil {
		return err
	}
	return show(state)
}

// options reads the file of a job, and what it names.
func (j *upJob) options() (o lab.Options, err error) {
	isTopology, err := topologyText(j.File, j.Text)
	if err == nil && !isTopology {
		err = fmt.Errorf("%s is a scenario: run it with \"inalab run %s --keep\", or name a topology file", j.File, j.File)
	}
	if err != nil {
		return o, err
	}
	t, err := resolveTopology(j.File, j.Text)
	if err != nil {
		return o, err
	}
	o = lab.Options{
		Lab: j.Lab, File: j.File, Text: j.Text, Graph: t.Graph, Plain: j.Plain, Seed: rng.Root(j.Seed), Owner: journal.CurrentCaller(),
	}
	if len(t.Programs) == 0 {
		return o, nil
	}
	return o, j.addPrograms(&o, t)
}

// addPrograms reads the programs that switches of the file name.
func (j *upJob) addPrograms(o *lab.Options, t *spec.Lab) error {
	f := programFlags{topology: j.File}
	src := scenarios.Source{Name: "up", Text: fmt.Appendf(nil, upScenario, j.File)}
	s, err := scenarios.Load(src, systems())
	if err != nil {
		return err
	}
	sets, err := s.Sets(false)
	if err != nil {
		return fmt.Errorf("programs of %s: %w", f.topology, err)
	}
	o.Transit, o.Programs = sets[0].First().Transit, map[string][]byte{}
	for _, p := range t.Programs {
		text, err := scenarios.ReadFile(scenarios.Beside(j.File, p.Text))
		if err != nil {
			return err
		}
		o.Programs[p.Text] = text
	}
	return nil
}

// upScenario is the scenario whose programs a lab has. Its system does not run.
const upScenario = "apiVersion: " + scenarios.APIVersion + "\nkind: Scenario\nname: up\nscale: 1\nsystems: [{system: ring}]\ntopology: %q\n"

// upTable says what is up.
func upTable(s running.State, foreground bool) render.Table {
	t := render.Table{ID: "lab.up", Title: fmt.Sprintf("lab %s of topology %s", s.Lab, s.Topology), Columns: []render.Column{
		{Key: "node", Name: "node"}, {Key: "kind", Name: "kind"}, {Key: "address", Name: "address"}, {Key: "links", Name: "links", Align: render.Right},
	}}
	for _, n := range s.Nodes {
		t.Rows = append(t.Rows, []render.Cell{render.Text(n.Name), render.Text(n.Kind), orNA(n.Address), render.Int(len(n.Interfaces))})
	}
	t.Notes = []string{fmt.Sprintf("it stays until: inalab down %s", s.Lab)}
	if foreground {
		t.Notes = []string{"it stays until this is interrupted (Ctrl-C)"}
	}
	return t
}

// orNA is a cell of text, or of nothing.
func orNA(text string) render.Cell {
	if text == "" {
		return render.NA()
	}
	return render.Text(text)
}
