package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// variable returns the environment variable that holds the default of a flag:
// INALAB_BENCH_ALLREDUCE_WORKERS for --workers of "inalab bench allreduce".
func variable(cmd *cobra.Command, flag string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(cmd.CommandPath() + "_" + flag))
}

// bindEnvironment sets the flags that the command line did not set to what the
// environment says. A variable of this command that no flag has is an error, as
// a misspelt flag is.
func bindEnvironment(cmd *cobra.Command, environ []string) error {
	known := map[string]*pflag.Flag{}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden {
			known[variable(cmd, f.Name)] = f
			names = append(names, variable(cmd, f.Name))
		}
	})
	prefix := variable(cmd, "")
	for _, kv := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, prefix) || cmd == cmd.Root() {
			continue
		}
		f := known[name]
		if f == nil {
			return fmt.Errorf("environment variable %s: %s has no such flag%s", name, cmd.CommandPath(), hint(cmd, name, "", names))
		}
		if f.Changed || value == "" {
			continue
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			cause := err
			if invalid, ok := err.(*pflag.InvalidValueError); ok {
				cause = invalid.Unwrap()
			}
			return badValue("environment variable "+name+",", f, value, cause)
		}
	}
	return nil
}
