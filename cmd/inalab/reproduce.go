package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/experiments"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// reproduceFlags are the options of inalab reproduce.
type reproduceFlags struct {
	list, all, quick, sensitivity, quiet bool
	seed                                 uint64
	readings                             []string
	out, format, html                    string
	timeout                              time.Duration
}

func newReproduce() *cobra.Command {
	var f reproduceFlags
	c := &cobra.Command{
		Use:   "reproduce [CLAIM...]",
		Short: "Check claims of the papers: printed value, measured value, verdict",
		Long: `Runs the experiments that claims of the papers need, under the virtual clock at
the papers' link rates or as a calculation, and judges what they measured. A claim is
named by its id, or by what ids begin with: trio.fig13.vgg11.p16 is one claim,
trio.fig13 a figure, trio a paper. "inalab reproduce --list" prints all.

Live claims move real packets: they take root, and answer needs-root without.
Claims of systems that are not built answer not-yet.

A claim of which a number that nobody printed decides whether it holds is undetermined:
it is never counted as reproduced, and fails the command unless the ledger expects it.
A live run that cannot tell, and says why, makes its claim undetermined too, and fails nothing.

Each row has its evidence (simulated, live, unit, arithmetic, input) and the chip or
reference program that ran. What no behaviour of the code can fail is arithmetic or an
input, never reproduced; totals are given for each kind of evidence.
What this project says and no paper is marked o and counted apart.

Every point of every figure, the constants and the readings go to a new directory
below --out; the claims go to standard output. report.html in that directory has all of
it on one page, figure by figure, for a browser or paper; --html FILE writes it there
too, and "inalab report" makes it again. Exit codes: 0 all is as the ledger
of claims expects, 1 a claim failed unexpectedly, or passed unexpectedly, 4 this
machine was too busy for a live claim; the others are those of "inalab help".`,
		Example: `  inalab reproduce --list trio
  inalab reproduce --quick
  inalab reproduce trio.fig13 switchml.tab1
  inalab reproduce trio.fig13 --reading trio.wake=naive
  inalab reproduce switchml.tab2 --sensitivity
  inalab reproduce --all --html claims.html`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeClaims,
		RunE:              func(c *cobra.Command, args []string) error { return reproduce(c, args, f) },
	}
	flags := c.Flags()
	flags.BoolVar(&f.list, "list", false, "list claims and what measures them; run nothing")
	flags.BoolVar(&f.all, "all", false, "check every claim")
	flags.BoolVar(&f.quick, "quick", false, "cut tensors and iterations as each experiment states; without CLAIM, of every claim")
	flags.BoolVar(&f.sensitivity, "sensitivity", false, "run again with each assumed constant at the ends of its range")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of all that is random")
	flags.StringArrayVar(&f.readings, "reading", nil, "reading of what a paper leaves open, ID=choice; may be repeated")
	flags.StringVarP(&f.out, "out", "o", archive.DefaultRoot, "directory in which the results directory is made")
	flags.StringVar(&f.format, "format", "table", "of standard output: "+formats())
	flags.StringVar(&f.html, "html", "", "write the page here too; - is standard output, in place of the claims")
	flags.DurationVar(&f.timeout, "timeout", 0, "end after this time, as in 5m (default: none)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	return c
}

// completeClaims offers the ids of claims.
func completeClaims(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	l, err := claims.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, c := range l.Claims {
		ids = append(ids, string(c.ID))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// validate checks what can be said of the flags without the ledger.
func (f reproduceFlags) validate(ids []string) error {
	switch {
	case f.list && f.sensitivity:
		return errors.New("--list runs nothing: leave --sensitivity away")
	case f.list && f.html != "":
		return errors.New("--list runs nothing: leave --html away")
	case f.all && len(ids) > 0:
		return fmt.Errorf("--all is every claim: leave it or %q away", ids[0])
	case len(ids) == 0 && !f.list && !f.all && !f.quick:
		return errors.New(`which claims? Give ids, as in "inalab reproduce trio.fig13", or --quick (all of them, cut short) or --all; ` +
			`"inalab reproduce --list" prints the ids`)
	case f.seed == 0:
		return errors.New("--seed 0: at least 1 is needed")
	case f.timeout < 0:
		return fmt.Errorf("--timeout %v: a time above zero is needed", f.timeout)
	}
	return nil
}

// reproduce checks claims of the ledger that is part of the program.
func reproduce(c *cobra.Command, ids []string, f reproduceFlags) error {
	ledger, err := claims.Load()
	if err != nil {
		return fmt.Errorf("the ledger of claims is broken: %w", err)
	}
	r := reproduction{flags: f, ids: ids, ledger: ledger, list: experiments.All(), stdout: c.OutOrStdout(), stderr: c.ErrOrStderr()}
	if err := r.prepare(); err != nil {
		return usage(err)
	}
	if f.list {
		return r.writeList()
	}
	if err := netns.CanRoot(); err != nil {
		r.noLive = err.Error()
	}
	ctx := c.Context()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.timeout, errTimeout)
		defer cancel()
	}
	return r.run(ctx)
}

// prepare resolves what the command line says.
func (r *reproduction) prepare() (err error) {
	if r.format, err = render.ParseFormat(r.flags.format); err != nil {
		return err
	}
	if err := r.flags.validate(r.ids); err != nil {
		return err
	}
	if err := canHold(r.flags.html); err != nil {
		return err
	}
	if r.readings, err = r.ledger.Readings(r.flags.readings); err != nil {
		return err
	}
	r.selection = r.ledger.All()
	if len(r.ids) > 0 {
		r.selection, err = r.ledger.Select(r.ids...)
	}
	return err
}

// writeList prints the selected claims and what measures them.
func (r *reproduction) writeList() error {
	t := r.selection.Table()
	t.Columns = append(t.Columns,
		render.Column{Name: "measured by", Wrap: true}, render.Column{Key: "experiment"}, render.Column{Key: "waits_for"}, render.Column{Key: "switch"})
	for i := range t.Rows {
		t.Rows[i] = append(t.Rows[i], r.sourceCells(i)...)
	}
	return render.Write(r.stdout, t, r.options())
}

// sourceCells say what measures entry i of the selection.
func (r *reproduction) sourceCells(i int) []render.Cell {
	id := claims.ID("")
	if n := len(r.selection.Claims); i < n {
		c := r.selection.Claims[i]
		if c.Method == claims.NoWay {
			return []render.Cell{render.Text("nothing can"), render.NA(), render.NA(), render.NA()}
		}
		id = c.ID
	} else {
		id = r.selection.Unseen[i-n].ID
	}
	x := experiments.Find(r.list, id)
	if x == nil {
		why := experiments.WaitsFor(id)
		return []render.Cell{render.Text(why), render.NA(), render.Text(why), render.NA()}
	}
	return []render.Cell{render.Text(x.ID), render.Text(x.ID), render.NA(), render.Text(claims.SwitchText(x.Switch))}
}

// options are those of tables on standard output.
func (r *reproduction) options() render.Options {
	o := tableOptions(r.stdout)
	o.Format = r.format
	return o
}
