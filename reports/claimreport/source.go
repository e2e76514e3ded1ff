package claimreport

import (
	"path/filepath"

	"github.com/inalab/inalab/reports/archive"
)

// Source is what a check left.
type Source struct {
	Name     string // of its directory
	Manifest archive.Manifest
	Record   *Record
	Files    string // Markdown: the directory in which the figures are, from where it is; "": the same
}

// NewSource is a source whose record is at hand.
func NewSource(p *archive.Past, r *Record) *Source {
	return &Source{Name: filepath.Base(p.Path), Manifest: p.Manifest, Record: r}
}

// Read reads what a check left.
func Read(p *archive.Past) (*Source, error) {
	r, err := ReadRecord(p)
	if err != nil {
		return nil, err
	}
	return NewSource(p, r), nil
}
