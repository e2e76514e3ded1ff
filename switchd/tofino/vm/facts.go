package vm

import "github.com/inalab/inalab/switchd/tofino/fit"

// Facts are bits that are known of the first bytes of a packet behind a pass, whatever packet took the same way
// through the control: a [Runner] that knows ways notes them with the packet, for its next pass.
type Facts struct {
	Mask, Value []byte // Value has no bits that Mask lacks
}

// Learn notes bits of a field of a header that begins at some byte.
func (f *Facts) Learn(r *Ref, at int, mask, value uint64) {
	first := 8*at + r.begin() // bit
	for i := range int(r.Bits) {
		if mask>>(int(r.Bits)-1-i)&1 == 0 {
			continue
		}
		n, bit := (first+i)/8, byte(1)<<(7-(first+i)%8)
		for n >= len(f.Mask) {
			f.Mask, f.Value = append(f.Mask, 0), append(f.Value, 0)
		}
		f.Mask[n] |= bit
		if value>>(int(r.Bits)-1-i)&1 != 0 {
			f.Value[n] |= bit
		}
	}
}

// Known returns what is known of a field of a header that begins at some byte.
func (f *Facts) Known(r *Ref, at int) (mask, value uint64) {
	first := 8*at + r.begin()
	for i := range int(r.Bits) {
		mask, value = mask<<1, value<<1
		if n, shift := (first+i)/8, 7-(first+i)%8; n < len(f.Mask) {
			mask |= uint64(f.Mask[n] >> shift & 1)
			value |= uint64(f.Value[n] >> shift & 1)
		}
	}
	return mask, value
}

// Facts returns what is known of the packet as it came to the pass; nil: nothing.
func (s *Pass) Facts() *Facts { return s.packet.facts }

// SetFacts says what is known of the packet behind the control: of its bytes, and of what the ingress tells, but for
// the port; nil: nothing.
func (s *Pass) SetFacts(f *Facts, v *Verdict) { s.facts, s.fixed = f, v }

// Begins returns where a header begins that the parser has found, in bytes from the first of the packet.
// It is to be asked before the control runs.
func (s *Pass) Begins(h fit.HeaderID) int { return int(s.heads[h].at) - s.packet.off }

// Filled returns the fields that the deparser of a side fills in.
func (c *Code) Filled(side fit.Side) (out []fit.FieldID) {
	for _, sum := range c.sides[side].checksums {
		out = append(out, sum.id)
	}
	return out
}
