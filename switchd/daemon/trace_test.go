package daemon

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Lines read back as the events they were, and are those of encoding/json.
func TestTraceLinesAreJSON(t *testing.T) {
	w, err := newTraceWriter("")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		e := trace.Event{
			At: units.Time(rapid.Int64().Draw(rt, "at")), Kind: trace.BlockSent,
			Node: rapid.String().Draw(rt, "node"), Job: rapid.Byte().Draw(rt, "job"),
			Gen: rapid.Uint32().Draw(rt, "gen"), Block: rapid.Uint32().Draw(rt, "block"), Source: rapid.Byte().Draw(rt, "source"),
			Count: rapid.Int().Draw(rt, "count"), Degraded: rapid.Bool().Draw(rt, "degraded"), Note: rapid.String().Draw(rt, "note"),
		}
		for i := range e.Mask {
			e.Mask[i] = rapid.Uint64().Draw(rt, "mask")
		}
		want, err := json.Marshal(e)
		if err != nil {
			rt.Fatal(err)
		}
		if got := w.appendEvent(nil, &e, 0); string(got) != string(want)+"\n" {
			rt.Errorf("line %s, want %s", got, want)
		}
	})
}

func TestTraceHoldsTheRunAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tor.ndjson")
	w, err := newTraceWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Event(&trace.Event{At: 1, Kind: trace.BlockSent, Block: 1})
	w.start(5)
	for i, kind := range []trace.Kind{trace.BlockOpened, trace.Contribution, trace.BlockAged, trace.BlockSent, trace.Dropped} {
		w.Event(&trace.Event{At: units.Time(6*units.Nanosecond) + units.Time(i), Kind: kind, Block: 2})
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	want := []trace.Event{{At: 1002, Kind: trace.BlockAged, Block: 2}, {At: 1003, Kind: trace.BlockSent, Block: 2}}
	if diff := cmp.Diff(want, readTrace(t, path)); diff != "" {
		t.Errorf("trace differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(TraceStats{Written: 2, BeforeStart: 1}, w.stats); diff != "" {
		t.Errorf("statistics differ (-want +got):\n%s", diff)
	}
	if _, err := newTraceWriter(path); err == nil {
		t.Error("an existing trace was opened again")
	}
}

// The start command may be late on a busy machine: what happened since the epoch
// is in the trace all the same, and in order.
func TestTraceOfARunWhoseStartCameLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tor.ndjson")
	w, err := newTraceWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	const epoch = 5
	at := func(ns int64) units.Time { return units.Time(ns) * units.Time(units.Nanosecond) }
	for ns := range int64(8) {
		w.Event(&trace.Event{At: at(ns), Kind: trace.BlockSent, Block: uint32(ns)})
	}
	w.start(epoch)
	w.Event(&trace.Event{At: at(8), Kind: trace.BlockSent, Block: 8})
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	var want []trace.Event
	for ns := int64(epoch); ns <= 8; ns++ {
		want = append(want, trace.Event{At: at(ns - epoch), Kind: trace.BlockSent, Block: uint32(ns)})
	}
	if diff := cmp.Diff(want, readTrace(t, path)); diff != "" {
		t.Errorf("trace differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(TraceStats{Written: 4, BeforeStart: 5}, w.stats); diff != "" {
		t.Errorf("statistics differ (-want +got):\n%s", diff)
	}
}

// A start that comes when all is over still counts, and one that never comes
// leaves an empty trace; what is held is bounded.
func TestTraceHoldsABoundedNumberOfEvents(t *testing.T) {
	for _, started := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "tor.ndjson")
		w, err := newTraceWriter(path)
		if err != nil {
			t.Fatal(err)
		}
		for range maxHeld + 3 {
			w.Event(&trace.Event{At: 1, Kind: trace.BlockSent})
		}
		want := TraceStats{BeforeStart: maxHeld + 3}
		if started {
			w.start(0)
			want = TraceStats{Written: maxHeld, BeforeStart: 3}
		}
		if err := w.close(); err != nil {
			t.Fatal(err)
		}
		if w.stats != want || len(readTrace(t, path)) != int(want.Written) {
			t.Errorf("started %v: statistics %+v, want %+v", started, w.stats, want)
		}
	}
}

func readTrace(t *testing.T, path string) (out []trace.Event) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		var e trace.Event
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			t.Fatalf("%v in %s", err, s.Text())
		}
		out = append(out, e)
	}
	return out
}

// A full disk ends the trace, is told once, and does not stop the switch.
func TestTraceTellsOfAFullDisk(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full:", err)
	}
	w := &traceWriter{file: f, out: bufio.NewWriterSize(f, 100), quoted: map[string][]byte{}}
	w.start(0)
	for range 10 {
		w.Event(&trace.Event{Kind: trace.BlockSent})
	}
	if err := w.close(); err == nil {
		t.Error("no error")
	}
}
