package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/netns"
)

type gcFlags struct {
	dryRun bool
	after  int
}

func newGC() *cobra.Command {
	var f gcFlags
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove what killed runs left behind",
		Long: `Removes the namespaces, links and processes of labs whose run was killed. What
belongs to a lab stands in its journal; nothing else is touched, and no lab whose
run is alive. The kernel has detached the XDP programs of a run that was killed;
those that somebody else put on its interfaces are named. Labs of root are collected by root: sudo inalab gc.

Exit codes: 0 all is gone, 5 something could not be removed.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return collect(cmd.OutOrStdout(), cmd.ErrOrStderr(), f) },
	}
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "only list what would be removed")
	cmd.Flags().IntVar(&f.after, "after", 0, "first wait for the end of this process")
	if err := cmd.Flags().MarkHidden("after"); err != nil {
		panic(err) // the flag is the one above
	}
	return cmd
}

func collect(stdout, stderr io.Writer, f gcFlags) error {
	if f.after != 0 {
		waitForEnd(f.after)
	}
	if f.dryRun {
		return listStale(stdout)
	}
	report, err := netns.GC(netns.Options{})
	for _, c := range report.Collected {
		fmt.Fprintf(stdout, "removed lab %s: %d namespaces, %d processes, left behind by process %d\n", c.Lab, c.Namespaces, c.Processes, c.Owner.PID)
		for _, p := range c.Programs {
			fmt.Fprintf(stderr, "lab %s: %s:%s had XDP program %d, which no process of the lab put there: it went with the interface\n", c.Lab, p.Node, p.Iface, p.ID)
		}
	}
	var unread []error
	for _, e := range report.Kept {
		if e.State == journal.Unknown {
			unread = append(unread, fmt.Errorf("lab %s: %w: look at what it names, then remove %s", e.Lab, e.Err, e.Dir))
			continue
		}
		fmt.Fprintf(stderr, "kept lab %s: process %d runs it\n", e.Lab, e.Owner.PID)
	}
	if len(report.Collected) == 0 && err == nil {
		fmt.Fprintln(stdout, "nothing to remove")
	}
	return withCode(exitUnclean, errors.Join(err, errors.Join(unread...)))
}

func listStale(stdout io.Writer) error {
	stale, err := netns.Stale(netns.Options{})
	if err != nil {
		return err
	}
	for _, e := range stale {
		fmt.Fprintf(stdout, "would remove lab %s, left behind by process %d\n", e.Lab, e.Owner.PID)
	}
	if len(stale) == 0 {
		fmt.Fprintln(stdout, "nothing to remove")
	}
	return nil
}

// collectBehind sees to the labs of a program that is about to end without
// taking them down: a process of its own collects them as soon as it has.
func collectBehind() error {
	labs, err := netns.List(netns.Options{})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(labs, func(e journal.Entry) bool { return e.Owner.PID == os.Getpid() }) {
		return nil
	}
	cmd := exec.Command("/proc/self/exe", "gc", "--after", strconv.Itoa(os.Getpid()))
	cmd.Args[0] = os.Args[0]
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the next interrupt from the terminal is not for it
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start collecting: %w", err)
	}
	return cmd.Process.Release()
}
