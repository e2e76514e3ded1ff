package atp

// Numbers are the sequence numbers of one stream: a range of all those of its job, which its
// packets go through in turn, again and again. The packets themselves are counted from 0.
type Numbers struct {
	First uint32 // at least 1
	Size  uint32 // even
}

// Split divides the numbers of a job among streams. They have so many bits, at most
// [SequenceBits]; 0 is left out, which is how a switch's memory says that an aggregator is free.
func Split(bits, streams int) []Numbers {
	size := (uint32(1)<<bits - 1) / uint32(streams) &^ 1
	out := make([]Numbers, streams)
	for i := range out {
		out[i] = Numbers{1 + uint32(i)*size, size}
	}
	return out
}

// Has reports whether a number is of the stream.
func (n Numbers) Has(sequence uint32) bool { return sequence-n.First < n.Size }

// Of returns the number of a packet.
func (n Numbers) Of(packet uint64) uint32 { return n.First + uint32(packet%uint64(n.Size)) }

// Next returns the first packet from one on that has a number of the stream.
func (n Numbers) Next(sequence uint32, from uint64) uint64 {
	size := uint64(n.Size)
	return from + (uint64(sequence-n.First)+size-from%size)%size
}

// Packet returns the packet of a number of the stream that is closest to another packet: at most
// half of all numbers behind it, and less than half before. Behind packet 0 there is none: false.
func (n Numbers) Packet(sequence uint32, near uint64) (packet uint64, ok bool) {
	size := uint64(n.Size)
	ahead := (uint64(sequence-n.First) + size - near%size) % size
	if ahead < size/2 {
		return near + ahead, true
	}
	return near + ahead - size, near+ahead >= size
}
