//go:build manual

package main

import (
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newManual writes the pages of the manual. Releases are made with it and do not have it: it needs
// what no user does.
func newManual() *cobra.Command {
	return &cobra.Command{
		Use:    "manual DIR",
		Short:  "Write the pages of the manual into a directory",
		Hidden: true,
		Args:   arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true
			return doc.GenManTree(root, &doc.GenManHeader{
				Section: "1", Source: "inalab " + buildVersion(), Manual: "inalab manual", Date: sourceDate(),
			}, args[0])
		},
	}
}

// sourceDate is what reproducible-builds.org says of SOURCE_DATE_EPOCH: the time of the commit, in seconds.
// Without it the page has the time of today.
func sourceDate() *time.Time {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return nil
	}
	date := time.Unix(seconds, 0).UTC()
	return &date
}

func extraCommands() []*cobra.Command { return []*cobra.Command{newManual()} }
