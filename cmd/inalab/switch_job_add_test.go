package main

import (
	"bytes"
	"testing"

	"github.com/spf13/pflag"

	"github.com/inalab/inalab/harness/job"
)

// fakeSystem is a system whose jobs have options of these names, each with a letter or none.
type fakeSystem struct {
	job.Runtime
	name    string
	options [][2]string
}

func (r fakeSystem) Name() string                   { return r.name }
func (r fakeSystem) Protocol() string               { return "protocol of " + r.name }
func (r fakeSystem) JobOptions() job.RuntimeOptions { return runtimeOptions{r} }

type runtimeOptions struct{ fakeSystem }

func (runtimeOptions) Describe() (string, []string) { return "its jobs", nil }

func (o runtimeOptions) Register(flags *pflag.FlagSet) {
	for _, option := range o.options {
		flags.StringP(option[0], option[1], "", "usage")
	}
}

func (runtimeOptions) Request(job.RuntimeRequest, func(string) bool) (any, error) { return nil, nil }

// Options that two systems share are refused by name, when the command is run; help is
// there all the same.
func TestSystemsWithTheSameOption(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b [][2]string
		want string
	}{
		{"name", [][2]string{{"slots", ""}}, [][2]string{{"size", ""}, {"slots", ""}},
			"systems a and b both have --slots among the options of their jobs: rename it in one of them"},
		{"letter", [][2]string{{"slots", "s"}}, [][2]string{{"size", "s"}},
			"systems a and b both have -s among the options of their jobs: rename it in one of them"},
		{"common name", nil, [][2]string{{"sources", ""}},
			"system b has --sources among the options of its jobs, and all jobs have it: rename that of the system"},
		{"help", nil, [][2]string{{"host", "h"}},
			"system b has -h among the options of its jobs, and all jobs have it: rename that of the system"},
		{"first of two", [][2]string{{"id", ""}, {"slots", ""}}, [][2]string{{"slots", ""}},
			"system a has --id among the options of its jobs, and all jobs have it: rename that of the system"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, args := range [][]string{{"--help"}, {"--id", "2", "--sources", "0-3"}} {
				cmd := newJobAdd([]job.Runtime{fakeSystem{name: "a", options: c.a}, fakeSystem{name: "b", options: c.b}})
				cmd.SilenceUsage, cmd.SilenceErrors = true, true
				cmd.SetOut(&bytes.Buffer{})
				cmd.SetArgs(args)
				err := cmd.Execute()
				switch {
				case args[0] == "--help":
					if err != nil {
						t.Errorf("help: %v", err)
					}
				case err == nil || err.Error() != c.want || exitCode(err) != exitUsage:
					t.Errorf("got %v, exit code %d\nwant %s", err, exitCode(err), c.want)
				}
			}
		})
	}
}
