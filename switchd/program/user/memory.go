package user

import (
	"fmt"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Write writes elements of a symbol in shared memory, between two calls of the machine. An
// error names the symbol and where it is declared, and nothing was written.
func (e *Engine) Write(i Initial) error {
	s, ok := e.program.Symbol(i.Symbol)
	if !ok || !s.Kind.Shared() {
		names := sharedNames(e.program)
		return fmt.Errorf("program %s has no %q in shared memory: it has %q%s", e.program.Name, i.Symbol, names, suggest.DidYouMean(i.Symbol, names))
	}
	if s.Kind == isa.SymbolPolicer {
		return e.setPolicer(s, i)
	}
	words := s.Size / s.Len / mem.WordBytes // of an element
	switch {
	case i.Rate != 0 || i.Burst != 0:
		return fmt.Errorf("%v: %s is no policer: leave rate and burst out", s.Pos, s.Name)
	case i.At < 0 || uint64(i.At) >= s.Len || uint64(len(i.Values)) > (s.Len-uint64(i.At))*words:
		return fmt.Errorf("%v: %s has %d elements of %d words: %d values from element %d on do not fit", s.Pos, s.Name, s.Len, words, len(i.Values), i.At)
	case uint64(len(i.Values))%words != 0:
		return fmt.Errorf("%v: %s has elements of %d words, and %d values are not whole elements", s.Pos, s.Name, words, len(i.Values))
	}
	at := mem.Addr(s.Value + uint64(i.At)*words)
	for k, v := range i.Values {
		if f := e.Memory().Store(at+mem.Addr(k), v); f != mem.NoFault {
			return fmt.Errorf("%v: writing element %d of %s: %v", s.Pos, i.At+k/int(words), s.Name, f)
		}
	}
	return nil
}

func (e *Engine) setPolicer(s isa.Symbol, i Initial) error {
	switch {
	case len(i.Values) > 0 || i.Rate <= 0 || i.Burst <= 0:
		return fmt.Errorf("%v: %s is a policer: give it rate and burst above 0, and no values", s.Pos, s.Name)
	case i.At < 0 || uint64(i.At) >= s.Len:
		return fmt.Errorf("%v: %s has %d elements: there is no element %d", s.Pos, s.Name, s.Len, i.At)
	}
	at := mem.Addr(s.Value) + mem.Addr(i.At)*mem.PolicerBytes/mem.WordBytes
	if f := e.Memory().SetPolicer(at, i.Rate, i.Burst, 0); f != mem.NoFault {
		return fmt.Errorf("%v: setting element %d of %s: %v", s.Pos, i.At, s.Name, f)
	}
	return nil
}

func sharedNames(prog *isa.Program) (names []string) {
	for _, s := range prog.Symbols {
		if s.Kind.Shared() {
			names = append(names, s.Name)
		}
	}
	return names
}
