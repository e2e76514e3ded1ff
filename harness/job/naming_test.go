package job

import (
	"testing"

	"pgregory.net/rapid"
)

// Every block of every iteration has one name, and slots count their packets
// without a gap.
func TestNamesOfBlocks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := Naming{
			Blocks: rapid.IntRange(1, 50).Draw(rt, "blocks"), Slots: rapid.IntRange(0, 20).Draw(rt, "slots"),
			Lead: rapid.IntRange(0, 1).Draw(rt, "lead"),
		}
		next := map[uint32]uint32{} // by slot
		for iteration := range 3 {
			for slot := range min(n.Slots, n.Blocks) {
				for range n.Lead {
					next[uint32(slot)]++
					if i, b := n.Block(next[uint32(slot)], uint32(slot)); i != iteration || b != NoBlock {
						rt.Fatalf("packet %d of slot %d is block %d of iteration %d, want none of %d", next[uint32(slot)], slot, b, i, iteration)
					}
				}
			}
			for block := range n.Blocks {
				gen, of := n.Packet(iteration, block)
				if i, b := n.Block(gen, of); i != iteration || b != block {
					rt.Fatalf("block %d of iteration %d is named %d, %d, which is block %d of iteration %d", block, iteration, gen, of, b, i)
				}
				if n.Slots == 0 {
					continue
				}
				if next[of]++; gen != next[of] {
					rt.Fatalf("packet %d of slot %d, want %d", gen, of, next[of])
				}
			}
		}
	})
}
