package reference

import (
	"encoding/binary"
	"math/bits"

	wire "github.com/inalab/inalab/internal/wire/atp"
)

// claimed returns the workers whose sum a gradient packet to a server claims to bear.
func (r positions) claimed(h *wire.Header) (out uint64) {
	for b := h.Bitmaps[1]; b != 0; b &= b - 1 {
		p := &r[bits.TrailingZeros32(b)]
		for k, w := range p.workers {
			if p.direct || bits.OnesCount32(h.Bitmaps[1]) > 1 || h.Bitmaps[0]>>k&1 != 0 {
				out |= 1 << w
			}
		}
	}
	return out
}

// checkSum checks that values are exactly the sum of some workers in a packet of a stream, or clipped.
func (n *network) checkSum(s *testServer, packet uint64, workers uint64, values []byte, what string) {
	if workers == 0 {
		n.t.Fatalf("a %s of job %d number %d of nobody", what, s.job.id, s.numbers.Of(packet))
	}
	if s.sweeps(packet) {
		return // nobody looks at its values
	}
	for i := range wire.Values {
		got := int32(binary.BigEndian.Uint32(values[4*i:]))
		exact, most, clipped := int64(0), int64(0), false
		for b := workers; b != 0; b &= b - 1 {
			v := int64(s.value(bits.TrailingZeros64(b), packet, i))
			exact += v
			most += max(v, -v)
			clipped = clipped || isEnd(int32(v))
		}
		mayClip := clipped || most >= 1<<31-1
		if int64(got) == exact && !clipped || mayClip && isEnd(got) {
			continue
		}
		n.t.Fatalf("a %s of job %d number %d, packet %d, of workers %b has %d in place %d, want %d", what, s.job.id, s.numbers.Of(packet), packet, workers, got, i, exact)
	}
}

func isEnd(v int32) bool { return v == 1<<31-1 || v == -1<<31 }

// checkTable checks the same of every aggregator of a switch.
func (n *network) checkTable(sw int) {
	for a := range n.switches[sw].held {
		of, m := n.origins[sw][a.Index], a.Part.Mask(a.Bitmap)
		if of.up.id != a.Job || of.server.numbers.Of(of.packet) != a.Sequence {
			n.t.Fatalf("an aggregator of job %d number %d was reserved by job %d packet %d", a.Job, a.Sequence, of.up.id, of.packet)
		}
		n.checkSum(of.server, of.packet, m[0], n.switches[sw].table[a.Index].values, "aggregator")
		if want := bits.OnesCount32(a.Bitmap); a.Count != want || want > a.Part.FanIn {
			n.t.Fatalf("an aggregator with bitmap %b counts %d of %d", a.Bitmap, a.Count, a.Part.FanIn)
		}
	}
}
