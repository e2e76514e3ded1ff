// Package check is the oracle of a run. It compares every delivered sum with the tensors
// of its contributors.
//
// Each worker records the quantised tensors that it sent and the integer sums that it
// received, by generation. The switch's trace says which sources are in each block. The
// oracle adds the contributors' integers, with wrapping, and compares each element.
//
//	Sent(w, gen) for w in Contributors(gen, block)  --sum-->  ==  Delivered(v, gen)
//
// A worker that is killed leaves no record of the generation in which it dies, and the one
// that comes in its place records in a file of its own, from a later generation on. Such a
// [Gap] excuses what is not recorded. A sum with a contributor that left no record counts
// as unchecked; all other sums are compared, those in the gap too.
//
// Sums of a protocol that saturates ([Job].Saturates) may come as float32 where they do not fit.
// Such elements are compared, bit for bit, with the float32 sum of the contributors in their
// order, and left out of the comparison of integers. One that does not fit and came as an
// integer all the same is wrong.
//
// It shares no code with the machines except the addition of two integers.
package check
