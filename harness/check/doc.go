// Package check is the dumb oracle of a run: it holds every delivered sum
// against the tensors of those who contributed to it.
//
// Each worker records the quantised tensor that it sent and the integer sums
// that it was given, generation by generation; the switch's trace says which
// sources are in each block. The oracle adds the contributors' integers, with
// wrapping, and compares element by element.
//
//	Sent(w, gen) for w in Contributors(gen, block)  --sum-->  ==  Delivered(v, gen)
//
// It shares no code with the machines that it checks, but for the addition of
// two integers.
package check
