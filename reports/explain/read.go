package explain

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inalab/inalab/internal/result"
)

// Run is the recorded events of one run of a system, in order of time.
type Run struct {
	result.Traced
	Events []result.Event
}

// Header is the line that begins the events of a run in a file of events.
type Header struct {
	Run result.Traced `json:"run"`
}

// FileName is the file of the events in a results directory: lines of JSON, compressed
// with gzip.
const FileName = "events.ndjson.gz"

// FileNames are the files that hold events, the one to take first: older runs have
// theirs uncompressed.
func FileNames() []string { return []string{FileName, "events.ndjson"} }

// gzipMark begins a compressed file (RFC 1952 §2.3.1).
var gzipMark = []byte{0x1f, 0x8b}

// headMark is how the line of a header begins.
var headMark = []byte(`{"run":`)

// Read reads a file of events, compressed or not. A last line that was cut off ends it,
// and so does an early end of what is compressed: its writer was killed.
func Read(r io.Reader) (runs []Run, err error) {
	in, err := plain(r)
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return runs, nil
		}
		if err == nil {
			runs, err = take(runs, line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// plain returns a reader of the lines. A file that ends within the head of gzip has none.
func plain(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(len(gzipMark)); !bytes.Equal(head, gzipMark) {
		return in, nil // an error comes again
	}
	lines, err := gzip.NewReader(in)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return bufio.NewReader(strings.NewReader("")), nil
	}
	return bufio.NewReader(lines), err
}

func take(runs []Run, line []byte) ([]Run, error) {
	if bytes.HasPrefix(line, headMark) {
		var h Header
		err := json.Unmarshal(line, &h)
		return append(runs, Run{Traced: h.Run}), err
	}
	if len(runs) == 0 {
		return nil, errors.New("an event before the run that it is of")
	}
	var e result.Event
	if err := json.Unmarshal(line, &e); err != nil {
		return nil, err
	}
	last := &runs[len(runs)-1]
	last.Events = append(last.Events, e)
	return runs, nil
}
