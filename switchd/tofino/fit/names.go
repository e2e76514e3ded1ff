package fit

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// group is a field or an array of fields, by the name without an index.
type group struct {
	first FieldID
	count int // 0: no array
}

// symbols resolves the names of a program.
type symbols struct {
	*Program
	bad       *refusals
	groups    map[string]group
	headers   map[string]HeaderID
	registers map[string]RegisterID
	actions   map[string]*ir.Action
	declared  map[string]*ir.Table
}

// writable are the intrinsics that a program may set, by side.
var writable = map[string]Side{
	"ig.egress_port": Ingress, "ig.unicast": Ingress, "ig.mcast": Ingress, "ig.multicast": Ingress,
	"ig.rid": Ingress, "ig.xid": Ingress, "ig.qid": Ingress, "ig.drop": Ingress, "ig.resubmit": Ingress,
	"ig.mirror": Ingress, "ig.bypass_egress": Ingress, "eg.drop": Egress,
}

// declare numbers everything that has a name.
func declare(p *ir.Program, bad *refusals) *symbols {
	s := &symbols{
		Program: &Program{Name: p.Name, Source: p},
		bad:     bad,
		groups:  map[string]group{}, headers: map[string]HeaderID{}, registers: map[string]RegisterID{},
		actions: map[string]*ir.Action{}, declared: map[string]*ir.Table{},
	}
	s.declareHeaders()
	for i := range p.Metadata {
		s.field("meta.", &p.Metadata[i], Metadata, NoHeader, 0)
	}
	for i := range ir.Intrinsics {
		s.field("", &ir.Intrinsics[i], Intrinsic, NoHeader, 0)
	}
	for i := range p.Registers {
		s.declareRegister(&p.Registers[i])
	}
	for i := range p.Actions {
		if a := &p.Actions[i]; s.declarable("action", a.Name, s.actions[a.Name] != nil) {
			s.actions[a.Name] = a
		}
	}
	for i := range p.Tables {
		if t := &p.Tables[i]; s.declarable("table", t.Name, s.declared[t.Name] != nil) {
			s.declared[t.Name] = t
		}
	}
	return s
}

// declarable refuses a name that cannot be one or that is taken.
func (s *symbols) declarable(kind, name string, taken bool) bool {
	switch {
	case !wellFormed(name):
		s.bad.add(RuleName, quoted(kind, name), "use letters, digits, - and _", "is no name")
	case taken:
		s.bad.add(RuleName, quoted(kind, name), "rename one", "is declared twice")
	default:
		return true
	}
	return false
}

func wellFormed(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func (s *symbols) declareHeaders() {
	for i := range s.Source.Headers {
		h := &s.Source.Headers[i]
		where := quoted("header", h.Name)
		if _, taken := s.headers[h.Name]; !s.declarable("header", h.Name, taken) {
			continue
		}
		if slices.Contains([]string{"meta", "ig", "eg"}, h.Name) {
			s.bad.add(RuleName, where, "rename it", "has the name of metadata")
			continue
		}
		id, first, bits := HeaderID(len(s.Headers)), FieldID(len(s.Fields)), 0
		for k := range h.Fields {
			bits += s.field(h.Name+".", &h.Fields[k], HeaderField, id, bits)
		}
		if bits == 0 || bits%8 != 0 {
			s.bad.add(RuleForm, where, "pad it", "has %d bits, which are no bytes", bits)
		}
		s.headers[h.Name] = id
		s.Headers = append(s.Headers, Header{Name: h.Name, Bytes: bits / 8, First: first, Len: len(s.Fields) - int(first)})
	}
}

// field declares a field or the elements of an array, and returns their bits.
func (s *symbols) field(prefix string, f *ir.Field, kind Kind, header HeaderID, offset int) int {
	name := prefix + f.Name
	_, taken := s.groups[name]
	if kind != Intrinsic && !s.declarable("field", f.Name, taken) {
		return 0
	}
	n := max(f.Count, 1)
	switch {
	case f.Bits < 1 || f.Bits > 64:
		s.bad.add(RuleForm, quoted("field", name), "cut it in two", "has %d bits; a field has 1 to 64", f.Bits)
		return 0
	case f.Count < 0 || n > maxThings-len(s.Fields):
		s.bad.add(RuleForm, quoted("field", name), "", "is one of too many: a program has at most %d fields", maxThings)
		return 0
	}
	s.groups[name] = group{FieldID(len(s.Fields)), f.Count}
	for i := range n {
		one := Field{Name: copyName(name, f.Count > 0, i), Kind: kind, Header: header, Bits: f.Bits}
		if header != NoHeader {
			one.Offset = offset + i*f.Bits
		}
		s.Fields = append(s.Fields, one)
	}
	return n * f.Bits
}

func (s *symbols) declareRegister(r *ir.Register) {
	if _, taken := s.registers[r.Name]; !s.declarable("register", r.Name, taken) {
		return
	}
	if r.Copies < 0 || r.Copies > maxCopies {
		s.bad.add(RuleForm, quoted("register", r.Name), "", "has %d copies; 12 stages hold at most %d", r.Copies, Stages*StageALUs)
		return
	}
	s.registers[r.Name] = RegisterID(len(s.Registers))
	s.Registers = append(s.Registers, Register{
		Name: r.Name, Vector: r.Copies > 0, Copies: max(r.Copies, 1), Size: r.Size, Bits: r.Bits, Lanes: r.Lanes,
		Actions: r.Actions, Stages: make([]int, max(r.Copies, 1)),
	})
	s.widen(&s.Registers[len(s.Registers)-1], quoted("register", r.Name))
}

// indexed splits "name[3]" and "name[*]"; index is -1 for the star, -2 for none.
func indexed(name string) (base string, index int) {
	base, rest, found := strings.Cut(name, "[")
	if !found {
		return name, -2
	}
	inner, ok := strings.CutSuffix(rest, "]")
	if ok && inner == "*" {
		return base, -1
	}
	if n, err := strconv.Atoi(inner); ok && err == nil && n >= 0 && inner == strconv.Itoa(n) {
		return base, n
	}
	return name, -2
}

// ref resolves the name of a field; copies is how many [*] stands for, 0 where
// it means nothing.
func (s *symbols) ref(where, name string, copies int) (Ref, bool) {
	base, index := indexed(name)
	g, found := s.groups[base]
	none := Ref{ID: NoField}
	switch {
	case !found:
		s.unknown(where, "field", name, keys(s.groups))
	case index == -2 && g.count == 0:
		return Ref{ID: g.first}, true
	case index == -2:
		s.bad.add(RuleName, where, "name one element", "field %q is an array of %d", name, g.count)
	case index >= 0 && index < g.count:
		return Ref{ID: g.first + FieldID(index)}, true
	case index == -1 && copies > 0 && copies <= g.count:
		return Ref{ID: g.first, Step: 1}, true
	case index == -1 && copies == 0:
		s.bad.add(RuleName, where, "give the table copies", "%q stands for the number of a copy, and there are none", name)
	case index == -1:
		s.bad.add(RuleName, where, "", "%q: %d copies, but the field has %d elements", name, copies, g.count)
	default:
		s.bad.add(RuleName, where, "", "%q: the field has %d elements, from 0", name, g.count)
	}
	return none, false
}

// plain resolves the name of one field.
func (s *symbols) plain(where, name string) (FieldID, bool) {
	r, ok := s.ref(where, name, 0)
	return r.ID, ok
}

func (s *symbols) header(where, name string) (HeaderID, bool) {
	if id, ok := s.headers[name]; ok {
		return id, true
	}
	s.unknown(where, "header", name, keys(s.headers))
	return NoHeader, false
}

// register resolves "name", "name[3]" and "name[*]".
func (s *symbols) register(where, name string, copies int) (RegisterRef, bool) {
	base, index := indexed(name)
	id, found := s.registers[base]
	if !found {
		s.unknown(where, "register", name, keys(s.registers))
		return RegisterRef{ID: NoRegister}, false
	}
	r := &s.Registers[id]
	switch {
	case !r.Vector && index == -2:
		return RegisterRef{ID: id}, true
	case r.Vector && index >= 0 && index < r.Copies:
		return RegisterRef{ID: id, First: index}, true
	case r.Vector && index == -1 && copies > 0 && copies <= r.Copies:
		return RegisterRef{ID: id, Step: 1}, true
	}
	s.bad.add(RuleName, where, "name one copy, or [*] in a table with no more copies",
		"%q is no register here: %q has %d copies, the table %d", name, base, r.Copies, copies)
	return RegisterRef{ID: NoRegister}, false
}

func (s *symbols) unknown(where, kind, name string, known []string) {
	s.bad.add(RuleName, where, "declare it, or name another", "there is no %s %q%s", kind, name, suggest.DidYouMean(name, known))
}

// keys returns the names of a map, sorted.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// readable refuses intrinsic metadata of the other side.
func (s *symbols) readable(where string, side Side, r Ref) bool {
	f := &s.Fields[r.ID]
	if f.Kind != Intrinsic || strings.HasPrefix(f.Name, "ig.") == (side == Ingress) {
		return true
	}
	s.bad.add(RuleAccess, where, "carry it over in bridged metadata", "the %s does not have %q", side, f.Name)
	return false
}

// settable refuses intrinsic metadata that the chip alone writes.
func (s *symbols) settable(where string, side Side, r Ref) bool {
	f := &s.Fields[r.ID]
	if writer, ok := writable[f.Name]; f.Kind != Intrinsic || ok && writer == side {
		return true
	}
	s.bad.add(RuleAccess, where, "copy it to metadata", "the %s may not write %q", side, f.Name)
	return false
}
