package archive

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

// Stream is a file of JSON lines that grows while the run lasts. Appending is
// safe from several goroutines.
type Stream struct {
	name string

	mu   sync.Mutex   // guards what follows
	file *os.File     // nil once closed
	zip  *gzip.Writer // to file; nil: lines are written as they are
	buf  bytes.Buffer
	enc  *json.Encoder
}

// zipped ends the names of files that are compressed with gzip (RFC 1952).
const zipped = ".gz"

// Stream makes a new file of JSON lines, compressed if its name ends in .gz. It is
// closed with the directory.
func (d *Dir) Stream(name string) (*Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.create(name)
	if err != nil {
		return nil, fmt.Errorf("begin result %s: %w", name, err)
	}
	s := &Stream{name: name, file: f}
	if strings.HasSuffix(name, zipped) {
		s.zip = gzip.NewWriter(f)
	}
	s.enc = json.NewEncoder(&s.buf)
	s.enc.SetEscapeHTML(false)
	d.streams = append(d.streams, s)
	return s, nil
}

// Append writes one line for each value, all at once: when it returns, a kill of
// this process no longer loses them. Of a compressed file they can then be read, and
// what follows the last of them is an unexpected end.
func (s *Stream) Append(values ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return fmt.Errorf("append to result %s: %w", s.name, ErrFinished)
	}
	s.buf.Reset()
	for _, v := range values {
		if err := s.enc.Encode(v); err != nil {
			return fmt.Errorf("append to result %s: %w", s.name, err)
		}
	}
	if err := s.write(); err != nil {
		return fmt.Errorf("append to result %s: %w", s.name, err)
	}
	return nil
}

// write hands the lines in buf to the kernel.
func (s *Stream) write() error {
	if s.zip == nil {
		_, err := s.file.Write(s.buf.Bytes())
		return err
	}
	if _, err := s.zip.Write(s.buf.Bytes()); err != nil {
		return err
	}
	return s.zip.Flush()
}

func (s *Stream) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	var err error
	if s.zip != nil {
		err = s.zip.Close()
	}
	err = errors.Join(err, s.file.Close())
	s.file = nil
	return err
}
