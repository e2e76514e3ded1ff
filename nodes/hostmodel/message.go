package hostmodel

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/roce"
)

// Operations of RoCE packets that end a message: the lower five bits of the opcode,
// the same for every transport (InfiniBand Architecture Specification, vol. 1, §9.2).
const (
	operation    = 0x1f
	sendLast     = 0x02 // these, and the next three: with immediate, only, only with immediate
	sendOnlyImm  = 0x05
	writeLast    = 0x08 // likewise
	writeOnlyImm = 0x0b
)

// messageEnd returns how many of the first n frames of a train there are up to the
// first that ends a message of RoCE, and whether one does. What is no RoCE has no
// messages.
func messageEnd(t *sansio.Train, n int) (frames int, ends bool) {
	if _, udp, ok := t.UDP(); !ok || udp.DstPort() != roce.Port {
		return n, false
	}
	for f := range n {
		if body := t.Payload(f); len(body) >= roce.BTHLen && endsMessage(body[0]&operation) {
			return f + 1, true
		}
	}
	return n, false
}

func endsMessage(op byte) bool {
	return op >= sendLast && op <= sendOnlyImm || op >= writeLast && op <= writeOnlyImm
}
