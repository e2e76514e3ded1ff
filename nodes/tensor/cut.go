package tensor

// Cut is a tensor cut into chunks of equal size, as far as that is possible:
// chunk i of n holds elements i*N/n to (i+1)*N/n - 1.
type Cut struct {
	elements []int // in front of each chunk, and in all
	values   []int // of these, those that carry content
}

// NewCut cuts a tensor of so many elements. Of a chunk of m elements the first
// m/sample, rounded up, carry values; sample 0 and 1 mean all of them.
func NewCut(elements, chunks, sample int) Cut {
	sample = max(1, sample)
	c := Cut{elements: make([]int, chunks+1), values: make([]int, chunks+1)}
	for i := range chunks {
		c.elements[i+1] = (i + 1) * elements / chunks
		m := c.elements[i+1] - c.elements[i]
		c.values[i+1] = c.values[i] + (m+sample-1)/sample
	}
	return c
}

// Values returns how many elements of the tensor carry values.
func (c Cut) Values() int { return c.values[len(c.values)-1] }

// Part returns chunks i to j-1.
func (c Cut) Part(i, j int) Part {
	p := Part{Lo: wordLen * c.values[i], Hi: wordLen * c.values[j]}
	p.Unstored = wordLen*(c.elements[j]-c.elements[i]) - (p.Hi - p.Lo)
	return p
}

const wordLen = 4 // bytes of an element

// Part is a run of chunks: bytes Lo to Hi-1 of the values, and Unstored
// bytes behind them.
type Part struct{ Lo, Hi, Unstored int }

// Bytes returns the length of the part.
func (p Part) Bytes() int { return p.Hi - p.Lo + p.Unstored }

// Slice is a part of a part.
type Slice struct {
	Part
	Off  int  // bytes in front of it
	Last bool // none are behind it
}

// Slice returns at most so many bytes of the part from an offset on.
func (p Part) Slice(off, most int) Slice {
	n := min(most, p.Bytes()-off)
	lo, hi := min(p.Lo+off, p.Hi), min(p.Lo+off+n, p.Hi)
	return Slice{Part: Part{Lo: lo, Hi: hi, Unstored: n - (hi - lo)}, Off: off, Last: off+n == p.Bytes()}
}
