package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/lab"
	"github.com/inalab/inalab/harness/running"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/control"
)

type inspectFlags struct {
	tableFlags
	watch bool
	every time.Duration
}

func newInspect() *cobra.Command {
	var f inspectFlags
	c := &cobra.Command{
		Use:   "inspect [LAB]",
		Short: "Show the nodes and links of a lab that runs: what holds now, and what was counted",
		Long: `Shows the nodes of a lab and each direction of its links. Rate, delay, jitter and loss are
read back from the switch that models the link, and so are the frames that came to its end,
and those that did not. A switch that does not answer is dead, and its links show nothing.
With --format json or csv it is the table of links alone.`,
		Example: "  inalab inspect demo --watch",
		Args:    arguments(0, 1), ValidArgsFunction: completeLabs,
		RunE: func(c *cobra.Command, args []string) error {
			l, err := findRunning(labOf(args, ""), byArgument)
			if err != nil {
				return err
			}
			return f.inspect(c, l)
		},
	}
	f.register(c.Flags())
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "show it again and again, until interrupted or the lab is down")
	c.Flags().DurationVar(&f.every, "every", time.Second, "how often with --watch, 100ms or more")
	return c
}

func (f *inspectFlags) inspect(c *cobra.Command, l runningLab) error {
	format, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	if f.every < 100*time.Millisecond {
		return usage(fmt.Errorf("--every %v: 100ms or more are possible", f.every))
	}
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	for {
		if err := f.show(c.Context(), c.OutOrStdout(), l, format); err != nil || !f.watch {
			return err
		}
		select {
		case <-tick.C:
		case <-c.Context().Done():
			return nil
		}
		if _, err := running.Read(l.Dir); err != nil {
			return nil // the lab is down
		}
	}
}

func (f *inspectFlags) show(ctx context.Context, w io.Writer, l runningLab, format render.Options) error {
	read := readSwitches(ctx, l)
	links := linksTable("links of lab "+l.Lab, read.links)
	if f.forPrograms() {
		return render.Write(w, links, format)
	}
	if f.watch && isTerminal(w) {
		fmt.Fprint(w, "\x1b[H\x1b[2J") // home, and clear (ECMA-48)
	}
	return errors.Join(render.Write(w, nodesTable(l, read), format), render.Write(w, links, format))
}

// reading is what the switches of a lab say.
type reading struct {
	links []chassis.LinkReading
	dead  map[string]error // by switch
}

// readSwitches asks all switches of a lab at once.
func readSwitches(ctx context.Context, l runningLab) reading {
	names := l.State.Names(running.Switch)
	answers, errs := make([]control.Response, len(names)), make([]error, len(names))
	var asking sync.WaitGroup
	for i, name := range names {
		asking.Go(func() {
			answers[i], errs[i] = runningSwitch{l.Entry, name}.ask(ctx, control.Request{Op: control.OpLinks})
		})
	}
	asking.Wait()
	out := reading{dead: map[string]error{}}
	for i, name := range names {
		if errs[i] != nil {
			out.dead[name] = errs[i]
			continue
		}
		out.links = append(out.links, answers[i].Links...)
	}
	return out
}

func nodesTable(l runningLab, read reading) render.Table {
	t := render.Table{ID: "lab.nodes", Title: fmt.Sprintf("nodes of lab %s, topology %s", l.Lab, l.State.Topology), Columns: []render.Column{
		{Key: "node", Name: "node"}, {Key: "kind", Name: "kind"}, {Key: "state", Name: "state"}, {Key: "address", Name: "address"},
		{Key: "links", Name: "links", Align: render.Right},
	}}
	for _, n := range l.State.Nodes {
		state := "up"
		if err := read.dead[n.Name]; err != nil {
			state = "dead"
			t.Notes = append(t.Notes, err.Error())
		}
		t.Rows = append(t.Rows, []render.Cell{render.Text(n.Name), render.Text(n.Kind), render.Text(state), orNA(n.Address), render.Int(len(n.Interfaces))})
	}
	return t
}

// linksTable is a row for each direction of links.
func linksTable(title string, links []chassis.LinkReading) render.Table {
	t := render.Table{ID: "lab.links", Title: title, Columns: []render.Column{
		{Key: "from", Name: "from"}, {Key: "to", Name: "to"}, {Key: "rate", Name: "rate", Align: render.Right}, {Key: "delay", Name: "delay", Align: render.Right},
		{Key: "jitter", Name: "jitter", Align: render.Right}, {Key: "loss", Name: "loss", Align: render.Right}, {Key: "other", Name: "other"},
		{Key: "frames", Name: "frames", Align: render.Right}, {Key: "bytes", Name: "bytes", Align: render.Right},
		{Key: "lost", Name: "lost", Align: render.Right}, {Key: "why", Name: "why"},
	}}
	for _, l := range links {
		from, to, _ := strings.Cut(l.Name, "->")
		rate := render.Text("unlimited")
		if l.Spec.Rate > 0 {
			rate = render.Text(l.Spec.Rate.String())
		}
		lost, why := lostOf(l)
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(from), render.Text(to), rate, render.Text(l.Spec.Delay.String()), render.Text(l.Spec.Jitter.String()),
			render.Text(strconv.FormatFloat(100*l.Spec.Loss, 'g', -1, 64) + "%"), orNA(otherOf(l)),
			render.Int(int(l.Frames)), render.Int(int(l.Bytes)), render.Int(lost), orNA(why),
		})
	}
	return t
}

// lostOf counts the frames that did not arrive, and says why.
func lostOf(l chassis.LinkReading) (n int, why string) {
	var reasons []string
	for _, d := range l.Drops {
		n += int(d.N)
		reasons = append(reasons, d.Name)
	}
	return n, strings.Join(reasons, ", ")
}

// otherOf is what a link does beside what has a column.
func otherOf(l chassis.LinkReading) string {
	s := l.Spec
	s.Rate, s.Delay, s.Jitter, s.Loss = 0, 0, 0, 0
	text := strings.TrimSuffix(strings.TrimPrefix(lab.Text(s), "{"), "}")
	return strings.TrimPrefix(text, `loss: "0", `) // that of bursts stands behind it
}
