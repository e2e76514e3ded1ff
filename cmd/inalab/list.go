package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/spec"
)

// item is one thing that can be named on the command line or in a scenario.
type item struct {
	Kind        string `json:"kind"` // scenario, system, topology or model
	Name        string `json:"name"`
	Description string `json:"description"`

	RunsOn []string `json:"runs_on"` // of a system: the topologies that can be generated for it; of others none
}

func newList() *cobra.Command {
	var asJSON bool
	var schema string
	cmd := &cobra.Command{
		Use:   "list [SCENARIO]",
		Short: "List scenarios, systems, topologies and models, or print a scenario and its defaults",
		Long: `Lists what can be run: scenarios of the catalogue, systems, topologies and models.
With the name of a scenario, or of a file of your own, it prints that file, to be copied
and changed, and below it each key that it leaves out, with the value that holds:

  inalab list straggler > mine.scenario.yaml
  inalab run mine.scenario.yaml

A file names systems, and what differs from the defaults: "systems: [trioml, ring]" is
one. With "defaults" it prints those that hold for all files. Systems stand with the
topologies on which they run; they run on each topology file that looks alike, and
"inalab run SCENARIO --topo FILE --dry-run" says whether it does.

--schema prints the JSON Schema of a kind of file, with which editors complete it:

  inalab list --schema topology > topology.schema.json
  # yaml-language-server: $schema=topology.schema.json   (first line of a file)`,
		Args:              arguments(0, 1),
		ValidArgsFunction: cobra.FixedCompletions(append(scenarios.Names(), scenarios.DefaultsName), cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema != "" {
				return printSchema(cmd.OutOrStdout(), schema, args)
			}
			if len(args) == 1 {
				return usage(printScenario(cmd, args[0], asJSON))
			}
			return printCatalogue(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, for programs")
	cmd.Flags().StringVar(&schema, "schema", "", "print the JSON Schema of files: "+strings.Join(schemaNames, ", "))
	return cmd
}

// schemaNames are the kinds of files that have a schema.
var schemaNames = []string{"topology", "scenario"}

// printSchema writes the schema of a kind of files.
func printSchema(w io.Writer, name string, args []string) error {
	schemas := [][]byte{spec.Schema, scenarios.Schema}
	i := slices.Index(schemaNames, name)
	if i < 0 {
		return usage(fmt.Errorf("--schema %q: allowed are %s%s", name, strings.Join(schemaNames, ", "), suggest.DidYouMean(name, schemaNames)))
	}
	if len(args) > 0 {
		return usage(fmt.Errorf("--schema %s and %s: print one at a time", name, args[0]))
	}
	_, err := w.Write(schemas[i])
	return err
}

// printScenario prints a scenario, and what it leaves out.
func printScenario(cmd *cobra.Command, name string, asJSON bool) error {
	w := cmd.OutOrStdout()
	if name == scenarios.DefaultsName {
		text, err := scenarios.Embedded(name)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	src, err := (&runFlags{}).source(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	s, err := scenarios.Load(src, systems())
	if err != nil {
		return err
	}
	list, err := s.Defaults()
	if err != nil {
		return err
	}
	if asJSON {
		return render.WriteJSON(w, struct {
			SchemaVersion int                 `json:"schema_version"`
			Name          string              `json:"name"`
			Text          string              `json:"text"`
			Defaults      []scenarios.Default `json:"defaults"`
		}{render.SchemaVersion, s.Name, string(src.Text), list})
	}
	_, err = fmt.Fprintf(w, "%s\n%s", strings.TrimRight(string(src.Text), "\n"), defaultLines(list))
	return err
}

// defaultLines are comments of a file: each key that it leaves out, with its value and what it means.
func defaultLines(list []scenarios.Default) string {
	var b strings.Builder
	b.WriteString("\n# What this file leaves out, and what holds then. Write a key above, or --set KEY=VALUE:\n")
	widest := 0
	for _, d := range list {
		widest = max(widest, min(len(d.String()), widestDefault))
	}
	for _, d := range list {
		fmt.Fprintf(&b, "# %-*s  # %s\n", widest, d, strings.ReplaceAll(d.Text, "`", ""))
	}
	return b.String()
}

// widestDefault is up to where what keys mean is aligned (assumed: what leaves room for it).
const widestDefault = 44

func printCatalogue(w io.Writer, asJSON bool) error {
	items, err := catalogue()
	if err != nil {
		return err
	}
	if asJSON {
		return render.WriteJSON(w, struct {
			SchemaVersion int    `json:"schema_version"`
			Items         []item `json:"items"`
		}{render.SchemaVersion, items})
	}
	t := render.Table{Columns: []render.Column{{Name: "kind"}, {Name: "name"}, {Name: "description", Wrap: true}}}
	for _, i := range items {
		t.Rows = append(t.Rows, []render.Cell{render.Text(i.Kind), render.Text(i.Name), render.Text(i.text())})
	}
	return render.Write(w, t, tableOptions(w))
}

// text is the description, and where a system runs.
func (i item) text() string {
	switch n := len(i.RunsOn); {
	case i.Kind != "system":
		return i.Description
	case n == len(gen.All()):
		return i.Description + "; on every topology"
	case n == 0:
		return i.Description + "; on no topology that can be generated"
	}
	return i.Description + "; on " + strings.Join(i.RunsOn, ", ")
}

// catalogue lists everything, in the order in which a newcomer meets it.
func catalogue() ([]item, error) {
	var items []item
	for _, name := range scenarios.Names() {
		text, err := scenarios.Embedded(name)
		if err != nil {
			return nil, err
		}
		s, err := scenarios.Load(scenarios.Source{Name: name, Text: text}, systems())
		if err != nil {
			return nil, err
		}
		items = append(items, item{Kind: "scenario", Name: name, Description: s.Summary()})
	}
	for _, s := range systems() {
		items = append(items, item{Kind: "system", Name: s.Name(), Description: s.Description(), RunsOn: scenarios.RunsOn(s)})
	}
	for _, g := range gen.All() {
		items = append(items, item{Kind: "topology", Name: g.Name, Description: g.Description})
	}
	for _, p := range profiles.All() {
		items = append(items, item{Kind: "model", Name: p.Name, Description: fmt.Sprintf("%d MiB of gradients, %v of compute an iteration (assumed)", p.SizeMiB, p.Compute)})
	}
	for i := range items {
		if items[i].RunsOn == nil {
			items[i].RunsOn = []string{}
		}
	}
	return items, nil
}
