package claims

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/suggest"
)

//go:embed ledger
var embedded embed.FS

// Ledger is all that is known of the papers. It is read only.
type Ledger struct {
	Claims      []*Claim // paper by paper, in the order of the files
	Withheld    []*Withheld
	Facts       []*Fact
	Ambiguities []*Ambiguity
	Arithmetic  []*ArithmeticCheck
}

// Load reads the ledger that is part of the program.
func Load() (*Ledger, error) {
	dir, err := fs.Sub(embedded, "ledger")
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	return LoadFS(dir)
}

// LoadFS reads a ledger from trio.yaml, switchml.yaml, atp.yaml, xagg.yaml,
// withheld.yaml, facts.yaml and ambiguities.yaml. What is wrong is reported as
// file:line:col, with the line below.
func LoadFS(dir fs.FS) (*Ledger, error) {
	d := &decoder{seen: map[string]string{}, ledger: &Ledger{}}
	files := []struct {
		name string
		read func(*mapping)
	}{
		{"withheld.yaml", d.withheld},
		{"facts.yaml", d.facts},
		{"ambiguities.yaml", d.ambiguities},
	}
	var errs []error
	for _, p := range Papers {
		d.newNames() // a fact or an ambiguity may have the name of a claim
		errs = append(errs, d.file(dir, string(p)+".yaml", func(m *mapping) { d.claims(p, m) }))
	}
	for _, f := range files {
		errs = append(errs, d.file(dir, f.name, f.read))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return d.ledger, d.resolve()
}
