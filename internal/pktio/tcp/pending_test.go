package tcp

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// The queue must be the queue that two appends make.
func TestPendingIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pending
		var want []byte
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				b := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "bytes")
				p.push(b)
				want = append(want, b...)
			},
			"pop": func(t *rapid.T) {
				n := rapid.IntRange(0, len(want)).Draw(t, "n")
				p.pop(n)
				want = want[n:]
			},
			"": func(t *rapid.T) {
				if !bytes.Equal(p.bytes(), want) || p.len() != len(want) {
					t.Fatalf("queue holds %x, want %x", p.bytes(), want)
				}
			},
		})
	})
}

func TestPendingReusesItsMemory(t *testing.T) {
	var p pending
	for range 10_000 {
		p.push(make([]byte, 100))
		if p.len() > 500 {
			p.pop(100)
		}
	}
	if cap(p.buf) > 4096 {
		t.Errorf("memory of %d bytes for a queue of %d", cap(p.buf), p.len())
	}
}
