package control_test

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

// served is a socket that answers with a function, until the test ends.
func served(t *testing.T, path string, do func(control.Request) control.Response) *control.Listener {
	t.Helper()
	l, err := control.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- l.Serve(do) }()
	t.Cleanup(func() {
		if err := errors.Join(l.Close(), <-done); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the socket is left behind: %v", err)
		}
	})
	return l
}

func dialled(t *testing.T, path string) *control.Client {
	t.Helper()
	c, err := control.Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A socket is its owner's alone, wherever it is: the path may be longer than an
// address. It carries questions and answers, and what the switch says against.
func TestAskOverASocket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := control.SocketPath(dir, "mx480")
	r := newRig(t, "mx480", 6)
	served(t, path, func(q control.Request) control.Response { return control.Dispatch(0, r.Chassis, r.jobs, q) })
	st, err := os.Lstat(path)
	if err != nil || st.Mode() != fs.ModeSocket|0o600 {
		t.Fatalf("mode %v, %v", st.Mode(), err)
	}
	if names, err := control.Switches(dir); err != nil || len(names) != 1 || names[0] != "mx480" {
		t.Errorf("switches %v, %v", names, err)
	}
	c := dialled(t, path)
	if out, err := c.Do(t.Context(), control.Request{Op: control.OpAddJob, Job: asked(Job{ID: 1, Sources: upTo(6)})}); err != nil || len(out.Added.Tables) != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	out, err := c.Do(t.Context(), control.Request{Op: control.OpShow, View: dataplane.ViewJobs, PFE: "pfe1"})
	if err != nil || len(out.Tables) != 1 || out.Tables[0].Table.Rows[0][2] != dataplane.Text("0-2") {
		t.Fatalf("%+v, %v", out, err)
	}
	_, err = c.Do(t.Context(), control.Request{Op: control.OpAddJob, Job: asked(Job{ID: 1, Sources: upTo(6)})})
	var said *control.Error
	if !errors.As(err, &said) || said.Response.Reason != dataplane.RefusedIDTaken || !strings.HasPrefix(err.Error(), "switch mx480: id-taken: ") {
		t.Errorf("%v", err)
	}
}

// Every malformed line is answered by a text, and the conversation goes on; only
// one without an end ends it.
func TestMalformedLines(t *testing.T) {
	path := control.SocketPath(t.TempDir(), "tor")
	served(t, path, func(control.Request) control.Response { return control.Response{Switch: "tor"} })
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	answers := bufio.NewScanner(conn)
	for _, tc := range [][2]string{
		{`nonsense`, "must be one JSON object"},
		{``, "must be one JSON object"},
		{`{"op":"show"}`, "lacks a version"},
		{`{"version":2,"op":"show","new":1}`, "of version 2, this switch speaks 1: use the program that started the lab"},
		{`{"version":1,"op":"show","vew":"jobs"}`, `unknown field \"vew\"`},
		{`{"version":1,"op":"remove-job","id":"x"}`, "malformed request"},
		{`{"version":1,"op":"show","view":"jobs","limit":99999999999999999999}`, "malformed request"},
		{`{"version":1,"op":"show","view":"jobs"}`, `"switch":"tor"}`},
		{strings.Repeat("x", control.MaxRequest+1), "longer than 65536 bytes"},
	} {
		if _, err := conn.Write([]byte(tc[0] + "\n")); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() || !strings.Contains(answers.Text(), tc[1]) {
			t.Fatalf("%.60q is answered by %q (%v), want %q", tc[0], answers.Text(), answers.Err(), tc[1])
		}
	}
	if answers.Scan() {
		t.Errorf("after a line without an end comes %q", answers.Text())
	}
}

// Requests are carried out one at a time, whoever asks.
func TestOneAtATime(t *testing.T) {
	path := control.SocketPath(t.TempDir(), "tor")
	var inside atomic.Int32
	served(t, path, func(control.Request) control.Response {
		if inside.Add(1) > 1 {
			t.Error("two requests at a time")
		}
		defer inside.Add(-1)
		return control.Response{Switch: "tor"}
	})
	var asking sync.WaitGroup
	for range control.MaxConns {
		c := dialled(t, path)
		asking.Go(func() {
			for range 50 {
				if _, err := c.Do(t.Context(), control.Request{Op: control.OpShow}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	asking.Wait()
}

// One connection too many is told so, and the others go on.
func TestTooManyConnections(t *testing.T) {
	path := control.SocketPath(t.TempDir(), "tor")
	served(t, path, func(control.Request) control.Response { return control.Response{Switch: "tor"} })
	var first *control.Client
	for i := range control.MaxConns {
		c := dialled(t, path)
		if _, err := c.Do(t.Context(), control.Request{Op: control.OpShow}); err != nil { // it is in
			t.Fatal(err)
		}
		if i == 0 {
			first = c
		}
	}
	var said *control.Error
	if _, err := dialled(t, path).Do(t.Context(), control.Request{Op: control.OpShow}); !errors.As(err, &said) || said.Response.Fault != control.FaultBusy {
		t.Errorf("one too many: %v", err)
	}
	if _, err := first.Do(t.Context(), control.Request{Op: control.OpShow}); err != nil {
		t.Error(err)
	}
}

// A client that waits is let go by the end of its context, and by the end of the
// switch.
func TestWaitEnds(t *testing.T) {
	path := control.SocketPath(t.TempDir(), "tor")
	held := make(chan struct{})
	begun := make(chan struct{}, 2)
	l, err := control.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- l.Serve(func(control.Request) control.Response { begun <- struct{}{}; <-held; return control.Response{} })
	}()
	ctx, cancel := context.WithCancelCause(t.Context())
	late := errors.New("no time left")
	go func() { <-begun; cancel(late) }()
	if _, err := dialled(t, path).Do(ctx, control.Request{Op: control.OpShow}); !errors.Is(err, late) {
		t.Errorf("cancelled: %v", err)
	}
	waits := make(chan error, 1)
	c := dialled(t, path)
	go func() { _, err := c.Do(t.Context(), control.Request{Op: control.OpShow}); waits <- err }()
	close(held)
	if err := <-waits; err != nil {
		t.Error(err)
	}
	go func() { _, err := c.Do(t.Context(), control.Request{Op: control.OpShow}); waits <- err }()
	<-begun
	if err := errors.Join(l.Close(), <-ended); err != nil {
		t.Error(err)
	}
	<-waits // answered or not
}

func TestAnswerThatIsTooLong(t *testing.T) {
	r := control.Response{Switch: "tor", Tables: []control.EngineTable{{Table: dataplane.Table{Notes: []string{strings.Repeat("x", control.MaxResponse)}}}}}
	if line := string(control.EncodeResponse(r)); len(line) > 1000 || !strings.Contains(line, "ask for fewer rows") {
		t.Errorf("%d bytes: %.200s", len(line), line)
	}
}

func TestListenWhereItCannot(t *testing.T) {
	dir := t.TempDir()
	if _, err := control.Listen(control.SocketPath(filepath.Join(dir, "gone"), "tor")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	served(t, control.SocketPath(dir, "tor"), nil)
	if _, err := control.Listen(control.SocketPath(dir, "tor")); err == nil || strings.Contains(err.Error(), "/proc/") {
		t.Errorf("taken: %v", err)
	}
	if _, err := control.Dial(t.Context(), control.SocketPath(dir, "spine")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no socket: %v", err)
	}
}
