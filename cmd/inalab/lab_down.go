package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/netns"
)

func newDown() *cobra.Command {
	return &cobra.Command{
		Use:   "down [LAB]",
		Short: "Take a lab down that is up, with all that runs in it",
		Long: `Ends the programs and switches of a lab, removes its links and namespaces, and returns when
all has gone. Without a name it is the only lab that runs. A run on the lab ends, too. A lab
that goes with a run ends with that: interrupt the run.

Exit codes: 0 it is down, 2 there is no such lab, 3 it is another user's, 5 something could
not be removed.`,
		Example: "  inalab down demo",
		Args:    arguments(0, 1), ValidArgsFunction: completeLabs,
		RunE: func(c *cobra.Command, args []string) error {
			l, err := findUp(labOf(args, ""), byArgument)
			if err != nil {
				return err
			}
			if err := down(c.Context(), l.Entry); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "lab %s is down\n", l.Lab)
			return nil
		},
	}
}

// labOf is the lab that an argument names, or else a flag.
func labOf(args []string, flag string) string {
	if len(args) > 0 {
		return args[0]
	}
	return flag
}

// downTimeout bounds the wait for the end of a lab (assumed: the kernel removes 512 namespaces in some seconds
// on a busy machine, and processes have some to end).
const downTimeout = 60 * time.Second

// down asks the owner of a lab to end, and waits until it has. What it left behind is collected.
func down(ctx context.Context, e journal.Entry) error {
	ctx, cancel := context.WithTimeoutCause(ctx, downTimeout, fmt.Errorf("process %d, the owner of lab %s, does not end", e.Owner.PID, e.Lab))
	defer cancel()
	err := e.Owner.Process.End(ctx)
	if errors.Is(err, fs.ErrPermission) {
		return notOurs(e)
	}
	if err != nil {
		return withCode(exitUnclean, fmt.Errorf("%w: kill it, and run \"inalab gc\"", err))
	}
	if _, err := os.Stat(e.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err = netns.GC(netns.Options{})
	if _, left := os.Stat(e.Dir); left == nil && err == nil {
		err = fmt.Errorf("%s is still there: run \"inalab gc\"", e.Dir)
	}
	return withCode(exitUnclean, err)
}
