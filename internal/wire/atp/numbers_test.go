package atp

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Streams have numbers of their own, as many each, and none has 0.
func TestSplit(t *testing.T) {
	for bits := 2; bits <= 10; bits++ {
		for streams := 1; 2*streams < 1<<bits; streams++ {
			all := Split(bits, streams)
			owner := map[uint32]int{}
			for i, n := range all {
				if n.Size != all[0].Size || n.Size == 0 || n.Size%2 != 0 {
					t.Fatalf("%d bits, %d streams: stream %d has %d numbers, the first %d", bits, streams, i, n.Size, all[0].Size)
				}
				for s := n.First; s < n.First+n.Size; s++ {
					if other, taken := owner[s]; taken || s == 0 || s >= 1<<bits {
						t.Fatalf("%d bits, %d streams: stream %d has number %d (taken by %d: %v)", bits, streams, i, s, other, taken)
					}
					owner[s] = i
				}
			}
			for s := range uint32(1<<bits + 10) {
				want, taken := owner[s]
				got := slices.IndexFunc(all, func(n Numbers) bool { return n.Has(s) })
				if !taken {
					want = -1
				}
				if got != want {
					t.Fatalf("%d bits, %d streams: number %d is of stream %d, want %d", bits, streams, s, got, want)
				}
			}
		}
	}
}

func TestSplitOfAll(t *testing.T) {
	if got := Split(SequenceBits, 1); !slices.Equal(got, []Numbers{{1, 1<<24 - 2}}) {
		t.Errorf("one stream has %+v", got)
	}
	if got := Split(4, 2); !slices.Equal(got, []Numbers{{1, 6}, {7, 6}}) {
		t.Errorf("15 numbers are split to %+v", got)
	}
}

// Numbers go up from the first, to the last, and around.
func TestOfWraps(t *testing.T) {
	n := Numbers{First: 7, Size: 6}
	for packet, want := range []uint32{7, 8, 9, 10, 11, 12, 7, 8, 9, 10, 11, 12, 7} {
		if got := n.Of(uint64(packet)); got != want {
			t.Errorf("packet %d has number %d, want %d", packet, got, want)
		}
	}
}

// Packet undoes Of for everything at most half of all numbers behind, and less than half before,
// anywhere: where numbers wrap, and in the first round, where nothing is behind packet 0.
func TestPacketUndoesOf(t *testing.T) {
	for _, n := range []Numbers{{1, 2}, {1, 6}, {7, 6}, {33, 64}} {
		for near := range uint64(4 * n.Size) {
			half := uint64(n.Size / 2)
			for packet := uint64(0); packet < near+half; packet++ {
				if packet+half < near {
					continue
				}
				if got, ok := n.Packet(n.Of(packet), near); !ok || got != packet {
					t.Fatalf("%+v: number %d of packet %d is that of %d (%v) near %d", n, n.Of(packet), packet, got, ok, near)
				}
			}
		}
	}
}

// Nothing is before packet 0.
func TestPacketBeforeTheFirst(t *testing.T) {
	n := Numbers{First: 1, Size: 8}
	for sequence, want := range map[uint32]bool{1: true, 4: true, 5: false, 8: false} {
		if got, ok := n.Packet(sequence, 0); ok != want || ok && got != uint64(sequence-1) {
			t.Errorf("number %d near packet 0 is packet %d, %v", sequence, got, ok)
		}
	}
	if got, ok := n.Packet(8, 3); ok { // 4 behind packet 3 is packet -1
		t.Errorf("number 8 near packet 3 is packet %d", got)
	}
	if got, ok := n.Packet(8, 4); !ok || got != 7 {
		t.Errorf("number 8 near packet 4 is packet %d, %v", got, ok)
	}
}

func TestPacketOfLongStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		streams := rapid.IntRange(1, 100).Draw(t, "streams")
		n := Split(SequenceBits, streams)[rapid.IntRange(0, streams-1).Draw(t, "stream")]
		near := rapid.Uint64Range(1<<24, 1<<50).Draw(t, "near")
		packet := near - uint64(n.Size/2) + rapid.Uint64Range(0, uint64(n.Size)-1).Draw(t, "packet")
		if got, ok := n.Packet(n.Of(packet), near); !ok || got != packet || !n.Has(n.Of(packet)) {
			t.Fatalf("packet %d is %d, %v, near %d of %+v", packet, got, ok, near, n)
		}
	})
}

// The next packet of a number is at or behind the one that is given, by less than all numbers.
func TestNext(t *testing.T) {
	for _, n := range Split(4, 2) {
		for from := range uint64(40) {
			for s := n.First; s < n.First+n.Size; s++ {
				if got := n.Next(s, from); got < from || got >= from+uint64(n.Size) || n.Of(got) != s {
					t.Fatalf("number %d from packet %d on is packet %d, which has number %d", s, from, got, n.Of(got))
				}
			}
		}
	}
}
