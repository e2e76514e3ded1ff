package pcapfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// blocks reads a pcapng file block by block and passes on those that packets need, each
// when its lengths agree. So no damaged length makes the decoder ask for more memory than
// a block has.
//
//	block = type 4, total length 4, body, total length 4
type blocks struct {
	r      io.Reader
	order  binary.ByteOrder // of the section
	snap   uint32           // most bytes of a packet of the section's first interface; 0: any number
	first  bool             // the section has an interface
	at     int64            // byte of the file where the block starts
	block  []byte           // what is left of it
	end    error            // of the file, when block is empty
	buffer []byte
}

// errCut is the end of the file within a block that is passed over. The decoder takes a bare
// io.ErrUnexpectedEOF between blocks for the end.
var errCut = fmt.Errorf("within a block: %w", io.ErrUnexpectedEOF)

// Types of blocks.
const (
	blockInterface = 1
	blockOldPacket = 2
	blockSimple    = 3
	blockPacket    = 6
	blockSection   = 0x0a0d0d0a
)

// Lengths of blocks, in bytes.
const (
	minBlock    = 12
	maxBlock    = 1 << 20 // assumed: a packet of MaxFrame, and options
	packetFixed = 32      // of a packet's block: all but the packet, its padding and options
	simpleFixed = 16      // of a simple packet's, likewise
)

// Read passes blocks on.
func (b *blocks) Read(p []byte) (int, error) {
	for len(b.block) == 0 {
		if b.end != nil {
			return 0, b.end
		}
		b.next()
	}
	n := copy(p, b.block)
	b.block = b.block[n:]
	return n, nil
}

// next reads a block. Of one that is cut it keeps what is there, for the decoder to find
// that out.
func (b *blocks) next() {
	b.buffer = b.buffer[:0]
	if !b.more(8) {
		return
	}
	kind := binary.BigEndian.Uint32(b.buffer) // the same in both orders where it is a section's
	if kind == blockSection && b.more(minBlock) {
		b.order = binary.LittleEndian
		if bytes.Equal(b.buffer[8:12], []byte{0x1a, 0x2b, 0x3c, 0x4d}) {
			b.order = binary.BigEndian
		}
		b.first = false
	}
	if b.end != nil {
		return
	}
	if kind != blockSection {
		kind = b.order.Uint32(b.buffer)
	}
	total := b.order.Uint32(b.buffer[4:])
	start := b.at
	b.at += int64(total)
	switch {
	case total < minBlock || total%4 != 0:
		b.refuse(start, fmt.Errorf("has %d bytes: blocks have a multiple of 4, %d and more", total, minBlock))
	case !needed(kind):
		b.skip(int64(total) - int64(len(b.buffer)))
	case total > maxBlock:
		b.refuse(start, fmt.Errorf("has %d bytes: at most %d are read", total, maxBlock))
	case b.more(int(total)):
		b.refuse(start, b.check(kind))
	}
}

// needed reports whether packets need a kind of blocks.
func needed(kind uint32) bool {
	switch kind {
	case blockSection, blockInterface, blockOldPacket, blockSimple, blockPacket:
		return true
	}
	return false
}

// more reads the block up to a length; false if the file ends before.
func (b *blocks) more(total int) bool {
	have := len(b.buffer)
	if total > have {
		b.buffer = append(b.buffer, make([]byte, total-have)...)
		n, err := io.ReadFull(b.r, b.buffer[have:])
		b.buffer = b.buffer[:have+n]
		if err != nil {
			b.end = io.EOF
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				b.end = err
			}
		}
	}
	b.block = b.buffer
	return b.end == nil
}

// skip passes over the rest of a block.
func (b *blocks) skip(n int64) {
	b.block = nil
	if _, err := io.CopyN(io.Discard, b.r, n); errors.Is(err, io.EOF) {
		b.end = errCut
	} else if err != nil {
		b.end = err
	}
}

// refuse ends the file at a block that is damaged.
func (b *blocks) refuse(start int64, err error) {
	if err != nil {
		b.block, b.end = nil, fmt.Errorf("the block at byte %d %w", start, err)
	}
}

// check compares the lengths of a block.
func (b *blocks) check(kind uint32) error {
	body := uint32(len(b.buffer))
	var packet uint32
	switch kind {
	case blockInterface:
		if body < 20 {
			return fmt.Errorf("has %d bytes: an interface has 20 and more", body)
		}
		if !b.first {
			b.first, b.snap = true, b.order.Uint32(b.buffer[12:])
		}
		return nil
	case blockPacket, blockOldPacket:
		if body < packetFixed {
			return fmt.Errorf("has %d bytes: a packet's has %d and more", body, packetFixed)
		}
		packet, body = b.order.Uint32(b.buffer[20:]), body-packetFixed
	case blockSimple:
		if body < simpleFixed {
			return fmt.Errorf("has %d bytes: a packet's has %d and more", body, simpleFixed)
		}
		packet, body = b.order.Uint32(b.buffer[8:]), body-simpleFixed
		if b.snap != 0 {
			packet = min(packet, b.snap)
		}
	}
	if packet > body {
		return fmt.Errorf("has a packet of %d bytes, and room for %d", packet, body)
	}
	return nil
}
