package archive

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteZipped makes a new file that holds v as JSON, compressed with gzip (RFC 1952). v has a schema_version.
func (d *Dir) WriteZipped(name string, v any) error {
	return d.Write(name, func(w io.Writer) error { return encodeZipped(w, v) })
}

// HasFile reports whether the directory has a file of a name, whatever it holds.
func (p *Past) HasFile(name string) bool {
	_, err := os.Stat(filepath.Join(p.Path, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// ReadZipped reads a file of [Dir.WriteZipped] into v. Up to a schema_version it is known; what is newer is
// refused. A missing file is an error that is [fs.ErrNotExist].
func (p *Past) ReadZipped(name string, known int, v any) error {
	path := filepath.Join(p.Path, name)
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open results: %w", err)
	}
	defer f.Close()
	if err := decodeZipped(f, known, v); err != nil {
		return fmt.Errorf("open results: %s: %w", path, err)
	}
	return nil
}

func encodeZipped(w io.Writer, v any) error {
	zip := gzip.NewWriter(w)
	if err := json.NewEncoder(zip).Encode(v); err != nil {
		return err
	}
	return zip.Close()
}

func decodeZipped(in io.Reader, known int, v any) error {
	zip, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		return err
	}
	if err := checkVersion(text, known); err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}
