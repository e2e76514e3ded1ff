package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// maxErrors is how many errors of one source are reported.
const maxErrors = 10

// Program compiles a tree for a machine, which is resolved. The error is a
// syntax.Errors in the order of the source.
func Program(f *syntax.File, m isa.Machine) (*isa.Program, error) {
	c := &checker{
		types: builtinTypes(), names: map[string]*symbol{}, labels: map[string]int{}, jumps: map[*symbol][]int{}, ids: map[typeKey]isa.TypeID{},
		prog: &isa.Program{Name: f.Name, AddBytes: m.AddBytes},
	}
	c.prelude()
	c.declareTypes(f)
	c.declareLabels(f)
	c.declareNames(f)
	c.collectJumps(f)
	c.instructions(f)
	c.entries(f)
	if len(c.errs) == 0 {
		c.flow()
	}
	if len(c.errs) == 0 {
		c.awaits()
	}
	if len(c.errs) > 0 {
		return nil, c.sorted()
	}
	return c.prog, nil
}

// A checker compiles one source.
type checker struct {
	types   map[string]*dataType
	later   map[string]bool    // types that the source declares somewhere
	names   map[string]*symbol // but labels
	labels  map[string]int     // instruction
	first   []string           // label of each instruction; empty: none
	jumps   map[*symbol][]int  // instructions that a label variable can hold
	storage storage
	prog    *isa.Program
	ids     map[typeKey]isa.TypeID // of the types of prog
	ends    []syntax.Pos           // of the instructions
	in      *instruction           // the one being compiled, nil outside
	errs    syntax.Errors
	steps   int  // of following calls
	library bool // the prelude is being declared
}

// errorf reports an error, and returns the bad value.
func (c *checker) errorf(pos syntax.Pos, format string, args ...any) value {
	return c.report(&syntax.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// A rule is a limit of the language or the engine, with its source.
type rule struct{ text, source string }

// rulef is errorf with the rule that is broken.
func (c *checker) rulef(pos syntax.Pos, r rule, format string, args ...any) value {
	return c.report(&syntax.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Rule: r.text, Source: r.source})
}

func (c *checker) report(e *syntax.Error) value {
	if !c.full() {
		c.errs = append(c.errs, e)
	}
	return value{}
}

func (c *checker) sorted() syntax.Errors {
	slices.SortStableFunc(c.errs, func(a, b *syntax.Error) int {
		return cmp.Or(a.Pos.Line-b.Pos.Line, a.Pos.Col-b.Pos.Col)
	})
	return c.errs
}

// full reports that no further error would be reported.
func (c *checker) full() bool { return len(c.errs) >= maxErrors }

// didYouMean ends an error about a name that is not among the keys.
func didYouMean[T any](c *checker, name string, known map[string]T) string {
	if c.full() {
		return ""
	}
	return suggest.DidYouMean(name, slices.Sorted(maps.Keys(known)))
}

func place(p syntax.Pos) isa.Pos { return isa.Pos(p) }
