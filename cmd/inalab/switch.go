package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

// switchFlags are the options of everything that speaks with a switch.
type switchFlags struct {
	tableFlags
	lab, node, pfe string
}

func newSwitch() *cobra.Command {
	c := &cobra.Command{
		Use:   "switch",
		Short: "Look into a switch of a running lab, write its programs, give it jobs, have it lose packets",
		Long: `Speaks with a switch of a lab that runs, in another terminal, say. A lab of root is
open to root and to the user who called sudo; a lab in a user namespace to its
user. See docs/switch.md.`,
	}
	c.AddCommand(newSwitchShow(), newSwitchSet(), newSwitchJob(), newSwitchDrop(), newSwitchRaise(), newSwitchForget(), newSwitchReplace(), newSwitchServe())
	return c
}

const switchCodes = `

Exit codes: 0 ok, 1 the switch refused or was too busy, 2 there is no such lab, switch,
PFE or view, or a flag is wrong, 3 the lab is another user's.`

func newSwitchShow() *cobra.Command {
	var f switchFlags
	var limit int
	var program string
	c := &cobra.Command{
		Use:   "show VIEW [NAME]",
		Short: "Show jobs, blocks, threads, memory, resources and more of a running switch",
		Long: `Shows a view of each engine of a switch, as it is at this moment: VIEW is one of
` + viewNames() + `. Which of
them there are depends on what runs on the switch; an unknown one is answered with
a list. Looking changes nothing, and takes place between two batches of packets.

Of a program in Microcode, symbols, records and counters show what its names stand for:
all of them, or NAME, as drops[1] or sources[10.1.0.2].` + switchCodes,
		Example: `  inalab switch show jobs
  inalab switch show blocks --pfe pfe1 --limit 20
  inalab switch show records sources
  inalab switch show stats --lab demo --switch mx480 --format json`,
		Args:      arguments(1, 2),
		ValidArgs: viewList(),
		RunE: func(c *cobra.Command, args []string) error {
			r := control.Request{Op: control.OpShow, View: dataplane.View(args[0]), Limit: limit, Program: program}
			if len(args) > 1 {
				r.Name = args[1]
			}
			return showView(c, f, r)
		},
	}
	f.register(c.Flags())
	c.Flags().IntVar(&limit, "limit", control.DefaultRows, fmt.Sprintf("rows of each engine at most, 1 to %d", control.MaxRows))
	c.Flags().StringVar(&program, "program", "", "one program of a PFE (default: all that have the view)")
	return c
}

func (f *switchFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.lab, "lab", "", "lab (default: the only one that runs)")
	flags.StringVar(&f.node, "switch", "", "switch (default: the only one of the lab)")
	flags.StringVar(&f.pfe, "pfe", "", "one PFE, by its name or the number in it (default: all that it concerns)")
	f.tableFlags.register(flags)
}

func viewList() (out []string) {
	for _, v := range dataplane.Views {
		out = append(out, string(v))
	}
	return out
}

func viewNames() string { return strings.Join(viewList(), ", ") }

// showView asks for a view and writes it.
func showView(c *cobra.Command, f switchFlags, r control.Request) error {
	if views := viewList(); !slices.Contains(views, string(r.View)) {
		return usage(fmt.Errorf("unknown view %q: allowed are %s%s", r.View, viewNames(), suggest.DidYouMean(string(r.View), views)))
	}
	if r.Limit < 1 || r.Limit > control.MaxRows {
		return usage(fmt.Errorf("--limit %d: 1 to %d are possible", r.Limit, control.MaxRows))
	}
	return f.ask(c, r, func(lab string, answer control.Response) render.Table {
		return viewTable(lab, r.View, answer, !f.forPrograms())
	})
}

// ask sends a request to the switch that the flags mean, and writes the table that
// is made of its answer.
func (f switchFlags) ask(c *cobra.Command, r control.Request, table func(lab string, answer control.Response) render.Table) error {
	options, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	s, err := f.find()
	if err != nil {
		return err
	}
	r.PFE = f.pfe
	answer, err := s.ask(c.Context(), r)
	if err != nil {
		return faultCode(err)
	}
	return render.Write(c.OutOrStdout(), table(s.lab.Lab, answer), options)
}

// faultCode gives what a switch answers its exit code.
func faultCode(err error) error {
	if said := (*control.Error)(nil); errors.As(err, &said) && said.Response.Fault == control.FaultRequest {
		return usage(err)
	}
	return err
}
