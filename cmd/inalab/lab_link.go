package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/lab"
	"github.com/inalab/inalab/internal/yamldoc"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/topo/linktext"
)

type linkFlags struct {
	tableFlags
	lab, from, to string
	only          bool
}

func newLink() *cobra.Command {
	c := &cobra.Command{
		Use:   "link",
		Short: "Change the links of a lab that is up, and show what they are",
	}
	c.AddCommand(newLinkSet(), newLinkShow(), newLinkReset())
	return c
}

func (f *linkFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.lab, "lab", "", "lab (default: the only one that runs)")
	flags.StringVar(&f.from, "from", "", "one direction: from this node, or pattern as h*")
	flags.StringVar(&f.to, "to", "", "one direction: to this node, or pattern as h*")
	f.tableFlags.register(flags)
}

const linkCodes = `

Exit codes: 0 ok, 1 a switch did not answer, 2 there is no such lab, node or key, or a value is
wrong, 3 the lab is another user's.`

func newLinkSet() *cobra.Command {
	var f linkFlags
	c := &cobra.Command{
		Use:   "set [NODE[:PORT] [NODE]] KEY=VALUE...",
		Short: "Change links from now on",
		Long: `Changes both directions of all links of a node, of those between two nodes, or of that at a port, as h0:eth0. With --from and
--to it is one direction. Nodes may be patterns, as h*. Keys are those of links in topology files:
rate, delay, jitter, loss, queue and so on; what is not said stays as it was. A value may be as in
a file: ecn='{threshold: 100KB}'.

What holds then is read back from the switches that model the links, and shown. Frames on their
way keep what they had. The change stays until the next one, "inalab link reset", or the end of
the lab; a run on the lab has it, too.` + linkCodes,
		Example: `  inalab link set h0 loss=1% delay=5ms
  inalab link set leaf0 spine1 rate=1Gbit/s
  inalab link set --from h0 --to tor loss=10%`,
		Args: arguments(1, maxFiles),
		RunE: func(c *cobra.Command, args []string) error {
			at := slices.IndexFunc(args, func(a string) bool { return strings.Contains(a, "=") })
			if at < 0 {
				return usage(errors.New("nothing changes: write what links become, as in rate=1Gbit/s"))
			}
			become, err := linkOf(args[at:])
			if err != nil {
				return usage(err)
			}
			return f.change(c, args[:at], lab.LinkChange{Link: become, Only: f.only})
		},
	}
	f.register(c)
	c.Flags().BoolVar(&f.only, "only", false, "what is not said becomes that of a perfect wire")
	return c
}

func newLinkReset() *cobra.Command {
	var f linkFlags
	c := &cobra.Command{
		Use:   "reset [NODE [NODE]]",
		Short: "Have links be what the topology file says",
		Long:  `Has links be again what the topology file of the lab says: all of them, or those that "inalab link set" would mean.` + linkCodes,
		Args:  arguments(0, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && f.from+f.to == "" {
				args = []string{"*"}
			}
			return f.change(c, args, lab.LinkChange{Reset: true})
		},
	}
	f.register(c)
	return c
}

func newLinkShow() *cobra.Command {
	var f linkFlags
	c := &cobra.Command{
		Use:   "show [NODE [NODE]]",
		Short: "Show what links are now, as the switches that model them say",
		Long:  `Shows each direction of the links that "inalab link set" would mean, or of all: read back from the switches.` + linkCodes,
		Args:  arguments(0, 2),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := findRunning(f.lab, byFlag)
			if err != nil {
				return err
			}
			ends, err := f.ends(args)
			if err != nil {
				return usage(err)
			}
			if ends, err = portEnds(l, ends); err != nil {
				return usage(err)
			}
			return f.show(c, l, "links of lab "+l.Lab, func(r chassis.LinkReading) bool { return meant(ends, r) })
		},
	}
	f.register(c)
	return c
}

// ends are those that arguments and flags mean.
func (f *linkFlags) ends(nodes []string) (lab.Ends, error) {
	e := lab.Ends{From: f.from, To: f.to}
	switch {
	case len(nodes) > 2:
		return e, fmt.Errorf("%q: a link joins two nodes, and what it becomes is written as rate=1Gbit/s", nodes[2])
	case len(nodes) > 0 && f.from+f.to != "":
		return e, fmt.Errorf("%s and --from or --to: name nodes for both directions, or say one direction", nodes[0])
	case len(nodes) > 0:
		e.At = nodes[0]
	}
	if len(nodes) == 2 {
		e.Pair = nodes[1]
	}
	return e, nil
}

// portEnds are ends of which one may be a port, as "h0:eth0": the link there is that between its node and the node at its
// other end.
func portEnds(l runningLab, e lab.Ends) (lab.Ends, error) {
	if !strings.Contains(e.At, ":") {
		return e, nil
	}
	for _, link := range l.State.Links {
		for _, pair := range [][2]string{{link.A, link.B}, {link.B, link.A}} {
			if pair[0] == e.At && e.Pair == "" {
				e.At, _, _ = strings.Cut(pair[0], ":")
				e.Pair, _, _ = strings.Cut(pair[1], ":")
				return e, nil
			}
		}
	}
	return e, fmt.Errorf("no link of lab %s is at %s: \"inalab link show\" lists all, and a port stands alone", l.Lab, strings.TrimSuffix(e.At+" and "+e.Pair, " and "))
}

// meant reports whether ends mean a direction.
func meant(e lab.Ends, r chassis.LinkReading) bool {
	if e.At == "" {
		return linktext.Matches(e.From, r.From) && linktext.Matches(e.To, r.To)
	}
	return linktext.Matches(e.At, r.From) && linktext.Matches(e.Pair, r.To) || linktext.Matches(e.At, r.To) && linktext.Matches(e.Pair, r.From)
}

// change has the owner of the lab change links, and shows what they are then.
func (f *linkFlags) change(c *cobra.Command, nodes []string, change lab.LinkChange) error {
	ends, err := f.ends(nodes)
	if err == nil && ends == (lab.Ends{}) {
		err = errors.New("which links? Name a node for both directions of its links, or --from and --to for one")
	}
	if err != nil {
		return usage(err)
	}
	l, err := findUp(f.lab, byFlag)
	if err != nil {
		return err
	}
	if change.Ends, err = portEnds(l, ends); err != nil {
		return usage(err)
	}
	answer, _, err := lab.Ask(l.Dir, lab.Request{Op: lab.OpLink, Link: &change})
	if said := (*lab.Asked)(nil); errors.As(err, &said) && said.Response.Usage {
		return usage(err)
	}
	if errors.Is(err, fs.ErrPermission) {
		return notOurs(l.Entry)
	}
	if err != nil {
		return err
	}
	var names []string
	for _, changed := range answer.Changed {
		names = append(names, changed.Name)
	}
	return f.show(c, l, "links of lab "+l.Lab+" that have changed", func(r chassis.LinkReading) bool { return slices.Contains(names, r.Name) })
}

// show shows links, as switches say.
func (f *linkFlags) show(c *cobra.Command, l runningLab, title string, wanted func(chassis.LinkReading) bool) error {
	format, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	read := readSwitches(context.WithoutCancel(c.Context()), l)
	t := linksTable(title, slices.DeleteFunc(read.links, func(r chassis.LinkReading) bool { return !wanted(r) }))
	for _, name := range l.State.Names("switch") {
		if err := read.dead[name]; err != nil {
			t.Notes = append(t.Notes, err.Error())
		}
	}
	return render.Write(c.OutOrStdout(), t, format)
}

// linkOf reads keys and values of a link.
func linkOf(words []string) (l linktext.Link, err error) {
	var text strings.Builder
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return l, fmt.Errorf("%q: nodes stand first, and then what their links become, as in rate=1Gbit/s", w)
		}
		if !strings.HasPrefix(value, "{") && !isNumber(value) {
			value = fmt.Sprintf("%q", value)
		}
		fmt.Fprintf(&text, "%s: %s\n", key, value)
	}
	doc := &yamldoc.Document{Name: "link set"}
	if err := doc.Parse([]byte(text.String())); err != nil {
		return l, err
	}
	if err := doc.Decode(&l); err != nil {
		return l, err
	}
	return l, lab.CheckLink(l)
}

// isNumber reports whether YAML has a number where a text stands.
func isNumber(text string) bool {
	var n any
	if yaml.Unmarshal([]byte(text), &n) != nil {
		return false
	}
	switch n.(type) {
	case uint64, int64, float64:
		return true
	}
	return false
}
