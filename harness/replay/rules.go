package replay

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// rule says what is allowed where a fault of a name has ended a thread, one of a packet or another.
func (w *watch) rule(reason string, ofPacket bool) string {
	switch reason {
	case "pfe-lmem-out-of-range":
		return fmt.Sprintf("local memory is bytes 0 to %d (trio §2.2)", isa.LMEMBytes-1)
	case "pfe-xtxn-buffer-out-of-range":
		return fmt.Sprintf("the buffer of an XTXN lies within bytes 0 to %d of local memory (trio §2.2)", isa.LMEMBytes-1)
	case "pfe-xtxn-bad-length", "pfe-bad-memory-access-length":
		return "each XTXN takes lengths of its own (docs/microcode.md, XTXNs)"
	case "pfe-read-not-waited-for":
		return "what an asynchronous read brings is in local memory when XtxnWait is done (docs/microcode.md, XTXNs)"
	case "pfe-return-without-call":
		return "return ends a subroutine that was called"
	case "pfe-call-too-deep":
		return fmt.Sprintf("calls nest at most %d deep (trio §2.2)", isa.CallDepth)
	case "pfe-instruction-limit":
		return fmt.Sprintf("a thread executes at most %d instructions (assumed): does it loop for ever?", w.limit(ofPacket))
	case "pfe-memory-address-out-of-range":
		return "shared memory is words " + ranges(w.layout)
	case "pfe-bad-half-of-a-word":
		return "the half of a word is 0, its first 4 bytes, or 1"
	case "pfe-bad-part-of-the-hash-table":
		return "the part of a scan is below the number of parts, of which there is one at least"
	case "pfe-resident-memory-exhausted":
		return "the host gives no more memory for pages that are written to: declare what the program uses"
	case trio.DropHeadLength:
		return fmt.Sprintf("the head of a created packet has 14 to %d bytes", isa.LMEMBytes-isa.HeadStart)
	case trio.DropTailLength:
		return "a packet has at most 65549 bytes, an Ethernet header and the longest IPv4 packet"
	case trio.DropNoRoom:
		return fmt.Sprintf("packets inside take at most %v", trio.DefaultPacketMemory)
	case trio.DropPush:
		return fmt.Sprintf("%d bytes of headers can be pushed in all, and a packet has at most 65549 bytes (assumed)", isa.HeadRoom)
	case trio.DropPull:
		return "headers are pulled by a byte or more, and 14 bytes of the head are left"
	case trio.DropNoHeader:
		return "headers are those of a packet that is still to be sent"
	case trio.DropNoTail:
		return "TailWrite writes to a packet of PacketCreate"
	}
	return "docs/microcode.md says what ends a thread"
}

// limit returns how many instructions a thread may execute.
func (w *watch) limit(ofPacket bool) uint64 {
	c := &w.run.cfg
	if ofPacket && c.PacketInstructions > 0 {
		return c.PacketInstructions
	}
	return cmp.Or(c.Instructions, trio.DefaultInstructions)
}

// ranges lists the addresses that there are.
func ranges(l mem.Layout) string {
	var list []string
	add := func(r mem.Range, what string) {
		if r.Start < r.End {
			list = append(list, fmt.Sprintf("%#x to %#x (%s)", r.Start, r.End-1, what))
		}
	}
	add(l.SRAM, "SRAM")
	add(l.DRAM, "DRAM")
	add(l.Records, "hash records")
	return strings.Join(list, ", ")
}
