package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/inalab/inalab/internal/strictjson"
)

// lineReader reads lines of at most MaxLine bytes.
type lineReader struct {
	s *bufio.Scanner
}

const firstLineBuffer = 4 << 10 // bytes; grows up to MaxLine

func newLineReader(r io.Reader) *lineReader {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, firstLineBuffer), MaxLine)
	return &lineReader{s: s}
}

// next decodes the next line into v. It returns io.EOF at the end, also behind
// a last line that was cut off: its writer was killed.
func (l *lineReader) next(v any) error {
	if !l.s.Scan() {
		err := l.s.Err()
		switch {
		case err == nil:
			return io.EOF
		case errors.Is(err, bufio.ErrTooLong):
			return fmt.Errorf("line is longer than %d bytes", MaxLine)
		}
		return err
	}
	if err := strictjson.Decode(l.s.Bytes(), v); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return io.EOF
		}
		return fmt.Errorf("decode line %.80q: %w", l.s.Text(), err)
	}
	return nil
}
