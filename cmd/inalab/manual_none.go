//go:build !manual

package main

import "github.com/spf13/cobra"

// extraCommands lists the commands that releases are made with, and do not have.
func extraCommands() []*cobra.Command { return nil }
