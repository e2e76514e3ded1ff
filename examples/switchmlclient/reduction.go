package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/inalab/inalab/internal/wire/switchmlproto"
)

// The packet, behind UDP: type and size, job byte, packet id (little-endian), set and
// slot, two exponents, values.
const (
	switchPort = 48864
	headerLen  = 10
	consume    = 1 << 4                // a packet to be added; its size below
	timeout    = 10 * time.Millisecond // of a block sent once; each resend doubles it
	maxTimeout = 640 * time.Millisecond
)

// sizes are those of packets, by their values.
var sizes = map[int]switchmlproto.PacketSize{64: switchmlproto.PacketSize_PACKET_SIZE_256, 256: switchmlproto.PacketSize_PACKET_SIZE_1024}

// reduction sums one tensor: place i carries blocks i, i+slots, and so on, one at a
// time, and flips its set with each (SwitchML, Algorithm 4). Of T threads thread t has M places,
// whose slots are those from 2Mt on.
type reduction struct {
	*client
	conn  conn
	out   []byte
	next  []int // block on its way, by place; -1: the place is done
	sent  []time.Time
	tries []int // how often a place's block was sent again
	left  int   // blocks
	again int
	odd   int // frames that are no results
}

func (r *reduction) run(ctx context.Context) error {
	r.out, r.left = make([]byte, headerLen+4*r.values), r.blocks
	for i := range r.values {
		binary.BigEndian.PutUint32(r.out[headerLen+4*i:], r.rank+1)
	}
	places := min(r.slots, r.blocks)
	r.next, r.sent, r.tries = make([]int, places), make([]time.Time, places), make([]int, places)
	for place := range r.next {
		if err := r.send(place, place); err != nil {
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

// slot returns the slot of a place.
func (r *reduction) slot(place int) int {
	m := r.slots / r.threads
	return place/m*2*m + place%m
}

// send sends a block by a place.
func (r *reduction) send(place, block int) error {
	r.next[place], r.sent[place] = block, time.Now()
	set := block / len(r.next) % 2
	r.out[0], r.out[1] = consume|byte(sizes[r.values]), 0
	binary.LittleEndian.PutUint32(r.out[2:], uint32(block))
	binary.BigEndian.PutUint16(r.out[6:], uint16(set<<15|r.slot(place)))
	_, err := r.conn.Write(r.out)
	return err
}

// take checks a result; one of a packet that is not on its way is passed over.
func (r *reduction) take(b []byte) error {
	if len(b) != len(r.out) || b[0]&0xf != byte(sizes[r.values]) {
		r.odd++
		return nil
	}
	slot, block := int(binary.BigEndian.Uint16(b[6:])&0x3fff), int(binary.LittleEndian.Uint32(b[2:]))
	place := block % len(r.next)
	if r.slot(place) != slot || r.next[place] != block {
		return nil
	}
	for i := range r.values {
		if v := int32(binary.BigEndian.Uint32(b[headerLen+4*i:])); v != r.sum() {
			return fmt.Errorf("value %d of block %d is %d, not %d", i, block, v, r.sum())
		}
	}
	r.left--
	r.next[place], r.tries[place] = -1, 0
	if block += len(r.next); block < r.blocks {
		return r.send(place, block)
	}
	return nil
}

// resend sends again what has waited too long. A switch that is slower than the clients
// would get more and more resends and less and less done, hence the longer waits.
func (r *reduction) resend() error {
	for place, block := range r.next {
		if block < 0 || time.Since(r.sent[place]) < min(timeout<<min(r.tries[place], 10), maxTimeout) {
			continue
		}
		r.again++
		r.tries[place]++
		if err := r.send(place, block); err != nil {
			return err
		}
	}
	return nil
}
