// Concurrent prints the packages of this module whose tests may run more than one
// goroutine: those that "make race" runs. The race detector finds accesses of two
// goroutines to one variable, and has nothing to find in the others.
//
//	go list -test -deps ./... --> files of each test binary --> packages with a reason
//
// A package is left out only if no file of its test binary that belongs to this module
// has a reason to run a second goroutine (function reasonOf): neither its own files, nor its
// tests, nor any package that these import, directly or not. Whether the code with the
// reason is ever called does not matter. Of other modules and the standard library it is
// imports and calls that count: what they start for themselves is theirs to test.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "concurrent:", err)
		os.Exit(1)
	}
}

func run() error {
	patterns := os.Args[1:]
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	found, err := find(".", patterns...)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	listed := 0
	for _, p := range found {
		if p.reason != "" {
			listed++
			fmt.Fprintln(out, p.path)
		}
	}
	fmt.Fprintf(os.Stderr, "%d of %d packages with tests; those of the others run one goroutine\n", listed, len(found))
	return out.Flush()
}

// find lists the packages with tests, in order of their paths.
func find(dir string, patterns ...string) ([]tested, error) {
	cmd := exec.Command("go", append([]string{"list", "-test", "-deps", "-json=" + strings.Join(listFields, ",")}, patterns...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	return judge(text)
}
