//go:build !linux

package main

import (
	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/running"
)

// newLabOwner is the command of the owner's process, which has nothing to own here.
func newLabOwner() *cobra.Command {
	return &cobra.Command{Use: "lab-owner", Hidden: true, RunE: func(*cobra.Command, []string) error { return netns.CanRoot() }}
}

// startOwner says that this needs Linux.
func startOwner(*cobra.Command, upJob) (running.State, error) {
	return running.State{}, withCode(exitPreflight, netns.CanRoot())
}
