package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Past is the directory of a run that has ended.
type Past struct {
	Path     string // absolute
	Manifest Manifest
}

// IncompleteError says that a directory has no manifest.
type IncompleteError struct{ Path string }

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("%s has no %s: it is no results directory, or its run was ended or died", e.Path, manifestName)
}

// Open reads the manifest of a results directory. Without one the error is an [IncompleteError].
func Open(path string) (*Past, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, fmt.Errorf("open results: %w", err)
	}
	p := &Past{Path: abs}
	text, err := os.ReadFile(filepath.Join(abs, manifestName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &IncompleteError{path}
	case err != nil:
		return nil, fmt.Errorf("open results: %w", err)
	}
	if err := checkVersion(text, SchemaVersion); err != nil {
		return nil, fmt.Errorf("open results: %s: %w", filepath.Join(path, manifestName), err)
	}
	if err := json.Unmarshal(text, &p.Manifest); err != nil {
		return nil, fmt.Errorf("open results: %s: %w", filepath.Join(path, manifestName), err)
	}
	return p, nil
}

// HasRecord reports whether there is a record.json.gz: earlier versions of inalab, and what is no run of a
// scenario, have none.
func (p *Past) HasRecord() bool { return p.HasFile(RecordName) }

// Record reads record.json.gz.
func (p *Past) Record() (*Record, error) {
	path := filepath.Join(p.Path, RecordName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: it is of an earlier version of inalab, or of no scenario; run it again", p.Path, RecordName)
	}
	if err != nil {
		return nil, fmt.Errorf("open results: %w", err)
	}
	defer f.Close()
	r, err := decodeRecord(f)
	if err != nil {
		return nil, fmt.Errorf("open results: %s: %w", path, err)
	}
	return r, nil
}
