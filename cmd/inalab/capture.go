package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/capture/sockets"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/packaging/wireshark"
)

// captureFlags are the options of inalab capture.
type captureFlags struct {
	lab, write, filterText, ringText string
	count                            int
	duration                         time.Duration
	dissector                        bool

	filter capture.Filter
	ring   int
}

func newCapture() *cobra.Command {
	var f captureFlags
	c := &cobra.Command{
		Use:   "capture NODE[:PORT]",
		Short: "Capture packets of a running lab, with what switches decide on them",
		Long: `Writes the packets that pass a node of a lab that runs, at one port or at all of its
ports, as pcapng: frames as on the wire, although hosts and switches hand over whole
super-packets. Where a switch runs a program of aggregation, comments say what it
decided on a packet: slot or block, bitmap, count, action. Needs root.

It goes on until it is interrupted, the lab ends, or --count or --duration is reached.
Then a line on standard error says how many packets were lost, as the kernel had no room for them.

Fields of a filter are ` + strings.Join(capture.FilterKeys, ", ") + `.
A frame must meet all of KEY=VALUE, and of VALUE,VALUE one.

--dissector writes a dissector of the four protocols for Wireshark and tshark, in Lua.
See docs/capture.md.

Exit codes: 0 ok, 1 the capture cannot be written, 2 there is no such lab, node or port, or a
flag or file is wrong, 3 it was not started as root.`,
		Example: `  inalab capture tor -w packets.pcapng
  inalab capture h0 -w - | tshark -r - -X lua_script:inalab.lua
  inalab capture mx480:et-0-0-0 -w new.pcapng --filter 'proto=trioml block=5' --ring 64MB
  inalab capture --dissector > inalab.lua`,
		Args: arguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error { return capturePackets(c, args, f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.lab, "lab", "", "lab (default: the only one that runs)")
	flags.StringVarP(&f.write, "write", "w", "", "new file for the packets, or - for standard output")
	flags.StringVar(&f.filterText, "filter", "", "frames to take, as in 'proto=switchml slot=5,6 host=10.0.0.1' (default: all)")
	flags.StringVar(&f.ringText, "ring", "", "keep only so much of the newest frames, in memory until the end, as in 64MB (default: all)")
	flags.IntVar(&f.count, "count", 0, "end after so many frames (default: never)")
	flags.DurationVar(&f.duration, "duration", 0, "end after this time, as in 10s (default: never)")
	flags.BoolVar(&f.dissector, "dissector", false, "write the dissector for Wireshark to standard output, and end")
	return c
}

func capturePackets(c *cobra.Command, args []string, f captureFlags) error {
	if f.dissector {
		if len(args) > 0 || f.write != "" {
			return usage(errors.New("--dissector goes to standard output and takes no node: write inalab capture --dissector > inalab.lua"))
		}
		_, err := io.WriteString(c.OutOrStdout(), wireshark.Lua())
		return err
	}
	if err := f.check(c, args); err != nil {
		return usage(err)
	}
	lab, err := findLab(f.lab, byFlag)
	if err != nil {
		return err
	}
	target, err := findTarget(lab, args[0])
	if err != nil {
		return usage(err)
	}
	if err := target.allowed(); err != nil {
		return err
	}
	out, err := f.open(c)
	if err != nil {
		return usage(err)
	}
	return errors.Join(f.run(c, target, out), out.Close())
}

// check finds what is wrong before any lab is looked at.
func (f *captureFlags) check(c *cobra.Command, args []string) (err error) {
	switch {
	case len(args) == 0:
		return errors.New("capture of what? name a node, as in inalab capture tor -w packets.pcapng, or one of its ports, as in tor:p0")
	case f.write == "":
		return errors.New("where to? -w FILE writes a new file, and -w - to standard output, for a pipe")
	case f.count < 0:
		return fmt.Errorf("--count %d: a number above zero is needed", f.count)
	case f.duration < 0:
		return fmt.Errorf("--duration %v: a time above zero is needed", f.duration)
	case f.write == "-" && isTerminal(c.OutOrStdout()):
		return errors.New("-w -: a capture is no text for a terminal: pipe it, as in inalab capture ... -w - | tshark -r -, or name a file")
	}
	if f.filter, err = capture.ParseFilter(f.filterText); err != nil {
		return fmt.Errorf("--filter: %w", err)
	}
	if f.ring, err = parseRing("--ring", f.ringText); err != nil {
		return err
	}
	if f.write == "-" {
		return nil
	}
	return checkNewFile("-w", f.write)
}

// open makes the file.
func (f *captureFlags) open(c *cobra.Command) (io.WriteCloser, error) {
	if f.write == "-" {
		return kept{c.OutOrStdout()}, nil
	}
	return createOwned(f.write, journal.CurrentCaller())
}

// kept is a stream that is not ours to close.
type kept struct{ io.Writer }

func (kept) Close() error { return nil }

// captureHold is how long a frame waits for what a switch decides on it: longer than it takes
// to ask the switch (assumed).
const captureHold = 300 * time.Millisecond

// run captures until the end.
func (f *captureFlags) run(c *cobra.Command, t target, to io.Writer) error {
	out, err := capture.New(to, capture.Config{
		About: fmt.Sprintf("inalab, lab %s, %s", t.lab.Lab, t.name), Lab: t.taps, Filter: f.filter, Count: f.count, Ring: f.ring, Hold: captureHold,
	})
	if err != nil {
		return err
	}
	eyes, err := sockets.Open(t.taps, t.enter)
	if err != nil {
		return err
	}
	eyes.Gone = t.gone
	if err := out.Flush(); err != nil { // a reader sees that it began
		return errors.Join(err, eyes.Close())
	}
	fmt.Fprintf(c.ErrOrStderr(), "inalab: capturing %s of lab %s at %s\n", t.name, t.lab.Lab, portsText(len(t.taps.Taps)))
	ctx := c.Context()
	if f.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.duration)
		defer cancel()
	}
	runErr := eyes.Run(ctx, out, t.switches)
	lost := eyes.Lost()
	counts, err := out.Close(lost...)
	err = errors.Join(err, eyes.Close())
	if errors.Is(runErr, sockets.ErrGone) {
		fmt.Fprintf(c.ErrOrStderr(), "inalab: lab %s has ended\n", t.lab.Lab)
		runErr = nil
	}
	var gone uint64
	for _, l := range lost {
		gone += l.Lost
	}
	fmt.Fprintf(c.ErrOrStderr(), "inalab: %s\n", capturedText(counts, gone))
	return errors.Join(runErr, err)
}

func portsText(n int) string {
	if n == 1 {
		return "1 port"
	}
	return fmt.Sprintf("%d ports", n)
}
