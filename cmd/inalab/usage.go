package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inalab/inalab/internal/suggest"
)

// subcommand is the rule for the arguments of a command that only has others
// below it.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(cmd, args[0])
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s", name, hint(cmd, name, "", names))
}

// arguments is the rule for a command that takes lo to hi arguments.
func arguments(lo, hi int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch n := len(args); {
		case n > hi && hi == 0:
			return fmt.Errorf("%s takes no argument, but was given %q", cmd.CommandPath(), args[0])
		case n > hi:
			return fmt.Errorf("%s was given %q, an argument too many: usage is %q", cmd.CommandPath(), args[hi], cmd.UseLine())
		case n < lo:
			return fmt.Errorf("%s lacks an argument: usage is %q", cmd.CommandPath(), cmd.UseLine())
		}
		return nil
	}
}

// flagError rewords what is wrong with a flag. An unknown command is the more
// helpful message where both are wrong.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() {
		if _, rest, _ := cmd.Root().Find(a.args); len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			return unknownCommand(cmd, rest[0])
		}
	}
	var (
		unknown *pflag.NotExistError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		return fmt.Errorf("unknown flag --%s%s", name, flagHint(cmd, name))
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if of := owners(cmd, func(f *pflag.Flag) bool { return f.Shorthand == name }); of != "" {
			return fmt.Errorf("unknown flag -%s: it is of %s", name, of)
		}
		return fmt.Errorf("unknown flag -%s%s", unknown.GetSpecifiedShortnames(), hint(cmd, "", "", nil))
	case errors.As(err, &invalid):
		return badValue("--"+invalid.GetFlag().Name, invalid.GetFlag(), invalid.GetValue(), invalid.Unwrap())
	}
	return err
}

// badValue says what is wrong with the value of a flag, which stands on the
// command line or in the environment.
func badValue(where string, f *pflag.Flag, value string, cause error) error {
	switch num := (*strconv.NumError)(nil); {
	case errors.As(cause, &num) && errors.Is(num.Err, strconv.ErrRange):
		return fmt.Errorf("%s %q: the number is too large", where, value)
	case errors.As(cause, &num):
		return fmt.Errorf("%s %q: %s is needed", where, value, typeName(f.Value.Type()))
	case f.Value.Type() == "duration":
		return fmt.Errorf("%s %q: a time with its unit is needed, as in 90s or 5m", where, value)
	}
	return fmt.Errorf("%s %q: %w", where, value, cause)
}

// flagHint says which flag may have been meant: one of the command, or one of a command below it.
func flagHint(cmd *cobra.Command, name string) string {
	if of := owners(cmd, func(f *pflag.Flag) bool { return f.Name == name }); of != "" {
		return ": it is of " + of
	}
	if near, ok := nearFlag(name, flagNames(cmd)); ok {
		return fmt.Sprintf("; did you mean %q?", "--"+near)
	}
	for _, sub := range cmd.Commands() {
		if near, ok := nearFlag(name, flagNames(sub)); ok && sub.IsAvailableCommand() {
			return fmt.Sprintf("; did you mean %q of %q?", "--"+near, sub.CommandPath())
		}
	}
	return hint(cmd, name, "--", flagNames(cmd))
}

// nearFlag finds the flag that a word is a slip of, but for "help", which all commands have.
func nearFlag(name string, flags []string) (string, bool) {
	return suggest.Slip(name, slices.DeleteFunc(flags, func(f string) bool { return f == "help" }))
}

// owners names the commands below a command that have a flag; empty: none has.
func owners(cmd *cobra.Command, has func(*pflag.Flag) bool) string {
	var names []string
	for _, sub := range cmd.Commands() {
		found := false
		sub.LocalFlags().VisitAll(func(f *pflag.Flag) { found = found || !f.Hidden && f.Name != "help" && has(f) })
		if found && sub.IsAvailableCommand() {
			names = append(names, strconv.Quote(sub.CommandPath()))
		}
	}
	return strings.Join(names, ", ")
}

func typeName(t string) string {
	switch t {
	case "bool":
		return "true or false"
	case "int", "int64", "count":
		return "a whole number"
	case "uint", "uint64":
		return "a whole number, not negative,"
	case "float64":
		return "a number"
	}
	return "a " + t
}

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// maxEdits is how far a typing error may be from the word that was meant;
// cobra's default.
const maxEdits = 2

// hint suggests the candidate that is near, or says where all are listed. Near
// is what cobra finds near among the names of commands.
func hint(cmd *cobra.Command, word, prefix string, candidates []string) string {
	near := cobra.Command{SuggestionsMinimumDistance: maxEdits}
	for _, c := range candidates {
		near.AddCommand(&cobra.Command{Use: c, Run: func(*cobra.Command, []string) {}})
	}
	if found := near.SuggestionsFor(word); len(found) > 0 && len(word) > maxEdits {
		return fmt.Sprintf("; did you mean %q?", prefix+found[0])
	}
	return fmt.Sprintf("; %q lists all", cmd.CommandPath()+" --help")
}

// helpCommand is cobra's, with an error for what there is no help on.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Explain a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage(unknownCommand(about, rest[0]))
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}
