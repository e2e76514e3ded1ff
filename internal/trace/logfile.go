package trace

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/inalab/inalab/internal/units"
)

// A log crosses from a process to the one that started it as a file: a line of
// JSON, and behind it records of entryLen bytes, little-endian. Text would take
// ten times as long to write, at the end of each run.

// fileVersion is that of the file; both sides are the same binary.
const fileVersion = 2

// fileHead is the first line of the file.
type fileHead struct {
	Version int      `json:"version"`
	Entries int      `json:"entries"`
	Limit   int      `json:"limit"`
	Lost    uint64   `json:"lost"`
	Names   []string `json:"names"`
}

// entryLen is the size of an entry in the file.
const entryLen = 8 + 4*8 + 4 + 4 + 4 + 4*2 + 3

// maxHead bounds the first line, with its names.
const maxHead = 1 << 20

// Write writes the log with all times counted from epoch. Events before it belong
// to no run and are left out.
func (l *Log) Write(w io.Writer, epoch units.Time) error {
	head := fileHead{Version: fileVersion, Limit: l.limit, Lost: l.Lost(), Names: l.names}
	for e := range l.entries() {
		if e.at >= epoch {
			head.Entries++
		}
	}
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(append(line, '\n')) // its error comes back from Flush
	buf := make([]byte, 0, entryLen)
	for e := range l.entries() {
		if e.at < epoch {
			continue
		}
		buf = e.append(buf[:0], epoch)
		out.Write(buf)
	}
	return out.Flush()
}

// entries returns what is kept, in order.
func (l *Log) entries() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for i := range l.Len() {
			if !yield(l.entry(i)) {
				return
			}
		}
	}
}

func (e *entry) append(b []byte, epoch units.Time) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(e.at-epoch))
	for _, word := range e.mask {
		b = le.AppendUint64(b, word)
	}
	b = le.AppendUint32(b, e.gen)
	b = le.AppendUint32(b, e.block)
	b = le.AppendUint32(b, uint32(e.count))
	b = le.AppendUint16(b, e.kind)
	b = le.AppendUint16(b, e.node)
	b = le.AppendUint16(b, e.note)
	b = le.AppendUint16(b, e.index)
	degraded := byte(0)
	if e.degraded {
		degraded = 1
	}
	return append(b, e.job, e.source, degraded)
}

// Read reads a log that was written by [Log.Write].
func Read(r io.Reader) (*Log, error) {
	in := bufio.NewReaderSize(r, maxHead)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("reading the head of a trace: %w", err)
	}
	var head fileHead
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("reading the head of a trace: %w", err)
	}
	if head.Version != fileVersion || head.Entries < 0 || head.Entries > head.Limit || len(head.Names) == 0 {
		return nil, fmt.Errorf("reading a trace: version %d with %d entries of at most %d and %d names: this program did not write it", head.Version, head.Entries, head.Limit, len(head.Names))
	}
	l := NewLog(head.Limit)
	l.names = head.Names
	buf := make([]byte, entryLen)
	for range head.Entries {
		if _, err := io.ReadFull(in, buf); err != nil {
			return nil, fmt.Errorf("reading a trace of %d entries: %w", head.Entries, noEOF(err))
		}
		if err := l.decode(buf); err != nil {
			return nil, err
		}
	}
	l.before = head.Lost
	return l, nil
}

func (l *Log) decode(b []byte) error {
	le := binary.LittleEndian
	e := entry{at: units.Time(le.Uint64(b))}
	for i := range e.mask {
		e.mask[i] = le.Uint64(b[8+8*i:])
	}
	b = b[40:]
	e.gen, e.block, e.count = le.Uint32(b), le.Uint32(b[4:]), int32(le.Uint32(b[8:]))
	e.kind, e.node, e.note, e.index = le.Uint16(b[12:]), le.Uint16(b[14:]), le.Uint16(b[16:]), le.Uint16(b[18:])
	e.job, e.source, e.degraded = b[20], b[21], b[22] != 0
	if n := len(l.names); int(e.kind) >= n || int(e.node) >= n || int(e.note) >= n {
		return errors.New("reading a trace: an entry without a name")
	}
	*l.next() = e
	return nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
