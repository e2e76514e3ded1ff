package microcode

import (
	"fmt"

	"github.com/inalab/inalab/switchd/microcode/check"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// Compile makes a program of a complete source; the paper's compiler takes no
// separate modules either (trio §3.1). file is the name in positions.
//
// It takes any bytes. The error is a *syntax.Error, or a syntax.Errors of at
// most ten, each with file:line:col and, where a limit of the engine is
// exceeded, the rule and its source.
func Compile(file, src string) (*isa.Program, error) {
	return CompileFor(isa.Machine{}, file, src)
}

// CompileFor is Compile for another machine than the default one.
func CompileFor(m isa.Machine, file, src string) (*isa.Program, error) {
	m, err := m.Resolved()
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", file, err)
	}
	tree, err := syntax.Parse(file, src)
	if err != nil {
		return nil, err
	}
	return check.Program(tree, m)
}
