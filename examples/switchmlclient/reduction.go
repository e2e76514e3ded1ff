package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"
)

// The packet, behind UDP: type and size, job byte, packet id (little-endian), set and
// slot, two exponents, values.
const (
	switchPort = 48864
	elements   = 256
	headerLen  = 10
	typeSize   = 1<<4 | 3 // a packet to be added, of 1024 bytes of values
	timeout    = 10 * time.Millisecond
)

// reduction sums one tensor: slot i carries blocks i, i+slots, and so on, one at a
// time, and flips its set with each (SwitchML, Algorithm 4).
type reduction struct {
	*client
	conn  conn
	out   []byte
	next  []int // block on its way, by slot; -1: the slot is done
	sent  []time.Time
	left  int // blocks
	again int
	odd   int // frames that are no results
}

func (r *reduction) run(ctx context.Context) error {
	r.out, r.left = make([]byte, headerLen+4*elements), r.blocks
	for i := range elements {
		binary.BigEndian.PutUint32(r.out[headerLen+4*i:], r.rank+1)
	}
	r.next, r.sent = make([]int, min(r.slots, r.blocks)), make([]time.Time, min(r.slots, r.blocks))
	for slot := range r.next {
		if err := r.send(slot, slot); err != nil {
			return err
		}
	}
	in := make([]byte, 1<<16)
	for r.left > 0 {
		if ctx.Err() != nil {
			return fmt.Errorf("%d of %d blocks lack their sum: %w", r.left, r.blocks, context.Cause(ctx))
		}
		if err := r.conn.SetReadDeadline(time.Now().Add(timeout)); err != nil {
			return err
		}
		n, err := r.conn.Read(in)
		if err == nil {
			err = r.take(in[:n])
		} else if errors.Is(err, os.ErrDeadlineExceeded) {
			err = r.resend()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// send sends a block in a slot.
func (r *reduction) send(slot, block int) error {
	r.next[slot], r.sent[slot] = block, time.Now()
	set := block / len(r.next) % 2
	r.out[0], r.out[1] = typeSize, 0
	binary.LittleEndian.PutUint32(r.out[2:], uint32(block))
	binary.BigEndian.PutUint16(r.out[6:], uint16(set<<15|slot))
	_, err := r.conn.Write(r.out)
	return err
}

// take checks a result; one of a packet that is not on its way is passed over.
func (r *reduction) take(b []byte) error {
	if len(b) != len(r.out) || b[0]&0xf != typeSize&0xf {
		r.odd++
		return nil
	}
	slot, block := int(binary.BigEndian.Uint16(b[6:])&0x3fff), int(binary.LittleEndian.Uint32(b[2:]))
	if slot >= len(r.next) || r.next[slot] != block {
		return nil
	}
	for i := range elements {
		if v := int32(binary.BigEndian.Uint32(b[headerLen+4*i:])); v != r.sum() {
			return fmt.Errorf("value %d of block %d is %d, not %d", i, block, v, r.sum())
		}
	}
	r.left--
	r.next[slot] = -1
	if block += len(r.next); block < r.blocks {
		return r.send(slot, block)
	}
	return nil
}

// resend sends again what has waited too long.
func (r *reduction) resend() error {
	for slot, block := range r.next {
		if block < 0 || time.Since(r.sent[slot]) < timeout {
			continue
		}
		r.again++
		if err := r.send(slot, block); err != nil {
			return err
		}
	}
	return nil
}
