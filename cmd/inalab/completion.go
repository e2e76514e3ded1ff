package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/running"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/switchd/control"
)

// flagWords are what a shell offers behind a flag, by its name: the same in every command that has it.
var flagWords = map[string]func(*cobra.Command) []string{
	"clock":  func(*cobra.Command) []string { return []string{"live", "virtual"} },
	"format": func(*cobra.Command) []string { return formatNames() },
	"lab":    func(*cobra.Command) []string { return labNames() },
	"model":  func(*cobra.Command) []string { return modelNames() },
	"set":    func(*cobra.Command) []string { return setPaths() },
	"switch": switchNames,
	"system": func(*cobra.Command) []string { return systemNames() },
}

// completeFlags has a shell offer words behind the flags of a command. A flag that says itself what is offered
// keeps that.
func completeFlags(cmd *cobra.Command) {
	for name, words := range flagWords {
		_, own := cmd.GetFlagCompletionFunc(name)
		if f := cmd.LocalFlags().Lookup(name); f == nil || own || strings.HasPrefix(f.Usage, "NAME=VALUE") { // a program's names are its own
			continue
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if name == "set" {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		err := cmd.RegisterFlagCompletionFunc(name, func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return words(c), directive
		})
		if err != nil {
			panic("completing --" + name + ": " + err.Error()) // the command has the flag
		}
	}
}

func formatNames() (out []string) {
	for _, f := range render.Formats {
		out = append(out, string(f))
	}
	return out
}

// labNames are the labs that run; none where that cannot be found out.
func labNames() (out []string) {
	labs, err := running.List()
	if err != nil {
		return nil
	}
	for _, e := range labs {
		out = append(out, e.Lab)
	}
	return out
}

// switchNames are the switches of the lab that the command line means.
func switchNames(c *cobra.Command) []string {
	lab, err := findLab(flagText(c, "lab"), byFlag)
	if err != nil {
		return nil
	}
	names, err := control.Switches(lab.Dir)
	if err != nil {
		return nil
	}
	return names
}

func flagText(c *cobra.Command, name string) string {
	if f := c.Flags().Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

func modelNames() (out []string) {
	for _, p := range profiles.All() {
		out = append(out, p.Name)
	}
	return out
}

func systemNames() (out []string) {
	for _, s := range systems() {
		out = append(out, s.Name())
	}
	return out
}

// setPaths are the keys of scenarios that --set takes, with the sign behind them. Those inside lists take an index, and are left out.
func setPaths() (out []string) {
	sections, err := scenarios.Fields(systems())
	if err != nil {
		return nil
	}
	for _, s := range sections {
		places := s.Places
		if len(places) == 0 {
			places = []string{""}
		}
		for _, place := range places {
			if strings.Contains(place, "[") {
				continue
			}
			for _, f := range s.Fields {
				out = append(out, strings.TrimPrefix(place+"."+f.Key, ".")+"=")
			}
		}
	}
	return out
}
