package pipeline

// numbers gives out numbers, each as late after it came back as it can: packets that
// are inside the chip may still have it.
type numbers struct {
	first, n uint16 // those from first to first+n-1
	next     uint16 // less first
	used     map[uint16]bool
}

func newNumbers(first, n uint16) numbers {
	return numbers{first: first, n: n, used: map[uint16]bool{}}
}

// take returns a number; ok is false where all are out.
func (u *numbers) take() (v uint16, ok bool) {
	for range u.n {
		v = u.first + u.next
		u.next = (u.next + 1) % u.n
		if !u.used[v] {
			u.used[v] = true
			return v, true
		}
	}
	return 0, false
}

func (u *numbers) free(v uint16) { delete(u.used, v) }
