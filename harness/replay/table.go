package replay

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/lookup"
)

// entry is a line of a table of the program: a route, or a term of a filter.
type entry struct {
	table string
	route lookup.Route
	term  *lookup.Term // nil: it is a route
}

// parseRoute reads "TABLE PREFIX = NEXTHOP".
func parseRoute(line string) (*entry, error) {
	name, value, err := nameAndValue(line)
	if err != nil {
		return nil, err
	}
	table, text, _ := strings.Cut(name, " ")
	prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("route TABLE PREFIX = NEXTHOP is needed, as in route ways 10.0.0.0/8 = 4: %w", err)
	}
	hop, err := strconv.ParseUint(value, 0, 32)
	if err != nil {
		return nil, fmt.Errorf("next hop %q: a number of up to 32 bits is needed", value)
	}
	return &entry{table: table, route: lookup.Route{Prefix: prefix, NextHop: uint32(hop)}}, nil
}

// parseTerm reads "TABLE FIELD,FIELD... = VALUE". A field is *, a value, or VALUE/MASK; the
// mask of an IPv4 address may be the length of a prefix.
func parseTerm(line string) (*entry, error) {
	name, value, err := nameAndValue(line)
	if err != nil {
		return nil, err
	}
	table, fields, _ := strings.Cut(name, " ")
	v, err := strconv.ParseUint(value, 0, 32)
	if err != nil {
		return nil, fmt.Errorf("value %q: a number of up to 32 bits is needed", value)
	}
	t := lookup.Term{Name: strings.TrimSpace(fields), Value: uint32(v)}
	for _, f := range strings.Split(fields, ",") {
		m, err := parseMatch(strings.TrimSpace(f))
		if err != nil {
			return nil, err
		}
		t.Match = append(t.Match, m)
	}
	return &entry{table: table, term: &t}, nil
}

func nameAndValue(line string) (name, value string, err error) {
	name, value, ok := strings.Cut(line, "=")
	if name, value = strings.TrimSpace(name), strings.TrimSpace(value); !ok || name == "" || value == "" {
		return "", "", fmt.Errorf("%q: what is matched, =, and a value are needed", line)
	}
	return name, value, nil
}

// exact is the mask of a value that is all of a field, whatever its width.
const exact = ^uint64(0)

func parseMatch(text string) (lookup.Match, error) {
	if text == "*" {
		return lookup.Match{}, nil
	}
	bad := fmt.Errorf("field %q: *, VALUE or VALUE/MASK is needed, with numbers or IPv4 addresses", text)
	first, second, masked := strings.Cut(text, "/")
	value, isAddr, ok := parseField(first)
	switch {
	case !ok:
		return lookup.Match{}, bad
	case !masked && isAddr:
		return lookup.Match{Value: value, Mask: 1<<32 - 1}, nil
	case !masked:
		return lookup.Match{Value: value, Mask: exact}, nil
	}
	mask, maskIsAddr, ok := parseField(second)
	switch {
	case !ok:
		return lookup.Match{}, bad
	case isAddr && !maskIsAddr && mask <= 32:
		mask = (1<<32 - 1) << (32 - mask) & (1<<32 - 1)
	}
	return lookup.Match{Value: value & mask, Mask: mask}, nil
}

func parseField(text string) (v uint64, isAddr, ok bool) {
	if a, err := netip.ParseAddr(text); err == nil && a.Is4() {
		b := a.As4()
		return uint64(b[0])<<24 | uint64(b[1])<<16 | uint64(b[2])<<8 | uint64(b[3]), true, true
	}
	v, err := strconv.ParseUint(text, 0, 64)
	return v, false, err == nil
}

// fill puts an entry into its table. Terms of a filter count in their order.
func (e *entry) fill(program *isa.Program, p *trio.PFE) error {
	if e.term == nil {
		routes, err := p.Routes(e.table)
		if err != nil {
			return err
		}
		return routes.Set(e.route)
	}
	filter, err := p.Filter(e.table)
	if err != nil {
		return err
	}
	e.narrow(program)
	return filter.SetTerms(append(filter.Terms(), *e.term))
}

// narrow gives exact masks the widths of their fields.
func (e *entry) narrow(program *isa.Program) {
	i, _ := program.Table(isa.TableFilter, e.table)
	fields := program.Fields[program.Tables[i].Fields].Fields
	for n := range min(len(e.term.Match), len(fields)) {
		if m := &e.term.Match[n]; m.Mask == exact {
			m.Mask >>= isa.RegisterBits - fields[n].Width()
		}
	}
}
