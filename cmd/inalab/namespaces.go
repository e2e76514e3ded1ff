package main

import (
	"os"
	"os/signal"

	"github.com/inalab/inalab/harness/netns"
)

// enterNamespaces makes sure that the command may make namespaces. Without root
// the program runs again inside a user namespace, and this process ends as that
// one does.
func enterNamespaces() error {
	if netns.CanRoot() != nil && !netns.Entered() {
		// The signals are for the program inside; this one forwards them and waits.
		signal.Reset(endSignals...)
	}
	code, done, err := netns.Enter()
	if err != nil {
		return withCode(exitPreflight, err)
	}
	if done {
		os.Exit(code)
	}
	return nil
}
