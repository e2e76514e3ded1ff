package daemon

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// TraceStats counts the events of a trace.
type TraceStats struct {
	Written     uint64 `json:"written"`
	BeforeStart uint64 `json:"before_start"` // left out: they belong to no run
}

// traceBuffer is the memory between the loop and the file: some 5000 lines.
const traceBuffer = 1 << 20

// flushEvery bounds how much of a trace is lost with a switch that is killed (assumed: a
// system call for some ten thousand events).
const flushEvery = 100 * units.Millisecond

// maxHeld bounds the events that wait for the epoch to become known, in memory
// of some 6 MB. Assumed: all blocks of the first iterations of a small run.
const maxHeld = 1 << 16

// traceWriter is a trace.Sink that writes lines of JSON. It is used by the
// goroutine that drives the chassis, but for start. The first error of the file
// ends the trace and is told by close: a sink has nobody to tell earlier.
type traceWriter struct {
	file   *os.File // nil: no trace
	out    *bufio.Writer
	line   []byte
	quoted map[string][]byte // names as JSON; nodes and notes are few
	stats  TraceStats
	err    error
	held   []trace.Event // taken before started, in order

	flushed units.Time // when the file was last brought up to date

	started atomic.Bool
	epoch   atomic.Int64 // on the clock of the chassis, in picoseconds; set before started
}

// newTraceWriter makes a new file; with an empty path it only counts.
func newTraceWriter(path string) (*traceWriter, error) {
	w := &traceWriter{quoted: map[string][]byte{}}
	if path == "" {
		return w, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create trace: %w", err)
	}
	w.file, w.out = f, bufio.NewWriterSize(f, traceBuffer)
	return w, nil
}

// start says when the run's epoch is: so many nanoseconds after the clock of
// the chassis read zero.
func (w *traceWriter) start(ns int64) {
	w.epoch.Store(ns * int64(units.Nanosecond))
	w.started.Store(true)
}

// Event writes the event if it is of a kind that the trace holds. Workers may
// be at work before the start command has found its way through this process,
// so what comes earlier is held until the epoch tells whether it belongs to the
// run.
func (w *traceWriter) Event(e *trace.Event) {
	switch {
	case e.Kind != trace.BlockSent && e.Kind != trace.BlockAged:
	case w.started.Load():
		w.settle()
		w.write(e)
	case len(w.held) < maxHeld:
		w.held = append(w.held, *e)
	default:
		w.stats.BeforeStart++
	}
}

// settle writes what was held and belongs to the run, which has started.
func (w *traceWriter) settle() {
	for i := range w.held {
		w.write(&w.held[i])
	}
	w.held = nil
}

// write writes an event of the run, or counts one from before its epoch.
func (w *traceWriter) write(e *trace.Event) {
	epoch := units.Time(w.epoch.Load())
	switch {
	case e.At < epoch:
		w.stats.BeforeStart++
	case w.err == nil:
		w.line = w.appendEvent(w.line[:0], e, epoch)
		if _, w.err = w.out.Write(w.line); w.err == nil {
			w.stats.Written++
		}
		if e.At.Sub(w.flushed) > flushEvery && w.err == nil {
			w.flushed, w.err = e.At, w.out.Flush()
		}
	}
}

// appendEvent appends what encoding/json would write of the event, at a tenth
// of the cost: a block is sent every microsecond or two.
func (w *traceWriter) appendEvent(b []byte, e *trace.Event, epoch units.Time) []byte {
	b = strconv.AppendInt(append(b, `{"at_ps":`...), int64(e.At-epoch), 10)
	b = append(append(b, `,"kind":`...), w.quote(string(e.Kind))...)
	b = append(append(b, `,"node":`...), w.quote(e.Node)...)
	b = strconv.AppendUint(append(b, `,"job":`...), uint64(e.Job), 10)
	b = strconv.AppendUint(append(b, `,"gen":`...), uint64(e.Gen), 10)
	b = strconv.AppendUint(append(b, `,"block":`...), uint64(e.Block), 10)
	b = strconv.AppendUint(append(b, `,"source":`...), uint64(e.Source), 10)
	b = append(b, `,"mask":[`...)
	for i, word := range e.Mask {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, word, 10)
	}
	b = strconv.AppendInt(append(b, `],"count":`...), int64(e.Count), 10)
	if e.Degraded {
		b = append(b, `,"degraded":true`...)
	}
	if e.Note != "" {
		b = append(append(b, `,"note":`...), w.quote(e.Note)...)
	}
	return append(b, '}', '\n')
}

func (w *traceWriter) quote(s string) []byte {
	q, ok := w.quoted[s]
	if !ok {
		q, _ = json.Marshal(s) // a string can always be encoded
		w.quoted[s] = q
	}
	return q
}

// close writes what is left and returns the first error of all.
func (w *traceWriter) close() error {
	if w.file == nil {
		return nil
	}
	if w.started.Load() {
		w.settle()
	}
	w.stats.BeforeStart += uint64(len(w.held))
	if w.err == nil {
		w.err = w.out.Flush()
	}
	if err := errors.Join(w.err, w.file.Close()); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}
