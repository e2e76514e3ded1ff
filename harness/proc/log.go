package proc

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

const (
	quotedLines   = 10       // lines of a log that an error quotes
	quotedBytes   = 2 << 10  // and at most so many bytes
	searchedBytes = 64 << 10 // how far from the end a panic is looked for
)

// quoteLog returns the end of a log for an error message.
func quoteLog(path string) string {
	tail, err := readTail(path)
	switch {
	case err != nil:
		return fmt.Sprintf("its log cannot be read: %v", err)
	case len(tail) == 0:
		return fmt.Sprintf("its log %s is empty", path)
	}
	return fmt.Sprintf("its log %s ends with:\n\t%s", path, strings.Join(quote(tail), "\n\t"))
}

// quote chooses the lines that tell most: those from the last panic on, since a
// stack trace is longer than what is quoted, else the last ones.
func quote(lines []string) []string {
	for i, line := range slices.Backward(lines) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return clip(lines[i:min(i+quotedLines, len(lines))])
		}
	}
	return clip(lines[max(len(lines)-quotedLines, 0):])
}

// clip shortens lines so that all together have about quotedBytes.
func clip(lines []string) []string {
	const each = quotedBytes / quotedLines
	clipped := make([]string, len(lines))
	for i, line := range lines {
		if len(line) > each {
			line = strings.ToValidUTF8(line[:each], "") + "..."
		}
		clipped[i] = line
	}
	return clipped
}

// readTail returns the last whole lines of a file, less those far from the end.
func readTail(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(st.Size()-searchedBytes, 0)
	text, err := io.ReadAll(io.NewSectionReader(f, from, searchedBytes))
	if err != nil {
		return nil, err
	}
	if from > 0 { // begins within a line
		if _, whole, ok := bytes.Cut(text, []byte("\n")); ok {
			text = whole
		}
	}
	text = bytes.TrimRight(text, "\n")
	if len(text) == 0 {
		return nil, nil
	}
	return strings.Split(string(text), "\n"), nil
}
