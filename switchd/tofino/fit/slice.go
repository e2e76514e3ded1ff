package fit

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// cutSlice splits "name[7:4]" into the name and the text between the brackets.
func cutSlice(name string) (field, slice string, found bool) {
	at := strings.LastIndexByte(name, '[')
	if at < 0 || !strings.HasSuffix(name, "]") || !strings.Contains(name[at:], ":") {
		return name, "", false
	}
	return name[:at], name[at+1 : len(name)-1], true
}

// part resolves the name of a field or of a slice of one: its bits from the lowest on.
func (c scope) part(name string) (r Ref, from, bits int, ok bool) {
	field, slice, sliced := cutSlice(name)
	if r, ok = c.ref(c.where, field, c.copies); !ok {
		return r, 0, 0, false
	}
	whole := c.bits(r)
	if !sliced {
		return r, 0, whole, true
	}
	if !c.slices {
		c.bad.add(RuleSlice, c.where, "set metadata to it first", "%q is a slice, which can be set and copied, no more", name)
		return r, 0, 0, false
	}
	var high int
	n, err := fmt.Sscanf(slice, "%d:%d", &high, &from)
	if n != 2 || err != nil || fmt.Sprintf("%d:%d", high, from) != slice || from < 0 || high < from || high >= whole {
		c.bad.add(RuleForm, c.where, fmt.Sprintf("name bits %d to 0, the higher first", whole-1), "%q: the field has %d bits", name, whole)
		return r, 0, 0, false
	}
	return r, from, high - from + 1, true
}

// move resolves a Set, of which both ends may be slices: a deposit of bits into a container.
func (c scope) move(op *Op, o *ir.Op) bool {
	c.slices = true
	return c.dst(op, o, 64) && c.operand(&op.A, o.A, op.DstBits, anyWidth)
}

// overlap finds a field of which two operations of an action write the same bits, in one copy.
func (c scope) overlap(a, b *Op) (FieldID, bool) {
	f, clash := c.clash(a.Dst, b.Dst)
	if clash && a.DstBits > 0 && b.DstBits > 0 && (a.DstFrom+a.DstBits <= b.DstFrom || b.DstFrom+b.DstBits <= a.DstFrom) {
		return NoField, false
	}
	return f, clash
}
