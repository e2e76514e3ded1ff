package fit

import "math/bits"

// demand is what one copy of a table takes of its stage, apart from what tables
// of a stage can share: fields on the crossbars, hash units and registers.
type demand [NumResources]int

func (d *demand) add(o *demand) {
	for r, n := range o {
		d[r] += n
	}
}

// sramFor returns the blocks that so many entries of so many bits take: whole
// entries in a word, or an entry in several words.
func sramFor(entries, width int) int {
	if entries <= 0 || width <= 0 {
		return 0
	}
	if width > SRAMWord {
		return ceil(width, SRAMWord) * ceil(entries, SRAMWords)
	}
	return ceil(entries, SRAMWord/width*SRAMWords)
}

func ceil(n, d int) int { return (n + d - 1) / d }

// log2Up returns how many bits name n things.
func log2Up(n int) int {
	if n <= 1 {
		return 0
	}
	return bits.Len(uint(n - 1))
}

// demandOf returns what a copy of a table takes.
func demandOf(t *Table) demand {
	var d demand
	d[Tables] = 1
	for i := range t.Actions {
		if len(t.Actions[i].Do) > 0 {
			d[IngressWords+Resource(t.Side)]++
		}
	}
	keyBits, actionBits := 0, 0
	for _, k := range t.Keys {
		keyBits += k.Bits
	}
	for i := range t.Actions {
		n := 0
		for _, p := range t.Actions[i].Params {
			n += p.Bits
		}
		actionBits = max(actionBits, n)
	}
	if len(t.Keys) > 0 {
		overhead := log2Up(len(t.Actions)) // which action
		if actionBits > ImmediateBits {
			overhead += log2Up(t.Size) // where its data are
			d[SRAM] += sramFor(t.Size, 1<<log2Up(actionBits))
		} else {
			overhead += actionBits
		}
		if t.Ternary {
			d[TernaryTables] = 1
			d[TCAM] += ceil(keyBits, TCAMWidth) * ceil(t.Size, TCAMDepth)
			d[SRAM] += sramFor(t.Size, overhead)
		} else {
			d[SRAM] += sramFor(t.Size, keyBits+EntryBits+overhead)
		}
	}
	if t.Counter {
		d[CounterALUs] = 1
		blocks := sramFor(max(t.Size, 1), CounterBits) + SpareBlocks
		d[SRAM] += blocks
		d[MapRAM] += blocks
	}
	return d
}

// demandOfRegister returns what a register takes of the stage where it is.
func demandOfRegister(r *Register) demand {
	var d demand
	blocks := sramFor(r.Size, r.Bits*r.Lanes) + SpareBlocks
	d[ALUs], d[SRAM], d[MapRAM] = 1, blocks, blocks
	return d
}
