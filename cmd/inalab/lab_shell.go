package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/creack/pty"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/inalab/inalab/nodes/keeper"
)

func newShell() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "shell NODE",
		Short: "Open a shell on a host of a lab that is up",
		Long: `Opens a shell ($SHELL, or else /bin/sh) on a host of a lab that is up, as "inalab exec" would run
it. Its prompt says where it is. If standard input is no terminal, the shell reads commands from
there. Its exit code is that of this command.`,
		Example: "  inalab shell h0\n  echo 'ip route' | inalab shell h0 --lab demo",
		Args:    arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := findUp(name, byFlag)
			if err == nil {
				_, err = l.node(args[0])
			}
			if err != nil {
				return err
			}
			return openShell(l, args[0])
		},
	}
	c.Flags().StringVar(&name, "lab", "", "lab (default: the only one that runs)")
	return c
}

func openShell(l runningLab, node string) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return runIn(l, node, []string{cmp.Or(os.Getenv("SHELL"), "/bin/sh")})
	}
	r, err := request(node, []string{cmp.Or(os.Getenv("SHELL"), "/bin/sh")})
	if err != nil {
		return err
	}
	return onTerminal(l, r)
}

// prompt says where a shell is. Shells that set their own prompt show the host name in it.
func prompt(lab, node string) string { return fmt.Sprintf("%s (%s)# ", node, lab) }

// onTerminal runs a program on a terminal of its own, which this process joins to the one it has.
func onTerminal(l runningLab, r keeper.Request) error {
	ours, theirs, err := pty.Open()
	if err != nil {
		return fmt.Errorf("make a terminal: %w", err)
	}
	defer ours.Close()
	defer theirs.Close()
	_ = pty.InheritSize(os.Stdin, ours) // one without a size has none
	r.Terminal, r.Env = true, append(r.Env, "PS1="+prompt(l.Lab, r.Node))
	signals := passSignals()
	defer signal.Stop(signals)
	p, err := startIn(l, r, theirs, theirs, theirs)
	if err != nil {
		return err
	}
	before, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return errors.Join(fmt.Errorf("take over the terminal: %w", err), p.Signal(unix.SIGHUP))
	}
	defer func() { _ = term.Restore(int(os.Stdin.Fd()), before) }()
	_ = theirs.Close()                             // the program has it
	go func() { _, _ = io.Copy(ours, os.Stdin) }() // ends with the process
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		_, _ = io.Copy(os.Stdout, ours) // ends with an error when the program has closed its side
	}()
	resized := make(chan os.Signal, 16)
	go func() {
		for s := range signals {
			if s == unix.SIGWINCH {
				_ = pty.InheritSize(os.Stdin, ours)
			}
			resized <- s
		}
	}()
	err = waitFor(l, p, resized)
	return err
}
