package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// offered is what a shell offers behind a command line.
func offered(t *testing.T, line ...string) []string {
	t.Helper()
	var stdout bytes.Buffer
	if code := newApp(&stdout, &bytes.Buffer{}, []string{"INALAB_STATE_DIR=" + t.TempDir()}).execute(append([]string{"__complete"}, append(line, "")...)); code != exitOK {
		t.Fatalf("%v: code %d", line, code)
	}
	return strings.Split(strings.TrimSpace(stdout.String()), "\n")
}

// A shell offers what flags take: systems, models, formats, and paths of scenarios, of all files and of systems.
// What --set of a Microcode program takes is not known.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		line  []string
		some  []string
		never string
	}{
		{[]string{"run", "straggler", "--set"}, []string{"seed=", "stragglers.p=", "link.rate=", "trio.wake="}, "jobs[].name="},
		{[]string{"run", "straggler", "--model"}, []string{"resnet50", "vgg11"}, ""},
		{[]string{"run", "straggler", "--clock"}, []string{"live", "virtual"}, ""},
		{[]string{"switch", "show", "jobs", "--format"}, []string{"table", "json", "csv"}, ""},
		{[]string{"bench", "allreduce", "--system"}, []string{"switchml256", "trioml", "ring"}, ""},
		{[]string{"microcode", "run", "--set"}, nil, "seed="},
	} {
		got := offered(t, c.line...)
		for _, want := range c.some {
			if !slices.Contains(got, want) {
				t.Errorf("%v: %q is not offered: %q", c.line, want, got)
			}
		}
		if slices.Contains(got, c.never) && c.never != "" {
			t.Errorf("%v: %q is offered", c.line, c.never)
		}
	}
}
