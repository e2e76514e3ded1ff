package sansio

import (
	"bytes"

	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Template returns the template, for Emit, of a frame with these headers of UDP: the last
// template if the headers differ from it in lengths and sums only, so that both frames can be one
// train. A frame with an identification of its own stays alone, since trains count these on.
func (e *Effects) Template(last, header []byte) []byte {
	if last != nil && sameFlow(last, header) {
		return last
	}
	t := e.Header(inet.UDPHeaders)
	copy(t, header)
	inet.SetUDPBody(t, 0)
	inet.UDP(t[inet.UDPHeaders-inet.UDPLen:]).SetChecksum(0)
	return t
}

// sameFlow reports whether headers agree in all but lengths and sums, and have no
// identification.
func sameFlow(a, b []byte) bool {
	const total, id, sum, addresses, length = 16, 18, 24, 26, 38 // offsets of IPv4 and UDP fields behind Ethernet
	return b[id] == 0 && b[id+1] == 0 && bytes.Equal(a[:total], b[:total]) && bytes.Equal(a[id:sum], b[id:sum]) &&
		bytes.Equal(a[addresses:length], b[addresses:length])
}

// Content returns how many bytes of a payload in two parts are to be stored. An engine under the
// virtual clock may have seen packets with unstored values, of which at most some bytes were stored.
// What it makes of their zeros is zero, and leaves unstored: everything behind as many bytes.
// Below 0: it has seen no such packet, and all is content.
func Content(stored int, front, tail []byte) int {
	total := len(front) + len(tail)
	if stored < 0 || stored >= total || !vec.Zero(front[min(stored, len(front)):]) || !vec.Zero(tail[max(0, stored-len(front)):]) {
		return total
	}
	return stored
}

// Frame copies a frame in two parts, and returns it as a train: its checksum of IPv4 is right, a
// partial one of the transport is filled in.
func (e *Effects) Frame(front, tail []byte, sum Checksum) Train {
	frame := e.Body(len(front) + len(tail))
	copy(frame[copy(frame, front):], tail)
	t := NewTrain(frame, 0, sum)
	l, problem := inet.Parse(frame)
	if problem != inet.OK {
		t.Checksum = ChecksumAsIs // nothing that a sum could be filled into
		return t
	}
	t.Memory = e.Owner(t.Body)
	inet.IPv4(frame[inet.EtherLen:]).UpdateChecksum()
	if sum == ChecksumPartial && l.End == len(frame) {
		FillPartial(t.Header, len(t.Body))
	}
	return t
}
