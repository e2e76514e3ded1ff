package symbol

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/microcode/isa"
)

// A Place is what a name with fields and indexes stands for.
type Place struct {
	Name   string // as it was given
	Symbol isa.Symbol
	Type   isa.Type // of a constant the zero value
	Keyed  bool     // one record of the hash table, that of Key
	Key    uint64
	Index  uint64 // of an element of the symbol
	Whole  bool   // no index is given: the whole of an array or of a hash table
	Bit    uint64 // from the start of the element, or of the record
}

// Stride returns the bits from one element of the symbol to the next.
func (p *Place) Stride() uint64 {
	s := &p.Symbol
	if s.Kind.Shared() {
		return s.Size * 8 / s.Len
	}
	return s.Size / max(s.Len, 1)
}

// maxPath bounds the bytes of a name with its fields and indexes (assumed).
const maxPath = 1 << 10

// Find resolves NAME, followed by any of .FIELD and [INDEX]. The index of a record of the
// hash table is its key: the fields of the key, separated by commas. An error names the
// part that is not there, with the nearest that is.
func Find(p *isa.Program, path string) (Place, error) {
	if len(path) > maxPath {
		return Place{}, fmt.Errorf("a name of %d bytes: at most %d are possible", len(path), maxPath)
	}
	name, rest := cut(path)
	s, ok := p.Symbol(name)
	if !ok {
		names := Names(p)
		return Place{}, fmt.Errorf("program %s has no %q: its names are %s%s", p.Name, name, few(names), suggest.DidYouMean(name, names))
	}
	f := finder{p, Place{Name: path, Symbol: s, Whole: s.Len > 1 || s.Kind == isa.SymbolHash}, s.Type}
	f.at.Type, _ = p.Type(s.Type)
	for rest != "" {
		var err error
		if rest, err = f.step(rest); err != nil {
			return Place{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	return f.at, nil
}

// cut divides a path before its first field or index.
func cut(path string) (name, rest string) {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// Names lists the names of a program in the order of its source, and behind them its tables of
// routes and filters.
func Names(p *isa.Program) (out []string) {
	for _, s := range p.Symbols {
		out = append(out, s.Name)
	}
	for _, t := range p.Tables {
		out = append(out, t.Name)
	}
	return out
}

// few lists words, of many the first.
func few(words []string) string {
	const most = 12
	if len(words) == 0 {
		return "none"
	}
	if n := len(words); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), n-most)
	}
	return strings.Join(words, ", ")
}

// A finder walks along a path.
type finder struct {
	program *isa.Program
	at      Place
	typ     isa.TypeID // of at
}

// step follows one field or index.
func (f *finder) step(rest string) (string, error) {
	if rest[0] == '.' {
		name, rest := cut(rest[1:])
		return rest, f.field(name)
	}
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return "", fmt.Errorf("the bracket %q is not closed", rest)
	}
	text := rest[1:end]
	if rest = rest[end+1:]; rest != "" && rest[0] != '.' && rest[0] != '[' {
		return "", fmt.Errorf("%q stands behind a bracket: a field begins with a dot", rest)
	}
	if f.at.Whole && f.at.Symbol.Kind == isa.SymbolHash {
		return rest, f.key(text)
	}
	return rest, f.index(text)
}

func (f *finder) set(id isa.TypeID) {
	f.typ = id
	f.at.Type, _ = f.program.Type(id)
}

func (f *finder) field(name string) error {
	t := &f.at.Type
	if f.at.Whole {
		return fmt.Errorf("%s has many elements: name one, as %s[...]", f.at.Symbol.Name, f.at.Symbol.Name)
	}
	if t.Form != isa.FormRecord {
		return fmt.Errorf("%s has no fields", describe(t))
	}
	var names []string
	for _, m := range t.Fields {
		if m.Name == name {
			f.at.Bit += m.Bit
			f.set(m.Type)
			return nil
		}
		names = append(names, m.Name)
	}
	return fmt.Errorf("%s has no field %q: its fields are %s%s", t.Name, name, few(names), suggest.DidYouMean(name, names))
}

func (f *finder) index(text string) error {
	t := &f.at.Type
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return fmt.Errorf("index %q: it must be a number", text)
	}
	if f.at.Whole {
		if n >= f.at.Symbol.Len {
			return fmt.Errorf("index %d: %s has %d elements, from 0 on", n, f.at.Symbol.Name, f.at.Symbol.Len)
		}
		f.at.Whole, f.at.Index = false, n
		return nil
	}
	switch {
	case t.Form != isa.FormArray && n == 0 && f.at.Name == f.at.Symbol.Name+"["+text+"]":
		return nil // the one there is
	case t.Form != isa.FormArray:
		return fmt.Errorf("%s has no elements", describe(t))
	case n >= t.Len:
		return fmt.Errorf("index %d: %s has %d elements, from 0 on", n, t.Name, t.Len)
	}
	e, _ := f.program.Type(t.Elem)
	f.at.Bit += n * e.Bits
	f.set(t.Elem)
	return nil
}

// key takes the key of a record of the hash table.
func (f *finder) key(text string) error {
	s := &f.at.Symbol
	key, err := ParseKey(f.program, s.Key, text)
	if err != nil {
		return err
	}
	if o, ok := OfKey(f.program, key); !ok || o.Name != s.Name {
		return fmt.Errorf("key %#x is of other records than %s: see the declarations from %v on", key, s.Name, s.Pos)
	}
	f.at.Whole, f.at.Keyed, f.at.Key = false, true, key
	return nil
}

// OfKey returns the symbol of the records of a key of the hash table: the first whose
// declaration is about that key.
func OfKey(p *isa.Program, key uint64) (isa.Symbol, bool) {
	for _, s := range p.Symbols {
		if s.Kind == isa.SymbolHash && s.When.Holds(key) {
			return s, true
		}
	}
	return isa.Symbol{}, false
}

func describe(t *isa.Type) string {
	if t.Name == "" {
		return "a constant"
	}
	return t.Name
}
