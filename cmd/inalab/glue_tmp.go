package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/node"
	"github.com/inalab/inalab/reports/render"
)

var version = "devel"

func commit() string { return "" }

type exitErr struct {
	code int
	err  error
}

func (e exitErr) Error() string { return e.err.Error() }
func (e exitErr) Unwrap() error { return e.err }

func usage(err error) error     { return exitErr{2, err} }
func failed(err error) error    { return exitErr{1, err} }
func untrusted(err error) error { return exitErr{4, err} }

var errTimeout = errors.New("timeout")

func exitCode(err error) int {
	var e exitErr
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.code
	}
	return 1
}

func enterNamespaces() error {
	code, done, err := netns.Enter()
	if err != nil {
		return exitErr{3, err}
	}
	if done {
		os.Exit(code)
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && render.OnTerminal(f)
}

func main() {
	if code, ok := node.Main(os.Args); ok {
		os.Exit(code)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	root := &cobra.Command{Use: "inalab", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(newRun(), newBench())
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "inalab:", err)
	}
	os.Exit(exitCode(err))
}

// formats lists the output formats for help texts.
func formats() string {
	var names []string
	for _, f := range render.Formats {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}
