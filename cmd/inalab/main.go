package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/node"
	"github.com/inalab/inalab/harness/system"
)

// version and revision are what this build calls itself, and the commit that it was made from. The linker
// sets them: -ldflags "-X main.version=v1.2.3 -X main.revision=...".
var (
	version  = unnamed
	revision string
)

// unnamed is the version of a build that was told none.
const unnamed = "devel"

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
		newUp(),
		newDown(),
		newLabs(),
		newInspect(),
		newExec(),
		newShell(),
		newLink(),
		newEvents(),
		newReproduce(),
		newBench(),
		newList(),
		newValidate(),
		newGenerate(),
		newGraph(),
		newCapture(),
		newExplain(),
		newExport(),
		newReport(),
		newCompare(),
		newMicrocode(),
		newSwitch(),
		newTop(),
		newMetrics(),
		newDoctor(),
		newProbe(),
		newGC(),
		newLabOwner(),
		newVersion(),
	}
}
