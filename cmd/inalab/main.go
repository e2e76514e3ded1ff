package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/node"
	"github.com/inalab/inalab/harness/system"
)

// version is what this build calls itself. The linker sets it:
// -ldflags "-X main.version=v1.2.3".
var version = "devel"

func main() { os.Exit(start()) }

func start() int {
	if code, ok := node.Main(os.Args, systems()); ok {
		return code
	}
	return newApp(os.Stdout, os.Stderr, os.Environ()).execute(os.Args[1:])
}

// systems lists every system that this program knows. docs/add-a-system.md says how to
// add one.
func systems() []job.System { return system.All() }

// commands lists every command, in the order of the help text.
func commands() []*cobra.Command {
	return []*cobra.Command{
		newRun(),
		newReproduce(),
		newBench(),
		newList(),
		newExplain(),
		newReport(),
		newMicrocode(),
		newSwitch(),
		newDoctor(),
		newProbe(),
		newGC(),
		newVersion(),
	}
}
