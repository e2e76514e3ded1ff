package mem

// delayed is which pages have adds that were served and are not done yet. Adds may change places
// with each other, so nobody sees that as long as they are done before anything else looks at the
// page. Done many at a time, they take one walk through the host's memory in place of many.
type delayed struct {
	pages [1 << delayedBits]uint16 // how many machines have adds to do, by a hash of the page
	do    func(page int)
}

const delayedBits = 12

// DelayAdds has a machine tell by [Memory.Delay] of adds that it has yet to do, at rows that are
// known. Before anything but adds looks at a page of them, the memory calls do, which has them done by
// [Memory.AddRow].
func (m *Memory) DelayAdds(do func(page int)) { m.delayed = &delayed{do: do} }

// Delay says that adds to a page are yet to be done.
func (m *Memory) Delay(page int) { *m.delayed.at(page)++ }

// Delayed says that adds to a page, which were told of by [Memory.Delay], are done.
func (m *Memory) Delayed(page int) { *m.delayed.at(page)-- }

// at spreads pages by Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): programs
// keep what they add to at steps of powers of two.
func (d *delayed) at(page int) *uint16 {
	return &d.pages[uint32(page)*2654435769>>(32-delayedBits)]
}

func (d *delayed) settle(page int) {
	if *d.at(page) != 0 {
		d.do(page)
	}
}
