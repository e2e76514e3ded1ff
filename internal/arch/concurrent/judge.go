package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// tested is a package with tests, and why they may run more than one goroutine: the
// file and line of the first reason, or "".
type tested struct {
	path, reason string
}

// listFields are those of listed.
var listFields = []string{"ImportPath", "Dir", "GoFiles", "CgoFiles", "Deps", "Module"}

// listed is what "go list -test -deps -json" says of a package. A package that is
// compiled for the tests of another is listed by itself, with the test files in
// GoFiles: "p [p.test]".
type listed struct {
	ImportPath, Dir         string
	GoFiles, CgoFiles, Deps []string
	Module                  *struct{ Main bool }
}

// ownTests names the main package of a test binary, which the go command writes.
const ownTests = ".test"

// judge reads the list of packages.
func judge(list []byte) ([]tested, error) {
	packages := map[string]*listed{}
	var binaries []*listed
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		p := new(listed)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read the list of packages: %w", err)
		}
		packages[p.ImportPath] = p
		if strings.HasSuffix(p.ImportPath, ownTests) {
			binaries = append(binaries, p)
		}
	}
	f := files{reasons: map[string]string{}}
	var out []tested
	for _, b := range binaries {
		t := tested{path: strings.TrimSuffix(b.ImportPath, ownTests)}
		for _, dep := range b.Deps {
			p := packages[dep]
			if p == nil || p.Module == nil || !p.Module.Main {
				continue
			}
			reason, err := f.reason(p)
			if err != nil {
				return nil, err
			}
			t.reason = cmp.Or(t.reason, reason)
		}
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b tested) int { return cmp.Compare(a.path, b.path) })
	return out, nil
}

// files keeps what was found in each file: most are in many test binaries.
type files struct {
	reasons map[string]string
}

// reason returns the first reason in the files of a package.
func (f *files) reason(p *listed) (string, error) {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		reason, ok := f.reasons[name]
		if !ok {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return "", fmt.Errorf("parse a file: %w", err)
			}
			reason = reasonOf(fset, file)
			f.reasons[name] = reason
		}
		if reason != "" {
			return reason, nil
		}
	}
	return "", nil
}
