package explain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/inalab/inalab/internal/result"
)

// Run is the recorded events of one run of a system, in order of time.
type Run struct {
	result.Traced
	Events []result.Event
}

// Header is the line that begins the events of a run in events.ndjson.
type Header struct {
	Run result.Traced `json:"run"`
}

// FileName is the file of the events in a results directory.
const FileName = "events.ndjson"

// headMark is how the line of a header begins.
var headMark = []byte(`{"run":`)

// Read reads events.ndjson. A last line that was cut off ends it: its writer was
// killed.
func Read(r io.Reader) (runs []Run, err error) {
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
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
