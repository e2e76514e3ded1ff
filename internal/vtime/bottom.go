package vtime

const (
	// bottomMax is how many events the bottom holds. As long as no more are
	// pending, this sorted array is the whole queue. In the hold model, shifting
	// costs as much as the ladder does at 50 to 100 events.
	bottomMax = 64

	// bottomFill is how many events at most the ladder hands down at once.
	bottomFill = 32
)

// bottom holds the first events in order, in a ring: places count modulo 256,
// the size of the array, so that no index can be out of range.
type bottom struct {
	ring  [256]Event
	begin uint8 // place of the first
	end   uint8 // place behind the last
}

func (b *bottom) len() int { return int(b.end - b.begin) }

// at returns the i-th event.
func (b *bottom) at(i uint8) Event { return b.ring[b.begin+i] }

func (b *bottom) first() Event { return b.ring[b.begin] }

func (b *bottom) pop() Event {
	e := b.ring[b.begin]
	b.begin++
	return e
}

func (b *bottom) popLast() Event {
	b.end--
	return b.ring[b.end]
}

// insert puts e behind all that are due before it or with it. It shifts the
// events on the shorter side: those between are often few, as what is pushed is
// mostly due very soon or after all others.
func (b *bottom) insert(e Event) {
	if half := (b.end - b.begin) / 2; b.ring[b.begin+half].At <= e.At {
		b.insertFromEnd(e)
	} else {
		b.insertFromBegin(e)
	}
}

// insertFromEnd relies on an event that is not later than e, or on none at all.
func (b *bottom) insertFromEnd(e Event) {
	i := b.end
	for i != b.begin && b.ring[i-1].At > e.At {
		b.ring[i] = b.ring[i-1]
		i--
	}
	b.ring[i] = e
	b.end++
}

func (b *bottom) insertFromBegin(e Event) {
	i := b.begin
	for i != b.end && b.ring[i].At <= e.At {
		b.ring[i-1] = b.ring[i]
		i++
	}
	b.ring[i-1] = e
	b.begin--
}
