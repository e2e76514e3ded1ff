package switchml

import (
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/internal/vec"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
)

// Values is what the values of packets are.
type Values string

// The kinds of values. A word of a packet holds one int32, or two of 16 bits.
const (
	Int32   Values = "int32"   // scaled to 32 bits; the default
	Fixed16 Values = "fixed16" // two scaled to 16 bits in an int32, by hosts alone: gradient.Fixed16
	Half    Values = "half"    // two IEEE 754 binary16, for a switch in its 16-bit mode (§4.6): gradient.Half
)

// Kinds are the names of all kinds of values, the default first.
func Kinds() []string { return []string{string(Int32), string(Fixed16), string(Half)} }

func (v Values) twoPerWord() bool { return v == Fixed16 || v == Half }

// Count returns how many values so many words hold.
func (v Values) Count(words int) int {
	if v.twoPerWord() {
		return 2 * words
	}
	return words
}

func (v Values) validate(workers int) error {
	switch v {
	case "", Int32:
	case Fixed16:
		if workers > gradient.MaxWorkers16 {
			return fmt.Errorf("%d workers whose sums are to fit 16 bits: %s values allow %d", workers, v, gradient.MaxWorkers16)
		}
	case Half:
		if workers > wire.HalfWorkers {
			return fmt.Errorf("%d workers: %s values allow %d, whose sums of magnitudes below %d fit the 32 bits that the switch adds in: use %s", workers, v, wire.HalfWorkers, wire.HalfLimit, Fixed16)
		}
	default:
		return fmt.Errorf("values %q: allowed are %s, %s, %s", string(v), Int32, Fixed16, Half)
	}
	return nil
}

// exponent returns what a worker tells of a block.
func (c *Core) exponent(g []float32) int8 {
	if c.cfg.Values.twoPerWord() {
		return gradient.Exponent(g)
	}
	return c.cfg.Scaling.Exponent(g)
}

// quantise scales a block by the agreed exponent. It returns the factor, of units
// that sums are in, and how many values saturated.
func (c *Core) quantise(q []int32, g []float32, e int8) (f float64, saturated int) {
	n := c.cfg.Workers
	switch c.cfg.Values {
	case Fixed16:
		x := gradient.Fixed16{Workers: n}
		f = x.Factor(e)
		return f, x.Quantise(q, g, f)
	case Half:
		x := gradient.Half{Workers: n}
		f = x.Factor(e)
		return f, x.Quantise(q, g, f)
	}
	f = c.cfg.Scaling.Factor(n, e)
	return f, c.cfg.Scaling.Quantise(q, g, f)
}

// put writes values to a packet, and zeros behind the last.
func (c *Core) put(dst []byte, q []int32) {
	used := 4 * len(q)
	switch c.cfg.Values {
	case Fixed16:
		words := c.words[:(len(q)+1)/2]
		gradient.Fixed16{Workers: c.cfg.Workers}.Pack(words, q)
		used = 4 * len(words)
		vec.PutBE(dst[:used], words)
	case Half:
		used = 2 * len(q)
		for i, v := range q {
			binary.BigEndian.PutUint16(dst[2*i:], gradient.FixedToHalf(v))
		}
	default:
		vec.PutBE(dst[:used], q)
	}
	clear(dst[used:])
}

// get reads sums from a packet.
func (c *Core) get(sums []int32, src []byte) {
	switch c.cfg.Values {
	case Fixed16:
		words := c.words[:(len(sums)+1)/2]
		vec.GetBE(words, src[:4*len(words)])
		gradient.Fixed16{Workers: c.cfg.Workers}.Unpack(sums, words)
	case Half:
		for i := range sums {
			v, ok := gradient.HalfToFixed(binary.BigEndian.Uint16(src[2*i:]))
			if !ok {
				c.count.Add(CountUnfit, 1)
			}
			sums[i] = v
		}
	default:
		vec.GetBE(sums, src[:4*len(sums)])
	}
}
