package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/inalab/inalab/reports/archive"
)

// aSweep is one whose third point takes much longer than the others: rounds are simulated packet by packet where
// series are recorded.
const aSweep = `systems: [ring, switchml256]
scale: 2000
hosts: 3
interval: 10ms
iterations: 1
description: has a third point that takes longer
`

// sweepArgs are the command line of it.
func sweepArgs(file, out string) []string {
	return []string{"run", file, "--clock", "virtual", "--quiet", "--out", out, "--sweep", "iterations=1,2,150,3", "--repeat", "2", "--format", "csv"}
}

// A sweep that is killed and then taken up writes what one writes that was never interrupted.
func TestResumeAfterKill(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, which sees the same code elsewhere")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "sweep.scenario.yaml")
	if err := os.WriteFile(file, []byte(aSweep), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(dir, "whole")
	want, err := inalab(dir, sweepArgs(file, whole)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{1, 3, 9} { // the second seed begins with the ninth
		out := filepath.Join(dir, "cut")
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		killAtRow(t, rows, sweepArgs(file, out)...)
		if err := os.Remove(file); err != nil { // what was resolved is all that is needed
			t.Fatal(err)
		}
		cmd := inalab(dir, "run", "--resume", onlyRun(t, out), "--quiet", "--out", out, "--format", "csv")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		got, err := cmd.Output()
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("killed at row %d: %v\n%s\n got %s\nwant %s", rows, err, stderr.String(), got, want)
		}
		sameFiles(t, filepath.Join(whole, latest), filepath.Join(out, latest))
		if err := os.WriteFile(file, []byte(aSweep), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// killAtRow begins a run and kills it once so many of its runs are done.
func killAtRow(t *testing.T, rows int, args ...string) {
	t.Helper()
	out := args[6]
	cmd := inalab(t.TempDir(), args...)
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1") // one run after the other
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-tick.C {
		files, _ := filepath.Glob(filepath.Join(out, "*", archive.UnfinishedName)) // the pattern is good
		if len(files) == 0 {
			continue
		}
		if _, done, err := archive.OpenUnfinished(filepath.Dir(files[0])); err == nil && len(done) >= rows {
			break
		}
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the run ended by itself")
	}
}

// sameFiles compares all files of two runs but those that have times and names of the runs.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	entries, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch e.Name() {
		case "manifest.json", "report.html", "report.md": // have when and how it was run
			continue
		}
		x, errX := os.ReadFile(filepath.Join(a, e.Name()))
		y, errY := os.ReadFile(filepath.Join(b, e.Name()))
		if errX != nil || errY != nil || filepath.Ext(e.Name()) != ".pdf" && !bytes.Equal(x, y) {
			t.Errorf("%s: %d and %d bytes that differ, %v, %v", e.Name(), len(x), len(y), errX, errY)
		}
	}
	if _, err := os.Stat(filepath.Join(b, archive.UnfinishedName)); err == nil {
		t.Errorf("%s is left of a complete run", archive.UnfinishedName)
	}
}
