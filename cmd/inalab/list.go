package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo/gen"
)

// item is one thing that can be named on the command line or in a scenario.
type item struct {
	Kind        string `json:"kind"` // scenario, system, topology or model
	Name        string `json:"name"`
	Description string `json:"description"`
}

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [SCENARIO]",
		Short: "List scenarios, systems, topologies and models, or print a scenario",
		Long: `Lists what can be run: scenarios of the catalogue, systems, topologies and models.
With the name of a scenario it prints that file, to be copied and changed:

  inalab list straggler > mine.scenario.yaml
  inalab run mine.scenario.yaml

With "defaults" it prints what a scenario may leave out.`,
		Args:              arguments(0, 1),
		ValidArgsFunction: cobra.FixedCompletions(append(scenarios.Names(), scenarios.DefaultsName), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return printScenario(cmd.OutOrStdout(), args[0])
			}
			return printCatalogue(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, for programs")
	return cmd
}

func printScenario(w io.Writer, name string) error {
	text, err := scenarios.Embedded(name)
	if err != nil {
		return usage(err)
	}
	_, err = w.Write(text)
	return err
}

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
		t.Rows = append(t.Rows, []render.Cell{render.Text(i.Kind), render.Text(i.Name), render.Text(i.Description)})
	}
	return render.Write(w, t, tableOptions(w))
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
		items = append(items, item{"scenario", name, s.Summary()})
	}
	for _, s := range systems() {
		items = append(items, item{"system", s.Name(), s.Description()})
	}
	for _, g := range gen.All() {
		items = append(items, item{"topology", g.Name, g.Description})
	}
	for _, p := range profiles.All() {
		items = append(items, item{"model", p.Name, fmt.Sprintf("%d MiB of gradients, %v of compute an iteration (assumed)", p.SizeMiB, p.Compute)})
	}
	return items, nil
}
