package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/spec"
)

// generateFlags are the options of inalab generate.
type generateFlags struct {
	params gen.Params
	name   string
	engine string

	rate, uplink, fabric units.Rate
	delay                units.Duration
	queue                units.Bytes
	differs              bool // the rate between switches from that of hosts
}

func newGenerate() *cobra.Command {
	var f generateFlags
	c := &cobra.Command{
		Use:   "generate SHAPE",
		Short: "Write a topology file of a shape",
		Long: `Writes a topology file to standard output, to be changed and run:

  inalab generate leaf-spine --leaves 4 --spines 2 --hosts 16 > lab.topo.yaml
  inalab run straggler --topo lab.topo.yaml --set hosts=16

Shapes:
` + shapesText() + `
--hosts is the total. Rates and delays are those that scenarios have where they say
nothing else.`,
		Example: `  inalab generate rack --hosts 8 --rate 10Gbit/s
  inalab generate tree --depth 3 --fan-out 2 --hosts 8 --uplink-rate 400Gbit/s`,
		Args:              arguments(1, 1),
		ValidArgsFunction: cobra.FixedCompletions(gen.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			f.differs = c.Flags().Changed("uplink-rate")
			text, err := generate(args[0], f, strings.Join(append([]string{"inalab generate", args[0]}, given(c.Flags())...), " "))
			if err != nil {
				return usage(err)
			}
			_, err = c.OutOrStdout().Write(text)
			return err
		},
	}
	flags := c.Flags()
	counts := f.params.Counts()
	flags.IntVar(&f.params.Hosts, "hosts", 0, "hosts in all (default: that of the shape)")
	for _, n := range counts {
		flags.IntVar(n.N, n.Name, 0, takenBy(n.Name))
	}
	flags.IntVar(&f.params.MTU, "mtu", topo.DefaultMTU, "bytes of the largest IP packet")
	link, fabric := scenarios.DefaultLinks()
	f.rate, f.delay, f.queue, f.fabric = link.Rate, link.Delay, link.Queue, fabric.Rate
	flags.Var(quantity{&f.rate, "rate"}, "rate", "of each link, or unlimited")
	flags.Var(quantity{&f.delay, "time"}, "delay", "of each link")
	flags.Var(quantity{&f.queue, "size"}, "queue", "of each link")
	flags.Var(quantity{&f.uplink, "rate"}, "uplink-rate", "of each link between switches (default: as --rate)")
	flags.Lookup("uplink-rate").DefValue = ""
	flags.Var(quantity{&f.fabric, "rate"}, "fabric-rate", "between two PFEs of a chassis")
	flags.StringVar(&f.name, "name", "", "of the topology (default: that of the shape)")
	flags.StringVar(&f.engine, "engine", "", "of every switch: "+strings.Join(scenarios.Engines(systems()), ", ")+" (default: what the system needs that runs)")
	return c
}

// shapesText lists the shapes for the help text.
func shapesText() string {
	var b strings.Builder
	for _, g := range gen.All() {
		takes := ""
		if len(g.Takes) > 0 {
			takes = " (--" + strings.Join(g.Takes, ", --") + ")"
		}
		fmt.Fprintf(&b, "  %-19s %s%s\n", g.Name, g.Description, takes)
	}
	return b.String()
}

// takenBy says which shapes take a count.
func takenBy(count string) string {
	var names []string
	for _, g := range gen.All() {
		if slices.Contains(g.Takes, count) {
			names = append(names, g.Name)
		}
	}
	return "of a " + strings.Join(names, ", ")
}

// given returns the flags that somebody set, as they are typed.
func given(flags *pflag.FlagSet) (out []string) {
	flags.Visit(func(f *pflag.Flag) { out = append(out, "--"+f.Name, f.Value.String()) })
	return out
}

// generate writes a topology file.
func generate(shape string, f generateFlags, command string) ([]byte, error) {
	p := f.params
	p.Link = topo.LinkSpec{Rate: f.rate, Delay: f.delay, Queue: f.queue}
	p.Uplink = p.Link
	if f.differs {
		p.Uplink.Rate = f.uplink
	}
	_, p.Fabric = scenarios.DefaultLinks()
	p.Fabric.Rate = f.fabric
	g, err := gen.ByName(shape, p)
	if err != nil {
		return nil, err
	}
	if f.name != "" {
		g.Name = f.name
		if err := g.Validate(); err != nil {
			return nil, err
		}
	}
	if known := scenarios.Engines(systems()); f.engine != "" && !slices.Contains(known, f.engine) {
		return nil, fmt.Errorf("--engine %q: allowed are %s%s", f.engine, strings.Join(known, ", "), suggest.DidYouMean(f.engine, known))
	}
	return spec.Write(g, spec.Header{Comment: command, Engine: f.engine}), nil
}

// quantity is a flag of a rate, a time or a size.
type quantity struct {
	to interface {
		UnmarshalText([]byte) error
		MarshalText() ([]byte, error)
	}
	kind string
}

// Set reads the value of the flag.
func (q quantity) Set(text string) error { return q.to.UnmarshalText([]byte(text)) }

// Type names what the flag holds.
func (q quantity) Type() string { return q.kind }

// String writes the value of the flag.
func (q quantity) String() string {
	if q.to == nil {
		return ""
	}
	text, err := q.to.MarshalText()
	if err != nil {
		return ""
	}
	return string(text)
}
