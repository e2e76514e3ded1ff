package main

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/lab"
)

func newEvents() *cobra.Command {
	var follow bool
	c := &cobra.Command{
		Use:   "events [LAB]",
		Short: "Print what has happened in a lab that is up, a line of JSON each",
		Long: `Prints what has happened in a lab that is up: when links were changed, programs and runs began
and ended, a switch died. Each line is a JSON object with a time and an event; node, pid,
command, code, link, becomes and text are there where they apply.`,
		Args: arguments(0, 1), ValidArgsFunction: completeLabs,
		RunE: func(c *cobra.Command, args []string) error {
			l, err := findUp(labOf(args, ""), byArgument)
			if err != nil {
				return err
			}
			f, err := os.Open(lab.EventsPath(l.Dir))
			if err != nil {
				return err
			}
			defer f.Close()
			if _, err := io.Copy(c.OutOrStdout(), f); err != nil || !follow {
				return err
			}
			return followEvents(c, f)
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the lab is down")
	return c
}

// eventsPoll is how often new events are looked for.
const eventsPoll = 100 * time.Millisecond

// followEvents copies what is appended to a file until that has gone.
func followEvents(c *cobra.Command, f *os.File) error {
	tick := time.NewTicker(eventsPoll)
	defer tick.Stop()
	lines := bufio.NewWriter(c.OutOrStdout())
	for {
		_, err := os.Stat(f.Name()) // first, so that what came before its end is read
		_, copied := io.Copy(lines, f)
		if failed := errors.Join(copied, lines.Flush()); failed != nil || errors.Is(err, fs.ErrNotExist) {
			return failed
		}
		select {
		case <-tick.C:
		case <-c.Context().Done():
			return nil
		}
	}
}
