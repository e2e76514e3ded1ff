package data

import (
	"encoding/binary"
	"fmt"
)

// storedLen is the bytes before a set that is stored: how many images there are, big endian.
const storedLen = 4

// AppendStored appends a set as it is, for [Stored] to read in no time. It is for processes of
// one run; [Encode] is for files that are kept.
func AppendStored(b []byte, s Set) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(s.Len()))
	b = append(b, s.Images...)
	return append(b, s.Labels...)
}

// Stored returns the set that b begins with, whose bytes stay those of b, and what is behind it.
func Stored(b []byte) (s Set, rest []byte, err error) {
	if len(b) < storedLen {
		return s, nil, fmt.Errorf("%w: %d bytes, which is less than a length", ErrFormat, len(b))
	}
	n, b := int(binary.BigEndian.Uint32(b)), b[storedLen:]
	if n > MaxImages || len(b) < n*(Pixels+1) {
		return s, nil, fmt.Errorf("%w: %d images in %d bytes", ErrFormat, n, len(b))
	}
	s = Set{Images: b[: n*Pixels : n*Pixels], Labels: b[n*Pixels : n*(Pixels+1) : n*(Pixels+1)]}
	return s, b[n*(Pixels+1):], s.validate()
}
