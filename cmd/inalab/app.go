package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// app is what all commands share: streams, environment, and how the program is
// to end.
type app struct {
	stdout, stderr io.Writer
	environ        []string
	args           []string
	log            *slog.Logger // to stderr; -v and -q set its level
	interrupts     *interrupts

	noColor        bool
	quiet, verbose bool
	running        bool // a command has begun: what fails now is no matter of usage
}

func newApp(stdout, stderr io.Writer, environ []string) *app {
	a := &app{stdout: stdout, stderr: stderr, environ: environ}
	a.interrupts = &interrupts{stderr: stderr, exit: os.Exit}
	a.setLevel()
	return a
}

// setLevel makes the logger that -q and -v ask for.
func (a *app) setLevel() {
	level := slog.LevelInfo
	switch {
	case a.quiet:
		level = slog.LevelWarn
	case a.verbose:
		level = slog.LevelDebug
	}
	a.log = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
}

// execute runs what the arguments ask for, reports its error, and returns the
// exit code.
func (a *app) execute(args []string) exitCode {
	a.args = args
	ctx, stop := a.interrupts.watch(context.Background())
	defer stop()
	root := newRoot(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !a.running {
		err = withCode(exitUsage, err)
	}
	a.report(err)
	return codeOf(err)
}

// report writes an error to stderr, behind the name of the program.
func (a *app) report(err error) {
	if err == nil || err.Error() == "" {
		return
	}
	name := "inalab:"
	if a.colour() {
		name = "\x1b[1;31m" + name + "\x1b[0m" // bold red (ECMA-48 SGR)
	}
	fmt.Fprintln(a.stderr, name, err)
}

// getenv returns the value of an environment variable.
func (a *app) getenv(name string) string {
	for i := len(a.environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(a.environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// colour reports whether errors may be coloured: on a terminal, unless that was
// forbidden (no-color.org).
func (a *app) colour() bool {
	return !a.noColor && a.getenv("NO_COLOR") == "" && isTerminal(a.stderr)
}

// redraws reports whether progress may be redrawn in place: on a terminal that
// no continuous integration records.
func (a *app) redraws() bool {
	ci := a.getenv("CI")
	return isTerminal(a.stderr) && (ci == "" || ci == "false")
}

// newRoot returns the whole tree of commands.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "inalab",
		Short: "A testbed for in-network aggregation",
		Long: `inalab trains real models through software switches that aggregate gradients in
the network: Trio-ML, SwitchML, and ring all-reduce beside them. Hosts and
switches are processes in network namespaces, joined by virtual Ethernet; or
machines under a virtual clock, for exact numbers at the paper's link rates.

Begin with "inalab doctor", then "sudo inalab run straggler".

Each flag has a default in the environment, INALAB_<COMMAND>_<FLAG>. Exit codes:
0 ok, 1 an expectation failed, 2 usage or file error, 3 the machine lacks
something, 4 the run cannot be believed, 5 something was left behind,
77 skipped, 124 timeout, 130 interrupted.`,
		Version:           version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              subcommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
	}
	root.SetVersionTemplate("inalab {{.Version}}\n")
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(a.flagError)
	root.SetHelpCommand(helpCommand())
	root.CompletionOptions.HiddenDefaultCmd = false
	flags := root.PersistentFlags()
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "log warnings and errors only")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "log details, too")
	flags.BoolVar(&a.noColor, "no-color", false, "never colour anything (as NO_COLOR does)")
	root.MarkFlagsMutuallyExclusive("quiet", "verbose")
	root.AddCommand(commands(a)...)
	a.markRunning(root)
	return root
}

// prepare runs before every command.
func (a *app) prepare(cmd *cobra.Command) error {
	if err := bindEnvironment(cmd, a.environ); err != nil {
		return err
	}
	a.setLevel()
	return nil
}

// markRunning notes when a command begins, for all that are there.
func (a *app) markRunning(cmd *cobra.Command) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			a.running = true
			return run(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		a.markRunning(sub)
	}
}
