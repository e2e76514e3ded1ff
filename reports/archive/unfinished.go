package archive

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/inalab/inalab/internal/result"
)

// UnfinishedName is a file of a run that is not complete: with it the run can be taken up again. [Dir.Finish]
// removes it.
const UnfinishedName = "unfinished.ndjson.gz"

// UnfinishedVersion is that of its first line.
const UnfinishedVersion = 1

// Begun is the first line of the file: what a run was told, beside scenario.yaml.
type Begun struct {
	SchemaVersion int    `json:"schema_version"`
	Version       string `json:"version"` // of the program
	Commit        string `json:"commit,omitempty"`
	Clock         string `json:"clock"`
	Repeat        int    `json:"repeat"`
	Events        string `json:"events"`
	Plain         bool   `json:"no_offload,omitempty"`
	Scaled        Scaled `json:"scaled,omitzero"`
	Runs          int    `json:"runs"`
	Plan          string `json:"plan"` // what the runs are, in short: other runs have another one
}

// Done is a line for each run that came to its end, in their order.
type Done struct {
	Cells    []result.Cell
	Samples  int    // lines of samples.jsonl that are of it
	Events   int    // lines of the file of events that are of it
	Diverged string // a training came to what is no number; empty: none did
}

// doneLine is Done as it is written.
type doneLine struct {
	Cells    []recordCell `json:"cells"`
	Samples  int          `json:"samples"`
	Events   int          `json:"events"`
	Diverged string       `json:"diverged,omitempty"`
}

// Unfinished is the file that is being written.
type Unfinished struct{ stream *Stream }

// Unfinished begins the file.
func (d *Dir) Unfinished(b Begun) (*Unfinished, error) {
	b.SchemaVersion = UnfinishedVersion
	s, err := d.Stream(UnfinishedName)
	if err == nil {
		err = s.Append(b)
	}
	return &Unfinished{s}, err
}

// Append says that one more run came to its end. Its lines of the other files are written.
func (u *Unfinished) Append(d Done) error {
	line := doneLine{Samples: d.Samples, Events: d.Events, Diverged: d.Diverged}
	for _, c := range d.Cells {
		c.Samples = finite(c.Samples)
		line.Cells = append(line.Cells, recordCell{c.Point.Index, c})
	}
	return u.stream.Append(line)
}

// OpenUnfinished reads what a run left that is not complete. What was cut off at the end was not done.
func OpenUnfinished(path string) (b Begun, done []Done, err error) {
	f, err := os.Open(filepath.Join(path, UnfinishedName))
	if err != nil {
		return b, nil, err
	}
	defer f.Close()
	in, err := lines(f)
	if err != nil {
		return b, nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	for n := 0; ; n++ {
		text, more := in()
		if !more && n == 0 {
			return b, nil, fmt.Errorf("%s: it was cut off at its begin", f.Name())
		}
		if !more {
			return b, done, nil
		}
		if n == 0 {
			if err = checkVersion(text, UnfinishedVersion); err == nil {
				err = json.Unmarshal(text, &b)
			}
		} else {
			var d Done
			d, err = decodeDone(text)
			done = append(done, d)
		}
		if err != nil {
			return b, nil, fmt.Errorf("%s: line %d: %w", f.Name(), n+1, err)
		}
	}
}

func decodeDone(text []byte) (Done, error) {
	var line doneLine
	if err := json.Unmarshal(text, &line); err != nil {
		return Done{}, err
	}
	d := Done{Samples: line.Samples, Events: line.Events, Diverged: line.Diverged}
	for _, c := range line.Cells {
		c.Cell.Point.Index = c.Index
		d.Cells = append(d.Cells, c.Cell)
	}
	return d, nil
}

// Lines reads lines of JSON of an earlier run, one after the other.
type Lines struct {
	name string
	file *os.File
	next func() ([]byte, bool)
}

// OpenLines opens a file of lines; one that is not there has none.
func OpenLines(path string) (*Lines, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lines{name: path, next: func() ([]byte, bool) { return nil, false }}, nil
	}
	if err != nil {
		return nil, err
	}
	next, err := lines(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &Lines{path, f, next}, nil
}

// Take returns the next n lines.
func (l *Lines) Take(n int) (out []any, err error) {
	for range n {
		text, ok := l.next()
		if !ok {
			return nil, fmt.Errorf("%s: it has fewer lines than were written: it is not that of the run", l.name)
		}
		out = append(out, json.RawMessage(text))
	}
	return out, nil
}

// Close closes the file.
func (l *Lines) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// lines returns a reader of whole lines, of a compressed file if its name says so. Its end may be cut off.
func lines(f *os.File) (func() ([]byte, bool), error) {
	var from io.Reader = f
	if filepath.Ext(f.Name()) == zipped {
		zip, err := gzip.NewReader(f)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // cut off at its begin
			return func() ([]byte, bool) { return nil, false }, nil
		}
		if err != nil {
			return nil, err
		}
		from = zip
	}
	in := bufio.NewReader(from)
	return func() ([]byte, bool) {
		text, err := in.ReadBytes('\n')
		return text, err == nil
	}, nil
}
