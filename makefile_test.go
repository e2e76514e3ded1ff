package inalab_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inalab/inalab/scenarios"
)

// makes runs make with something in place of the program, and returns what it printed.
func makes(t *testing.T, stub string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	program := filepath.Join(t.TempDir(), "inalab")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+stub), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "make", append([]string{"-s", "-o", "build", "INALAB=" + program}, args...)...).CombinedOutput()
	return string(out), err
}

// What make lists is the catalogue.
func TestMakeListsTheCatalogue(t *testing.T) {
	out, err := makes(t, "", "help")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, list, _ := strings.Cut(out, "scenarios for S=, and all:\n")
	var names []string
	for _, line := range strings.Split(list, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, `"`) {
			break
		}
		if len(words) < 4 {
			t.Errorf("%s: it does not say how long it takes", words[0])
		}
		names = append(names, words[0])
	}
	if got, want := strings.Join(names, " "), strings.Join(scenarios.Names(), " "); got != want {
		t.Errorf("make help lists %s\nand there are    %s", got, want)
	}
}

// S=all runs all, whatever comes of some, and says what.
func TestMakeRunsAllScenarios(t *testing.T) {
	for _, c := range []struct {
		stub   string
		failed bool
		want   []string // lines of the table without the time
	}{
		{"exit 0", false, []string{"loss as expected", "tenants as expected"}},
		{"case $2 in loss) exit 4;; esac", false, []string{"loss not judged: this machine was too busy", "tenants as expected"}},
		{"case $2 in loss) exit 1;; filter) exit 3;; esac", true, []string{"filter NOT RUN: exit code 3", "loss NOT AS EXPECTED, or failed", "tenants as expected"}},
		{"case $2 in loss) exit 130;; esac", true, []string{"filter as expected"}},
	} {
		out, err := makes(t, c.stub, "scenario", "S=all", "CLOCK=virtual")
		if (err != nil) != c.failed {
			t.Errorf("%s: %v", c.stub, err)
		}
		_, table, _ := strings.Cut(out, "scenario            took  result\n")
		var lines []string
		for _, line := range strings.Split(table, "\n") {
			if words := strings.Fields(line); len(words) > 3 && words[2] == "s" {
				lines = append(lines, words[0]+" "+strings.Join(words[3:], " "))
			}
		}
		all := "\n" + strings.Join(lines, "\n") + "\n"
		for _, want := range c.want {
			if !strings.Contains(all, "\n"+want+"\n") {
				t.Errorf("%s: the table lacks %q:%s", c.stub, want, all)
			}
		}
		if interrupted := strings.Contains(c.stub, "130"); interrupted == (len(lines) == len(scenarios.Names())) {
			t.Errorf("%s: %d lines", c.stub, len(lines))
		}
		if !strings.Contains(out, "run failover --clock 'virtual'") {
			t.Errorf("%s: the clock is not passed on:\n%s", c.stub, out)
		}
	}
}
