package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// Stream is a file of JSON lines that grows while the run lasts. Appending is
// safe from several goroutines.
type Stream struct {
	name string

	mu   sync.Mutex // guards what follows
	file *os.File   // nil once closed
	buf  bytes.Buffer
	enc  *json.Encoder
}

// Stream makes a new file of JSON lines. It is closed with the directory.
func (d *Dir) Stream(name string) (*Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.create(name)
	if err != nil {
		return nil, fmt.Errorf("begin result %s: %w", name, err)
	}
	s := &Stream{name: name, file: f}
	s.enc = json.NewEncoder(&s.buf)
	s.enc.SetEscapeHTML(false)
	d.streams = append(d.streams, s)
	return s, nil
}

// Append writes one line for each value, all in one write: when it returns, a
// kill of this process no longer loses them.
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
	if _, err := s.file.Write(s.buf.Bytes()); err != nil {
		return fmt.Errorf("append to result %s: %w", s.name, err)
	}
	return nil
}

func (s *Stream) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}
