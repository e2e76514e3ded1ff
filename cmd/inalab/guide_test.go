package main

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// guide is the guide, whose blocks are run here.
const guide = "../../docs/microcode-guide.md"

// guideFiles writes the program and the scenario of the guide to a directory.
func guideFiles(t *testing.T) (dir string) {
	t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for language, name := range map[string]string{"c": "firewall.mc", "yaml": "firewall.scenario.yaml"} {
		block := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
		if block == nil {
			t.Fatalf("%s has no block of %s", guide, language)
		}
		if err := os.WriteFile(filepath.Join(dir, name), block[1], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// guided runs inalab beside the files of the guide.
func guided(dir string, args ...string) *exec.Cmd {
	cmd := inalab(filepath.Join(dir, "state"), args...)
	cmd.Dir = dir
	return cmd
}

// The program has the twenty lines that are promised, and the compiler says what the guide says.
func TestGuideProgram(t *testing.T) {
	dir := guideFiles(t)
	text, err := os.ReadFile(filepath.Join(dir, "firewall.mc"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 20 {
		t.Errorf("the firewall has %d lines", n)
	}
	out, err := guided(dir, "microcode", "check", "firewall.mc").CombinedOutput()
	page, _ := os.ReadFile(guide)
	if err != nil || !strings.Contains(string(page), "$ inalab microcode check firewall.mc\n"+string(out)) {
		t.Errorf("%v: %s is not what the guide shows", err, out)
	}
}

// Under the virtual clock the firewall lets one flow pass and blocks the other, beside SwitchML on a
// rack, and beside Trio-ML on the same PFEs: all sums are right.
func TestGuideVirtual(t *testing.T) {
	dir := guideFiles(t)
	for name, set := range map[string]string{
		"switchml": "iterations=2", "trioml": "systems=[{system: trioml, topology: mx480}]",
	} {
		cmd := guided(dir, "run", "firewall.scenario.yaml", "--clock", "virtual", "--out", name, "--set", set, "--set", "iterations=2")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		got := column(t, filepath.Join(dir, name, "latest", "flows.csv"), "flow", "delivered")
		if got["bad"] != "0" || len(got["good"]) < 3 {
			t.Errorf("%s: delivered %v", name, got)
		}
	}
}

// column returns a column of a file by the words of another.
func column(t *testing.T, file, key, value string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	out := map[string]string{}
	for _, row := range rows[1:] {
		out[row[at[key]]] = row[at[value]]
	}
	return out
}
