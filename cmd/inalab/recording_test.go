package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/render"
)

// virtual runs a small scenario under the virtual clock and returns where its
// results are.
func virtual(t *testing.T, args ...string) string {
	t.Helper()
	out := t.TempDir()
	cmd := inalab(t.TempDir(), append([]string{"run", "straggler", "--clock", "virtual", "--out", out, "--set", "iterations=2",
		"--set", "hosts=2", "--set", "scale=4000", "--set", "stragglers.p=[0%]"}, args...)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return filepath.Join(out, "latest")
}

func readJSON(t *testing.T, v any, path ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What COLUMNS.md describes is what is written.
func TestFilesOfAVirtualRun(t *testing.T) {
	dir := virtual(t, "--repeat", "2")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{
		"COLUMNS.md", "counters.json", "events.ndjson.gz", "fidelity.json", "iterations.pdf", "iterations.svg", "links.csv", "manifest.json",
		"network-1.pdf", "network-1.svg", "network-2.pdf", "network-2.svg", "network-3.pdf", "network-3.svg", "record.json.gz", "repeats.csv", "report.html", "report.md",
		"samples.jsonl", "scenario.yaml", "summary.csv", "summary.pdf", "summary.svg", "times.csv", "topology.json",
	}
	if !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	var counters []struct {
		System   string
		Seed     uint64
		Counters []result.Counter
	}
	readJSON(t, &counters, dir, "counters.json")
	const runs = 6 // three systems, two seeds
	if len(counters) != runs || counters[runs-1].Seed != 2 || len(counters[0].Counters) == 0 || counters[0].Counters[0].Node == "" {
		t.Errorf("counters of %d runs, last %+v", len(counters), counters[len(counters)-1])
	}
	var m archive.Manifest
	readJSON(t, &m, dir, "manifest.json")
	if m.Machine.Vector != vec.Variant() || len(m.Verdicts) != runs || m.Verdicts[runs-1].Seed != 2 {
		t.Errorf("vector %q, verdicts %+v", m.Machine.Vector, m.Verdicts)
	}
	summary, err := os.ReadFile(filepath.Join(dir, "summary.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(summary, []byte("\nideal,")); n != 2 || !bytes.Contains(summary, []byte(",computed,")) {
		t.Errorf("%d ideal rows of two seeds:\n%s", n, summary)
	}
}

// A run with flows has a file of them.
func TestFilesOfARunWithFlows(t *testing.T) {
	dir := virtual(t, "--set", "flows=[{name: noise, from: h0, to: h1, kind: udp, rate: 1Gbit/s}]")
	text, err := os.ReadFile(filepath.Join(dir, "flows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(",noise,udp,h0,h1,false,")); n != 3 || !bytes.HasPrefix(text, []byte("system,topology,")) {
		t.Errorf("%d flows of three systems:\n%s", n, text)
	}
}

func TestSamplesOfOneSeedAreTheSame(t *testing.T) {
	read := func() string {
		text, err := os.ReadFile(filepath.Join(virtual(t), "samples.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if a, b := read(), read(); a != b || a == "" {
		t.Errorf("%d and %d bytes that differ", len(a), len(b))
	}
}

// Samples are in the file as soon as their iterations are over.
func TestKillKeepsSamples(t *testing.T) {
	out := t.TempDir()
	var stderr bytes.Buffer
	cmd := inalab(t.TempDir(), "run", "straggler", "--clock", "virtual", "--out", out, "--set", "iterations=60000", "--set", "hosts=2",
		"--set", "scale=4000", "--set", "stragglers.p=[0%]")
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	size := func() int64 {
		files, _ := filepath.Glob(filepath.Join(out, "*", "samples.jsonl")) // the pattern is good
		if len(files) == 0 {
			return 0
		}
		st, err := os.Stat(files[0])
		if err != nil {
			return 0
		}
		return st.Size()
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(30 * time.Second)
	for size() == 0 && time.Now().Before(deadline) {
		<-tick.C
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it ended by itself")
	}
	dir := onlyRun(t, out)
	text, err := os.ReadFile(filepath.Join(dir, "samples.jsonl"))
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range lines {
		var sample struct {
			Version int    `json:"schema_version"`
			System  string `json:"system"`
		}
		if err := json.Unmarshal([]byte(line), &sample); err != nil || sample.Version != render.SchemaVersion || sample.System != "ring" {
			t.Errorf("line %d of %d: %s: %v\n%s", i+1, len(lines), line, err, stderr.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "scenario.yaml")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the run passes for a complete one: %v", err)
	}
}
