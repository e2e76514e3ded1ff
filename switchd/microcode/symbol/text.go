package symbol

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// Widths of addresses, whose text is taken for fields of that width.
const (
	ipv4Bits = 32
	macBits  = 48
)

// Parse reads the value of a number: decimal, 0x, 0b, true or false; of 32 bits also an
// IPv4 address, of 48 bits a MAC. A value that the type cannot hold is an error.
func Parse(t isa.Type, text string) (uint64, error) {
	if t.Form == isa.FormArray || t.Form == isa.FormRecord {
		return 0, fmt.Errorf("%s is no number: name one of its %s", describe(&t), partsOf(&t))
	}
	n, err := number(t, text)
	if err != nil {
		return 0, err
	}
	if uint64(bits.Len64(n)) > t.Bits {
		return 0, fmt.Errorf("%s does not fit %d bits: the most is %d", text, t.Bits, most(t.Bits))
	}
	return n, nil
}

func most(width uint64) uint64 { return 1<<width - 1 } // of 64 the shift gives 0

func number(t isa.Type, text string) (uint64, error) {
	switch text {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		return n, nil
	}
	if a, err := netip.ParseAddr(text); err == nil && a.Is4() && t.Bits == ipv4Bits {
		b := a.As4()
		return uint64(binary.BigEndian.Uint32(b[:])), nil
	}
	if n, ok := parseMAC(text); ok && t.Bits == macBits {
		return n, nil
	}
	allowed := "a number from 0 on, in decimal or as 0x, 0b, or true or false"
	switch t.Bits {
	case ipv4Bits:
		allowed += ", or an IPv4 address"
	case macBits:
		allowed += ", or a MAC"
	}
	return 0, fmt.Errorf("value %q: it must be %s", text, allowed)
}

// parseMAC reads six bytes in hexadecimal with colons between them.
func parseMAC(text string) (n uint64, ok bool) {
	parts := strings.Split(text, ":")
	if len(parts) != macBits/8 {
		return 0, false
	}
	for _, p := range parts {
		b, err := strconv.ParseUint(p, 16, 8)
		if err != nil {
			return 0, false
		}
		n = n<<8 | b
	}
	return n, true
}

func partsOf(t *isa.Type) string {
	if t.Form == isa.FormArray {
		return fmt.Sprintf("%d elements, as [0]", t.Len)
	}
	var names []string
	for _, f := range t.Fields {
		names = append(names, f.Name)
	}
	return "fields, which are " + few(names)
}

// Format writes a number so that [Parse] reads it: of 48 bits as a MAC; of 32 bits as an IPv4
// address, if the name of its field is addr or ends in _addr; else in decimal.
func Format(t isa.Type, field string, n uint64) string {
	field = field[strings.LastIndexByte(field, '.')+1:]
	switch {
	case t.Form == isa.FormBool:
		return strconv.FormatBool(n != 0)
	case t.Bits == macBits:
		return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", byte(n>>40), byte(n>>32), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	case t.Bits == ipv4Bits && (field == "addr" || strings.HasSuffix(field, "_addr")):
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(n))
		return netip.AddrFrom4(b).String()
	}
	return strconv.FormatUint(n, 10)
}

// ParseKey reads a key of the hash table: one number, or the fields of its type separated
// by commas.
func ParseKey(p *isa.Program, id isa.TypeID, text string) (key uint64, err error) {
	parts := strings.Split(text, ",")
	leaves, _ := Leaves(p, id)
	if len(parts) == 1 && len(leaves) > 1 {
		if key, err := strconv.ParseUint(text, 0, 64); err == nil {
			return key, nil // all of it at once
		}
	}
	t, _ := p.Type(id)
	if len(parts) != len(leaves) {
		return 0, fmt.Errorf("key %q: %s has %d fields, %s", text, t.Name, len(leaves), leafNames(leaves))
	}
	for i, l := range leaves {
		n, err := Parse(l.Type, strings.TrimSpace(parts[i]))
		if err != nil {
			return 0, fmt.Errorf("key %q: %w", text, err)
		}
		key |= n << (t.Bits - l.Bit - l.Type.Bits)
	}
	return key, nil
}

// FormatKey writes a key as ParseKey reads it.
func FormatKey(p *isa.Program, id isa.TypeID, key uint64) string {
	t, _ := p.Type(id)
	var parts []string
	leaves, _ := Leaves(p, id)
	for _, l := range leaves {
		n := key >> (t.Bits - l.Bit - l.Type.Bits) & most(l.Type.Bits)
		parts = append(parts, Format(l.Type, l.Name, n))
	}
	return strings.Join(parts, ",")
}

func leafNames(leaves []Leaf) string {
	var names []string
	for _, l := range leaves {
		names = append(names, l.Name)
	}
	return few(names)
}
