package proc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// dial returns both ends of a child in this process.
func dial(t *testing.T, first string, exit func(int)) (*ChildSide, *os.File, *os.File, error) {
	t.Helper()
	control, toChild, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromChild, reports, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, f := range []*os.File{control, toChild, fromChild, reports} {
			_ = f.Close() // some are closed by now
		}
	})
	if _, err := toChild.WriteString(first); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(first, "\n") {
		_ = toChild.Close()
	}
	c, err := newChild(control, reports, exit)
	return c, toChild, fromChild, err
}

const greeting = `{"version":1,"node":"h1","kind":"worker","config":{"samples":3}}` + "\n"

func TestOrphanEnds(t *testing.T) {
	t.Parallel() // it waits out orphanGrace
	exited := make(chan int, 1)
	c, toChild, _, err := dial(t, greeting, func(code int) { exited <- code })
	if err != nil {
		t.Fatal(err)
	}
	if err := toChild.Close(); err != nil {
		t.Fatal(err)
	}
	if _, open := <-c.Commands(); open {
		t.Error("a command from nowhere")
	}
	<-c.Context().Done()
	if cause := context.Cause(c.Context()); !errors.Is(cause, ErrParentGone) {
		t.Errorf("cause %v", cause)
	}
	select {
	case code := <-exited:
		if code != orphanExit {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(patience):
		t.Error("does not exit")
	}
}

func TestChildReadsCommands(t *testing.T) {
	t.Parallel() // it waits out orphanGrace
	exited := make(chan int, 1)
	c, toChild, fromChild, err := dial(t, greeting, func(code int) { exited <- code })
	if err != nil {
		t.Fatal(err)
	}
	var cfg nodeConfig
	if err := c.Config(&cfg); err != nil || cfg.Samples != 3 || c.hello.Node != "h1" || c.Kind() != "worker" {
		t.Fatalf("config %+v of %s %s: %v", cfg, c.Kind(), c.hello.Node, err)
	}
	if _, err := toChild.WriteString(`{"cmd":"start","epoch_ns":5}` + "\n" + `{"cmd":"stop"}` + "\n"); err != nil {
		t.Fatal(err)
	}
	var got []Command
	for command := range c.Commands() {
		got = append(got, command)
	}
	if len(got) != 2 || got[0] != (Command{Name: CommandStart, EpochNS: 5}) || got[1].Name != CommandStop {
		t.Errorf("commands %+v", got)
	}
	if cause := context.Cause(c.Context()); !errors.Is(cause, ErrStopped) {
		t.Errorf("cause %v", cause)
	}
	if err := errors.Join(c.Ready(), c.Report(ReportProgress, "half"), c.Done(nodeResult{Pad: 1})); err != nil {
		t.Fatal(err)
	}
	lines := newLineReader(fromChild)
	for _, want := range []ReportKind{ReportReady, ReportProgress, ReportDone} {
		var r Report
		if err := lines.next(&r); err != nil || r.Kind != want {
			t.Errorf("report %+v, %v, want %s", r, err, want)
		}
	}
	expectError(t, c.Report(ReportSample, strings.Repeat("x", MaxLine)), "send sample report: line of")
	_ = toChild.Close()
	<-exited
}

func TestUnreadCommandsAreBounded(t *testing.T) {
	t.Parallel() // it waits out orphanGrace
	exited := make(chan int, 1)
	c, toChild, _, err := dial(t, greeting, func(code int) { exited <- code })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := toChild.WriteString(strings.Repeat(`{"cmd":"start"}`+"\n", commandBuffer+1)); err != nil {
		t.Fatal(err)
	}
	<-c.Context().Done()
	expectError(t, context.Cause(c.Context()), "16 commands were left unread")
	_ = toChild.Close()
	<-exited
}

func TestBadGreetings(t *testing.T) {
	for first, want := range map[string]string{
		"":                                       "EOF",
		`{"version":1,"node":`:                   "EOF",
		strings.Replace(greeting, ":1", ":9", 1): "parent speaks version 9",
		strings.Replace(greeting, "node", "knot", 1): `unknown field "knot"`,
		strings.Replace(greeting, "\n", " 1\n", 1):   "something stands behind",
	} {
		_, _, _, err := dial(t, first, func(int) {})
		expectError(t, err, want)
	}
}

func TestLongLineIsRefused(t *testing.T) {
	var r Report
	expectError(t, newLineReader(strings.NewReader(strings.Repeat(" ", MaxLine+1))).next(&r), "line is longer than")
}

func TestRequested(t *testing.T) {
	kind, node, ok := Requested([]string{"inalab", "node", "worker", "h1"})
	if !ok || kind != "worker" || node != "h1" {
		t.Error(kind, node, ok)
	}
	for _, args := range [][]string{nil, {"inalab"}, {"inalab", "node", "worker"}, {"inalab", "run", "worker", "h1"}} {
		if _, _, ok := Requested(args); ok {
			t.Error(args)
		}
	}
}

func TestLogQuoteIsBounded(t *testing.T) {
	const line = "some line of a log\n"
	many := strings.Repeat(line, 2*searchedBytes/len(line))
	tests := []struct{ name, text, first, last string }{
		{"many lines", many + "the last\n", "some line of a log", "the last"},
		{"no newline at the end", many + "the last", "some line of a log", "the last"},
		{"panic", many + "panic: oh dear\n" + strings.Repeat("\tgoroutine 1\n", 100), "panic: oh dear", "\tgoroutine 1"},
		{"one long line", strings.Repeat("x", 2*searchedBytes), strings.Repeat("x", quotedBytes/quotedLines) + "...", strings.Repeat("x", quotedBytes/quotedLines) + "..."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(file, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			tail, err := readTail(file)
			if err != nil {
				t.Fatal(err)
			}
			got := quote(tail)
			if len(got) > quotedLines || got[0] != tt.first || got[len(got)-1] != tt.last {
				t.Errorf("%q", got)
			}
		})
	}
	if got := quoteLog("/nowhere/log"); !strings.Contains(got, "its log cannot be read") {
		t.Error(got)
	}
}
