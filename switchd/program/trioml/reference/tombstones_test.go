package reference

import (
	"testing"

	"pgregory.net/rapid"
)

// The set agrees with a plain map, far blocks and cleared ones included.
func TestTombstones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var set tombstones
		want := map[uint32]bool{}
		blocks := rapid.OneOf(rapid.Uint32Range(0, 200), rapid.Uint32Range(maxTombstones-2, maxTombstones+2), rapid.Uint32())
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			block := blocks.Draw(t, "block")
			switch rapid.IntRange(0, 19).Draw(t, "step") {
			case 0:
				set.clear()
				clear(want)
			default:
				if !set.add(block) {
					t.Fatalf("no room for block %d", block)
				}
				want[block] = true
			}
			if set.n != len(want) {
				t.Fatalf("%d blocks, want %d", set.n, len(want))
			}
			for _, b := range []uint32{block, block ^ 1, block + 64, blocks.Draw(t, "other")} {
				if set.has(b) != want[b] {
					t.Fatalf("block %d: %v, want %v", b, set.has(b), want[b])
				}
			}
		}
	})
}
