package main

import (
	"context"
	"encoding/json"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/reports/render"
)

// verdict is what a check comes to.
type verdict string

// The verdicts, best first.
const (
	verdictOK   verdict = "ok"
	verdictWarn verdict = "warn" // runs work, but slower, or are less to be believed
	verdictFail verdict = "fail" // live runs do not work
)

// check is one line of the doctor.
type check struct {
	Name    string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Reason  string  `json:"reason"`
	Fix     string  `json:"fix,omitempty"` // what to do; empty if all is well
}

func pass(name, reason string) check      { return check{name, verdictOK, reason, ""} }
func warn(name, reason, fix string) check { return check{name, verdictWarn, reason, fix} }
func fail(name, reason, fix string) check { return check{name, verdictFail, reason, fix} }

func newDoctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out whether this machine can do live runs, and how to make it",
		Long: `Checks what live runs need of this machine: each line says ok, warn or fail, with
one reason and the fix. It makes a network namespace for the purpose, which is
gone again afterwards, and changes nothing else. Runs under the virtual clock
need none of this.

Exit codes: 0 live runs work, 3 something that they need is missing.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return examine(cmd.Context(), cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, for programs")
	return cmd
}

// probeName is the hidden command that tries things out in a namespace. It is a
// process of its own, since without root it has to enter a user namespace.
const probeName = "doctor-probe"

func newProbe() *cobra.Command {
	return &cobra.Command{
		Use:    probeName,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := enterNamespaces(); err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(probe())
		},
	}
}

// examine runs all checks and writes what they came to.
func examine(ctx context.Context, w io.Writer, asJSON bool) error {
	checks := append(hostChecks(), probeChecks(ctx)...)
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if err := writeChecks(w, checks, asJSON); err != nil {
		return err
	}
	if overall(checks) == verdictFail {
		return silently(exitPreflight)
	}
	return nil
}

// overall returns the worst verdict.
func overall(checks []check) verdict {
	for _, v := range []verdict{verdictFail, verdictWarn} {
		if slices.ContainsFunc(checks, func(c check) bool { return c.Verdict == v }) {
			return v
		}
	}
	return verdictOK
}

func writeChecks(w io.Writer, checks []check, asJSON bool) error {
	if asJSON {
		return render.WriteJSON(w, struct {
			SchemaVersion int     `json:"schema_version"`
			Verdict       verdict `json:"verdict"` // the worst
			Checks        []check `json:"checks"`
		}{render.SchemaVersion, overall(checks), checks})
	}
	t := render.Table{Columns: []render.Column{
		{Name: "check"}, {Name: "verdict"}, {Name: "reason", Wrap: true}, {Name: "fix", Wrap: true},
	}}
	for _, c := range checks {
		fix := render.NA()
		if c.Fix != "" {
			fix = render.Text(c.Fix)
		}
		t.Rows = append(t.Rows, []render.Cell{render.Text(c.Name), render.Text(string(c.Verdict)), render.Text(c.Reason), fix})
	}
	switch overall(checks) {
	case verdictFail:
		t.Notes = []string{"live runs do not work here yet; inalab run --clock virtual does"}
	case verdictWarn:
		t.Notes = []string{"live runs work; the warnings say what may spoil them"}
	}
	return render.Write(w, t, tableOptions(w))
}
