package gradient

// Recorder keeps what a worker sent and was given, so that a checker can hold
// every delivered sum against the tensors of the contributors. The slices are
// borrowed until the call returns.
type Recorder interface {
	// Sent takes the quantised tensor of one generation: what the worker sent.
	// Blocks that it did not send, since their result came before its turn, may
	// hold anything. A generation without a call is one that it sent nothing of.
	Sent(gen int, q []int32)
	// Delivered takes the integer sums of one generation.
	Delivered(gen int, sums []int32)
}

// Recorders are several recorders at once.
type Recorders []Recorder

// Sent hands q to all of them.
func (r Recorders) Sent(gen int, q []int32) {
	for _, one := range r {
		one.Sent(gen, q)
	}
}

// Delivered hands sums to all of them.
func (r Recorders) Delivered(gen int, sums []int32) {
	for _, one := range r {
		one.Delivered(gen, sums)
	}
}
