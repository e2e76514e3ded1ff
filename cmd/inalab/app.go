package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/live"
)

// app is one call of the program: its streams, and how it is to end.
type app struct {
	stdout, stderr io.Writer
	environ        []string // as os.Environ has it
	interrupts     interrupts
	logs           *live.LogDirs // for temporary files

	args    []string
	noColor bool
	running bool // a command has begun: what fails now is no matter of usage
}

func newApp(stdout, stderr io.Writer, environ []string) *app {
	logs := &live.LogDirs{}
	abandon := func() error { return errors.Join(collectBehind(), logs.Remove()) }
	return &app{
		stdout: stdout, stderr: stderr, environ: environ, logs: logs,
		interrupts: interrupts{stderr: stderr, abandon: abandon, exit: os.Exit},
	}
}

// execute runs what the arguments ask for, reports its error, and returns the
// exit code.
func (a *app) execute(args []string) int {
	a.args = args
	ctx, stop := a.interrupts.watch(context.Background())
	defer stop()
	root := newRoot(a)
	root.SetArgs(args)
	err := root.ExecuteContext(a.logs.In(ctx))
	if err != nil && !a.running {
		err = usage(err)
	}
	a.report(err)
	return exitCode(err)
}

// report writes an error to stderr, behind the name of the program.
func (a *app) report(err error) {
	if err == nil || err.Error() == "" {
		return
	}
	name := "inalab:"
	if !a.noColor && colours(a.stderr) {
		name = "\x1b[1;31m" + name + "\x1b[0m" // bold red (ECMA-48, SGR)
	}
	fmt.Fprintln(a.stderr, name, err)
}

// newRoot returns the whole tree of commands.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "inalab",
		Short: "A testbed for in-network aggregation",
		Long: `inalab trains real models through software switches that aggregate gradients in
the network: Trio-ML and SwitchML, with ring all-reduce beside them. Hosts and
switches are processes in network namespaces, joined by virtual Ethernet, or
machines under a virtual clock, where one seed always gives the same numbers. Both
run at the scale of the scenario, which divides link rates and model sizes alike.

Begin with "inalab doctor", then "sudo inalab run straggler".

Each flag has a default in the environment: INALAB_<COMMAND>_<FLAG>. Exit codes:
0 ok, 1 an expectation failed, 2 usage or file error, 3 the machine lacks
something, 4 the run cannot be believed, 5 something was left behind, 124 timeout,
130 interrupted.`,
		Version:           buildVersion(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return bindEnvironment(cmd, a.environ) },
	}
	root.SetVersionTemplate("inalab {{.Version}}\n")
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(a.flagError)
	root.SetHelpCommand(helpCommand())
	root.Flags().Bool("version", false, "print the version") // cobra's would take -v
	root.PersistentFlags().BoolVar(&a.noColor, "no-color", false, "never colour anything, as NO_COLOR says")
	root.AddCommand(append(commands(), extraCommands()...)...)
	root.InitDefaultCompletionCmd()
	a.complete(root)
	return root
}

// complete fills in what goes without saying in all commands: what a shell offers behind a flag; those that only have others
// below them show their help, and no command takes an argument that does not say so. It
// also notes when one begins.
func (a *app) complete(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		a.complete(sub)
	}
	switch {
	case cmd.Args != nil:
	case cmd.HasSubCommands():
		cmd.Args = subcommand
	default:
		cmd.Args = arguments(0, 0)
	}
	completeFlags(cmd)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.running = true
		if run == nil {
			return cmd.Help()
		}
		return run(cmd, args)
	}
}
