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

// FloatRecorder is a recorder that also keeps what was added as float32: blocks whose sums did not
// fit an int32. A core tells it before [Recorder.Sent] and [Recorder.Delivered] of the generation,
// and what it then says of these elements in int32 counts for nothing. The slices are borrowed until
// the call returns.
type FloatRecorder interface {
	Recorder

	// SentFloats takes what the worker sent as float32, from element lo on of those that are held.
	SentFloats(gen, lo int, g []float32)
	// DeliveredFloats takes sums that came as float32, likewise: added from 0 on in the order of
	// workers, and each sum rounded.
	DeliveredFloats(gen, lo int, sums []float32)
}

// Floats are elements of a tensor as float32: those from Lo on, of those that are held.
type Floats struct {
	Lo     int
	Values []float32
}

// Recorders are several recorders at once. Floats go to those that keep them.
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

// SentFloats hands g to those that keep floats.
func (r Recorders) SentFloats(gen, lo int, g []float32) {
	for _, one := range r {
		if f, ok := one.(FloatRecorder); ok {
			f.SentFloats(gen, lo, g)
		}
	}
}

// DeliveredFloats hands sums to those that keep floats.
func (r Recorders) DeliveredFloats(gen, lo int, sums []float32) {
	for _, one := range r {
		if f, ok := one.(FloatRecorder); ok {
			f.DeliveredFloats(gen, lo, sums)
		}
	}
}
