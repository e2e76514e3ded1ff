package gradient

import "math"

// Fixed16 is the block scale of SwitchML with 16 bits for a value: two share an
// int32 of a packet, and a switch that adds int32 adds both, since the sums of n
// workers fit 16 bits. It halves the bytes on the wire without help from the
// switch, for 16 - log2(n) bits of precision below the largest value of a block.
//
//	31            16 15             0
//	| first + carry |    second     |   Pack; Unpack takes the carry back
type Fixed16 struct{ Workers int }

// MaxWorkers16 is how many workers leave a value at least 2 bits.
const MaxWorkers16 = 1 << 13

// Factor returns the scaling factor for blocks with magnitudes below 2^e: the
// bound of Appendix E, Theorem 2 with 2^15 in place of 2^31.
func (x Fixed16) Factor(e int8) float64 {
	return blockFactor((1<<15-float64(x.Workers))/float64(x.Workers), e)
}

// Quantise writes round(v*f) for each v of g to q and returns how many values
// saturated: at a worker's share of 16 bits, so that neighbours stay what they are.
func (x Fixed16) Quantise(q []int32, g []float32, f float64) (saturated int) {
	limit := float64((1<<15 - 1) / x.Workers)
	for i, v := range g {
		var ok bool
		if q[i], ok = roundWithin(v, f, limit); !ok {
			saturated++
		}
	}
	return saturated
}

// roundWithin returns round(v*f), at most limit either way; ok is false where that
// changed it, and for what is no number.
func roundWithin(v float32, f, limit float64) (q int32, ok bool) {
	r := math.RoundToEven(float64(float64(v) * f))
	switch {
	case r >= -limit && r <= limit:
		return int32(r), v >= -math.MaxFloat32 && v <= math.MaxFloat32
	case r > limit:
		return int32(limit), false
	case r < -limit:
		return -int32(limit), false
	}
	return 0, false // NaN
}

// Pack puts pairs of q into words; the last has a zero where q has an odd length.
// words has (len(q)+1)/2 elements.
func (Fixed16) Pack(words, q []int32) {
	for i := range words {
		word := q[2*i] << 16
		if 2*i+1 < len(q) {
			word += q[2*i+1]
		}
		words[i] = word
	}
}

// Unpack takes pairs of sums out of words.
func (Fixed16) Unpack(sums, words []int32) {
	for i, word := range words {
		second := int32(int16(word))
		sums[2*i] = (word - second) >> 16
		if 2*i+1 < len(sums) {
			sums[2*i+1] = second
		}
	}
}
