package main

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// typeUint8 is the element type of unsigned bytes in an IDX header.
const typeUint8 = 0x08

// maxContent is the most that one file may unpack to; the largest holds
// 60000 images, 47 MB.
const maxContent = 64 << 20

// readIDX returns the elements of a compressed IDX file of unsigned bytes. The
// first dimension counts the entries, the others must be those of want.
func readIDX(path string, want ...uint32) (_ []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	content, err := io.ReadAll(io.LimitReader(z, maxContent))
	if err != nil {
		return nil, fmt.Errorf("decompress %s: %w", path, err)
	}
	elements, err := parseIDX(content, want)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return elements, nil
}

func parseIDX(content []byte, want []uint32) ([]byte, error) {
	header := 4 + 4*(1+len(want))
	if len(content) < header {
		return nil, fmt.Errorf("%d bytes are too few for an IDX header of %d", len(content), header)
	}
	magic := typeUint8<<8 | uint32(1+len(want))
	if got := binary.BigEndian.Uint32(content); got != magic {
		return nil, fmt.Errorf("magic is %#08x, want %#08x (unsigned bytes, %d dimensions)", got, magic, 1+len(want))
	}
	size := int64(binary.BigEndian.Uint32(content[4:]))
	for i, w := range want {
		got := binary.BigEndian.Uint32(content[8+4*i:])
		if got != w {
			return nil, fmt.Errorf("dimension %d is %d, want %d", i+1, got, w)
		}
		size *= int64(w)
	}
	elements := content[header:]
	if int64(len(elements)) != size {
		return nil, fmt.Errorf("%d bytes of elements, the header promises %d", len(elements), size)
	}
	return elements, nil
}
