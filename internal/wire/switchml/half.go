package switchml

// Limits of 16-bit floats in packets (SwitchML §4.6), the same for workers, who scale, and
// for the switch, which adds fixed-point values in words of 32 bits. They follow from one
// rule: every sum, rounded to a float, fits such a word.
//
//	unit             2^-24, the last bit of the smallest binary16, so that nothing is lost
//	values           magnitudes below HalfLimit = 2: the lower half of the exponents
//	                 (codes 0 to HalfCode), 1 and all that has its exponent among them
//	a value          at most 2047 * 2^14 units, less than 2^25
//	a sum of n       less than n * 2^25 units; of HalfWorkers = 2^5, less than 2^30
//	rounded          at most 2^30: it fits, with its sign
//
// Twice as many workers could reach 2^31, which does not. Workers scale a block by a power of
// two so that its largest magnitude is HalfMost or less, which is exact.
const (
	HalfUnitBits = 24
	HalfCode     = 15
	HalfLimit    = 1 << (HalfCode - 14)
	HalfMost     = 1
	HalfWorkers  = 1 << (30 - HalfUnitBits - (HalfCode - 14))
)
