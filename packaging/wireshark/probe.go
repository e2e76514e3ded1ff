package wireshark

import (
	"fmt"
	"math/bits"
)

// field is a field of a header.
type field struct {
	name, label string
	width       int  // bits
	kind        kind // how it is shown
	bias        int  // added to what is stored
	words       []word
	at          place                    // where it is; zero: where put writes it
	put         func(b []byte, v uint64) // writes a header in which the field has a value, and all others are fixed
}

// kind says how a value is shown.
type kind string

// The kinds.
const (
	decimal kind = "DEC"
	hex     kind = "HEX"
	flag    kind = "BOOL"
	signed  kind = "INT"
)

// word is what a value means.
type word struct {
	value int
	text  string
}

// place is where a field is: whole bytes that hold it, and its bits among them.
type place struct {
	offset, length int // bytes
	mask           uint64
	little         bool
}

// maxHeader bounds a header that is probed, in bytes.
const maxHeader = 64

// probe finds where an encoder puts a field.
func (f *field) probe() (place, error) {
	if f.at.length > 0 {
		return f.at, nil
	}
	zero, ones, one := make([]byte, maxHeader), make([]byte, maxHeader), make([]byte, maxHeader)
	f.put(zero, 0)
	f.put(ones, 1<<f.width-1)
	f.put(one, 1)
	first, last, count := -1, -1, 0
	for i := range zero {
		changed := zero[i] ^ ones[i]
		if changed == 0 {
			continue
		}
		if first < 0 {
			first = i
		}
		last, count = i, count+bits.OnesCount8(changed)
	}
	if first < 0 || count != f.width || last-first+1 > 4 {
		return place{}, fmt.Errorf("field %s has %d bits in bytes %d to %d, not %d", f.name, count, first, last, f.width)
	}
	p := place{offset: first, length: last - first + 1}
	p.little = p.length > 1 && zero[first] != one[first] && f.width > 8
	if p.little {
		p.mask = 1<<f.width - 1
		return p, nil
	}
	for i := first; i <= last; i++ {
		p.mask = p.mask<<8 | uint64(zero[i]^ones[i])
	}
	return p, nil
}

// whole reports whether the field fills its bytes.
func (p place) whole() bool { return p.mask == 1<<(8*p.length)-1 }
