package trio

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/lookup"
)

// Entries of tables have names, as records of the hash table have:
//
//	ROUTES[10.1.0.0/16]      a route: its next hop
//	REFUSED[web]             a term of a filter, by its name
//	REFUSED[0].ip->src       what the first one wants of a field
//	REFUSED[0].value         the number that the program gets
//
// none takes an entry out. A new term comes behind all others.

// noEntry is what is written in place of an entry that goes.
const noEntry = "none"

// tableEntry is what a name of an entry means.
type tableEntry struct {
	n          int // of the table
	decl       *isa.Table
	key, field string
}

// tableNamed finds a table by a name with what follows it; false: there is none.
func (p *PFE) tableNamed(path string) (e tableEntry, rest string, ok bool) {
	name := path
	if i := strings.IndexAny(path, ".["); i >= 0 {
		name, rest = path[:i], path[i:]
	}
	for i := range p.cfg.Program.Tables {
		if t := &p.cfg.Program.Tables[i]; t.Name == name {
			return tableEntry{n: i, decl: t}, rest, true
		}
	}
	return e, "", false
}

// split reads the key and the field of an entry.
func (e *tableEntry) split(rest string) error {
	end := strings.IndexByte(rest, ']')
	if !strings.HasPrefix(rest, "[") || end < 2 || end+1 < len(rest) && rest[end+1] != '.' {
		return dataplane.Refuse(dataplane.RefusedName, "name an entry, as "+e.example(), "%s%s names no entry of the %v that is declared at %v", e.decl.Name, rest, e.decl.Kind, e.decl.Pos)
	}
	e.key, e.field = rest[1:end], strings.TrimPrefix(rest[end+1:], ".")
	return nil
}

func (e *tableEntry) example() string {
	if e.decl.Kind == isa.TableRoutes {
		return e.decl.Name + "[10.1.0.0/16]"
	}
	return e.decl.Name + "[0]"
}

// refuse refuses a write of an entry, naming its table and where that is declared.
func (e *tableEntry) refuse(reason dataplane.Reason, fix, format string, args ...any) error {
	return dataplane.Refuse(reason, fix, "%s: %s (%v %s is declared at %v)", e.name(), fmt.Sprintf(format, args...), e.decl.Kind, e.decl.Name, e.decl.Pos)
}

func (e *tableEntry) name() string {
	if e.field == "" {
		return fmt.Sprintf("%s[%s]", e.decl.Name, e.key)
	}
	return fmt.Sprintf("%s[%s].%s", e.decl.Name, e.key, e.field)
}

// setEntry changes an entry of a table, makes one, or takes it out.
func (p *PFE) setEntry(e tableEntry, rest string, w dataplane.Write) (out dataplane.Written, err error) {
	if err := e.split(rest); err != nil {
		return out, err
	}
	out = dataplane.Written{Name: w.Name, Type: e.decl.Kind.String()}
	if e.decl.Kind == isa.TableRoutes {
		err = p.setRoute(&e, w, &out)
	} else {
		err = p.setTerm(&e, w, &out)
	}
	if err != nil {
		return dataplane.Written{}, err
	}
	return out, nil
}

// fixCreate says what to do about an entry that is not there.
const fixCreate = "\"inalab switch show records\" lists those that are there; --create makes one"

// prefixOfKey reads the prefix of a route; an address is one of 32 bits.
func (e *tableEntry) prefixOfKey() (netip.Prefix, error) {
	if a, err := netip.ParseAddr(e.key); err == nil && a.Is4() {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	to, err := netip.ParsePrefix(e.key)
	if err != nil || e.field != "" {
		return to, e.refuse(dataplane.RefusedName, "name it by its prefix, as "+e.example(), "there is no such route")
	}
	return to, nil
}

// setRoute writes the next hop of a prefix.
func (p *PFE) setRoute(e *tableEntry, w dataplane.Write, out *dataplane.Written) error {
	to, err := e.prefixOfKey()
	if err != nil {
		return err
	}
	routes := p.tables.routes[e.n]
	was, found := routes.Get(to)
	if out.Was = strconv.FormatUint(uint64(was), 10); !found {
		out.Was = noEntry
		if !w.Create || w.Value == noEntry {
			return e.refuse(dataplane.RefusedRecord, fixCreate, "there is no such route")
		}
	}
	if out.Is = w.Value; w.Value == noEntry {
		routes.Remove(to)
		return nil
	}
	hop, err := strconv.ParseUint(w.Value, 0, 32)
	if err != nil || hop >= MaxNextHops {
		return e.refuse(dataplane.RefusedValue, "give the number of a next hop, or "+noEntry, "%q: allowed are 0 to %d", w.Value, MaxNextHops-1)
	}
	if err := routes.Set(lookup.Route{Prefix: to, NextHop: uint32(hop)}); err != nil {
		reason := dataplane.RefusedNoRoom
		if routes.Len() < routes.Cap() {
			reason = dataplane.RefusedName
		}
		return e.refuse(reason, "correct it", "%v", err)
	}
	out.Is, out.Created = strconv.FormatUint(hop, 10), !found
	return nil
}

// setTerm writes a term of a filter, or a part of one.
func (p *PFE) setTerm(e *tableEntry, w dataplane.Write, out *dataplane.Written) error {
	filter, fields := p.tables.filters[e.n], p.termFields(e.n)
	if e.field != "" && e.field != termValue {
		if _, err := fields.find(e.field); err != nil {
			return dataplane.Refuse(dataplane.RefusedName, "name a field, or value", "%s: %v", w.Name, err)
		}
	}
	terms := slices.Clone(filter.Terms())
	at, err := e.termAt(terms)
	if err != nil {
		return err
	}
	out.Was = noEntry
	if at == len(terms) {
		if !w.Create || w.Value == noEntry || e.field != "" {
			return e.refuse(dataplane.RefusedRecord, fixCreate, "there is no such term")
		}
		out.Created = true
		terms = append(terms, lookup.Term{Name: e.termName()})
	} else {
		terms[at].Match = slices.Clone(terms[at].Match)
		out.Was = partOf(fields, &terms[at], e.field)
	}
	if w.Value == noEntry && e.field == "" {
		terms, out.Is = slices.Delete(terms, at, at+1), noEntry
	} else {
		if err := changeTerm(fields, &terms[at], e.field, w.Value); err != nil {
			return e.refuse(dataplane.RefusedValue, "give a term as \"dst=10.1.0.0/16 value=1\", or what one of its fields takes", "%v", err)
		}
		out.Is = partOf(fields, &terms[at], e.field)
	}
	if err := filter.SetTerms(terms); err != nil {
		return e.refuse(dataplane.RefusedNoRoom, "take one out, or declare a larger filter", "%v", err)
	}
	return nil
}

// termAt returns the number of a term; that behind the last one is of a term that is not there.
func (e *tableEntry) termAt(terms []lookup.Term) (int, error) {
	if n, err := strconv.ParseUint(e.key, 0, 32); err == nil {
		if n > uint64(len(terms)) {
			return 0, e.refuse(dataplane.RefusedRecord, fixCreate, "there are %d terms, and the next one is %d", len(terms), len(terms))
		}
		return int(n), nil
	}
	if strings.ContainsAny(e.key, "[ \t") {
		return 0, e.refuse(dataplane.RefusedName, "call it by a word", "%q cannot be the name of a term", e.key)
	}
	if i := slices.IndexFunc(terms, func(t lookup.Term) bool { return t.Name == e.key }); i >= 0 {
		return i, nil
	}
	return len(terms), nil
}

// termName returns the name that a new term gets: none where it is called by its number.
func (e *tableEntry) termName() string {
	if _, err := strconv.ParseUint(e.key, 0, 32); err == nil {
		return ""
	}
	return e.key
}

// changeTerm writes a part of a term, or all of it but its name.
func changeTerm(f termFields, t *lookup.Term, field, text string) (err error) {
	switch field {
	case "":
		next, err := f.parse(text)
		if err == nil {
			t.Match, t.Value = next.Match, next.Value
		}
		return err
	case termValue:
		t.Value, err = parseTermValue(text)
		return err
	}
	i, err := f.find(field)
	if err != nil {
		return err
	}
	t.Match = append(t.Match, make([]lookup.Match, len(f.list.Fields)-len(t.Match))...)
	t.Match[i], err = f.match(i, text)
	return err
}

// partOf writes a part of a term, or all of it.
func partOf(f termFields, t *lookup.Term, field string) string {
	switch field {
	case "":
		return f.format(t)
	case termValue:
		return strconv.FormatUint(uint64(t.Value), 10)
	}
	i, err := f.find(field)
	if err != nil || i >= len(t.Match) {
		return anyMatch
	}
	return formatMatch(f.list.Fields[i].Width(), t.Match[i])
}
