package trio

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/symbol"
	"github.com/inalab/inalab/switchd/trio/lookup"
)

// A term of a filter is written as what it wants of fields, and its value:
//
//	ip->src=10.1.0.0/16 dport=53 value=7
//
// A field is named as the source names it, or by what follows the last -> or dot there. It
// takes VALUE, VALUE/MASK, of 32 bits ADDRESS/LENGTH, or * for any. A field that is left out
// takes any value; the value is 0 where it is left out.

// termValue is what the value of a term is called, and anyMatch a field that takes any.
const (
	termValue = "value"
	anyMatch  = "*"
)

// termFields are the fields of a filter.
type termFields struct {
	table *isa.Table
	list  *isa.FieldList
}

func (p *PFE) termFields(i int) termFields {
	t := &p.cfg.Program.Tables[i]
	return termFields{t, &p.cfg.Program.Fields[t.Fields]}
}

// CheckMatch reports what is wrong with a match of one field of a filter.
func (p *PFE) CheckMatch(filter, field, match string) error {
	i, err := p.table(isa.TableFilter, filter)
	if err != nil {
		return err
	}
	f := p.termFields(i)
	n, err := f.find(field)
	if err != nil {
		return err
	}
	_, err = f.match(n, match)
	return err
}

// parse reads a term.
func (f termFields) parse(text string) (t lookup.Term, err error) {
	t.Match = make([]lookup.Match, len(f.list.Fields))
	given := map[int]bool{} // looked up
	for _, part := range strings.Fields(text) {
		name, value, ok := strings.Cut(part, "=")
		switch {
		case !ok || name == "" || value == "":
			return t, fmt.Errorf("%q: a term is FIELD=MATCH for its fields and %s=NUMBER, with spaces between them", part, termValue)
		case name == termValue:
			t.Value, err = parseTermValue(value)
		default:
			err = f.take(&t, given, name, value)
		}
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// take sets what a term wants of a field, once.
func (f termFields) take(t *lookup.Term, given map[int]bool, name, match string) error {
	i, err := f.find(name)
	if err != nil {
		return err
	}
	if given[i] {
		return fmt.Errorf("field %s is given twice", f.list.Fields[i].Text)
	}
	given[i] = true
	t.Match[i], err = f.match(i, match)
	return err
}

func parseTermValue(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%s %q: it must be a number of up to 32 bits", termValue, text)
	}
	return uint32(n), nil
}

// find returns the number of a field.
func (f termFields) find(name string) (int, error) {
	at, short := -1, 0
	var names []string
	for i := range f.list.Fields {
		text := f.list.Fields[i].Text
		if text == name {
			return i, nil
		}
		if lastPart(text) == name {
			at, short = i, short+1
		}
		names = append(names, text)
	}
	switch short {
	case 1:
		return at, nil
	case 0:
		return 0, fmt.Errorf("filter %s has no field %q: its fields are %s (%v)%s", f.table.Name, name, strings.Join(names, ", "), f.list.Pos, suggest.DidYouMean(name, append(names, lastParts(names)...)))
	}
	return 0, fmt.Errorf("filter %s has %d fields %q: write one of %s (%v)", f.table.Name, short, name, strings.Join(names, ", "), f.list.Pos)
}

// lastPart returns what follows the last -> or dot of a field.
func lastPart(text string) string { return text[strings.LastIndexAny(text, ">.")+1:] }

func lastParts(names []string) (out []string) {
	for _, n := range names {
		out = append(out, lastPart(n))
	}
	return out
}

// match reads what a term wants of a field.
func (f termFields) match(i int, text string) (m lookup.Match, err error) {
	if text == anyMatch {
		return m, nil
	}
	field := &f.list.Fields[i]
	width := field.Width()
	value, mask, masked := strings.Cut(text, "/")
	of := isa.Type{Form: isa.FormBits, Bits: uint64(width)}
	m.Mask = ^uint64(0) >> (isa.RegisterBits - width)
	if m.Value, err = symbol.Parse(of, value); err == nil && masked {
		m.Mask, err = parseMask(of, value, mask)
	}
	if err == nil && m.Value&^m.Mask != 0 {
		m.Value &= m.Mask
		err = fmt.Errorf("%s has bits that its mask has not: write %s", text, formatMatch(width, m))
	}
	if err != nil {
		return m, fmt.Errorf("field %s of filter %s: %w", field.Text, f.table.Name, err)
	}
	return m, nil
}

// addressBits is the width of fields that are written as addresses.
const addressBits = 32

// parseMask reads the mask of a value, or the length of the prefix that an address has.
func parseMask(of isa.Type, value, mask string) (uint64, error) {
	if _, err := netip.ParseAddr(value); err == nil && of.Bits == addressBits && !strings.HasPrefix(mask, "0x") {
		if n, err := strconv.Atoi(mask); err == nil {
			if n < 0 || n > addressBits {
				return 0, fmt.Errorf("%s/%s: a prefix has 0 to %d bits", value, mask, addressBits)
			}
			return uint64(^uint32(0)) << (addressBits - n) & (1<<addressBits - 1), nil
		}
	}
	n, err := symbol.Parse(of, mask)
	if err != nil {
		return 0, fmt.Errorf("mask of %s: %w", value, err)
	}
	return n, nil
}

// formatMatch writes a match as it is read.
func formatMatch(width int, m lookup.Match) string {
	switch whole := m.Mask == ^uint64(0)>>(isa.RegisterBits-width); {
	case m.Mask == 0:
		return anyMatch
	case width == addressBits && bits.OnesCount32(^uint32(m.Mask)) == bits.TrailingZeros32(uint32(m.Mask)):
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(m.Value))
		text := netip.AddrFrom4(b).String()
		if !whole {
			text += "/" + strconv.Itoa(bits.OnesCount32(uint32(m.Mask)))
		}
		return text
	case whole:
		return symbol.Format(isa.Type{Form: isa.FormBits, Bits: uint64(width)}, "", m.Value)
	}
	return fmt.Sprintf("%#x/%#x", m.Value, m.Mask)
}

// format writes a term as it is read, without its name.
func (f termFields) format(t *lookup.Term) string {
	var parts []string
	for i, m := range t.Match {
		if m.Mask != 0 {
			parts = append(parts, f.list.Fields[i].Text+"="+formatMatch(f.list.Fields[i].Width(), m))
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("%s=%d", termValue, t.Value)), " ")
}
