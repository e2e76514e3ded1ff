package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/internal/yamldoc"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
	"github.com/inalab/inalab/topo/spec"
)

// standardInput is what a file is called that is read from there.
const standardInput = "-"

func newValidate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check topology files and scenarios",
		Long: `Checks *.topo.yaml and *.scenario.yaml files, and says all that is wrong with them,
each with its place. Of a scenario it also lays out every run, as "inalab run
--dry-run" does. "-" reads standard input. It needs no root, and runs nothing.

Exit codes: 0 all are right, 2 something is wrong.`,
		Example: `  inalab validate lab.topo.yaml mine.scenario.yaml
  inalab generate rack --hosts 8 | inalab validate -`,
		Args:              arguments(1, maxFiles),
		ValidArgsFunction: completeFiles,
		RunE: func(c *cobra.Command, args []string) error {
			var errs []error
			for _, name := range args {
				said, err := validate(name, c.InOrStdin())
				if err != nil {
					errs = append(errs, err)
					continue
				}
				fmt.Fprintln(c.OutOrStdout(), said)
			}
			return usage(errors.Join(errs...))
		},
	}
}

// maxFiles is how many files a command takes (assumed: more than anybody has).
const maxFiles = 10_000

// completeFiles completes the names of files that this program reads.
func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt
}

// readInput reads a file, or standard input.
func readInput(name string, stdin io.Reader) (text []byte, called string, err error) {
	if name == standardInput {
		text, err = scenarios.ReadText(stdin)
		return text, "standard input", err
	}
	text, err = scenarios.ReadFile(name)
	return text, name, err
}

// validate checks a file and says what it is.
func validate(name string, stdin io.Reader) (string, error) {
	text, called, err := readInput(name, stdin)
	if err != nil {
		return "", err
	}
	isTopology, err := topologyText(called, text)
	if err != nil {
		return "", err
	}
	if isTopology {
		lab, err := resolveTopology(called, text)
		if err != nil {
			return "", err
		}
		if _, err := plan.New(lab.Graph); err != nil {
			return "", err
		}
		hosts, switches := countNodes(lab.Graph)
		return fmt.Sprintf("%s: topology %s: %s, %s, %s", called, lab.Graph.Name, count(hosts, "host"), count(switches, "switch"), count(len(lab.Graph.Links), "link")), nil
	}
	s, err := scenarios.Load(scenarios.Source{Name: called, Text: text}, systems())
	if err != nil {
		return "", err
	}
	// The virtual clock runs no real programs, and the wall clock all that the virtual one does.
	sets, err := s.Sets(false)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: scenario %s: %s", called, s.Name, count(len(sets), "run")), nil
}

// topologyText tells a topology file from a scenario, by its kind, or else by its name.
func topologyText(name string, text []byte) (bool, error) {
	doc := &yamldoc.Document{Name: name}
	err := doc.Parse(text)
	if errors.Is(err, yamldoc.ErrEmpty) {
		err = fmt.Errorf("%w: \"inalab generate rack\" and \"inalab list straggler\" print one to begin with", err)
	}
	if err != nil {
		return false, err
	}
	kind, ok := doc.Find("kind")
	if !ok {
		return strings.HasSuffix(name, spec.Suffix), nil
	}
	word, _ := kind.Text()
	kind.What = "kind"
	known := []string{spec.FileKind, scenarios.FileKind}
	if kind.Word(known); doc.Err() != nil {
		return false, doc.Err()
	}
	return word == spec.FileKind, nil
}

// resolveTopology reads a topology file that stands alone.
func resolveTopology(name string, text []byte) (*spec.Lab, error) {
	t, err := spec.Read(spec.Source{Name: name, Text: text})
	if err != nil {
		return nil, err
	}
	lab, err := t.Resolve(spec.Base{})
	if err != nil {
		return nil, err
	}
	return lab, errors.Join(append(scenarios.UnknownEngines(t, lab, systems()), missingPrograms(t, lab, name)...)...)
}

// missingPrograms says which programs of switches are not there.
func missingPrograms(t *spec.Topology, lab *spec.Lab, name string) (out []error) {
	for _, p := range lab.Programs {
		if _, err := scenarios.ReadFile(scenarios.Beside(name, p.Text)); err != nil {
			out = append(out, t.Wrong(p.Path, err))
		}
	}
	return out
}

func countNodes(g *topo.Graph) (hosts, switches int) {
	for _, n := range g.Nodes {
		if n.Kind == topo.Host {
			hosts++
		} else {
			switches++
		}
	}
	return hosts, switches
}

// count writes a number of things.
func count(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "ch"):
		what += "es"
	default:
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
