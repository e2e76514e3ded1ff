package fit

import (
	"cmp"
	"fmt"
	"slices"
)

// allocate gives every piece its container: first those that instructions bring together, a group
// for each set of them, then what has a size, then what may be cut to what is left.
func (v *vector) allocate() {
	v.pool = newPool()
	v.cut()
	if len(*v.bad) > 0 {
		return
	}
	if !v.clusters() {
		return
	}
	v.assignTagalong()
	if v.assignLoose(); len(*v.bad) == 0 {
		v.list()
	}
}

// clusters assigns the sets of pieces, the largest first.
func (v *vector) clusters() bool {
	sets := make([][]int, len(v.pieces))
	for i := range v.pieces {
		r := v.joined.root(i)
		sets[r] = append(sets[r], i)
	}
	sets = slices.DeleteFunc(sets, func(s []int) bool { return len(s) == 0 })
	slices.SortStableFunc(sets, func(a, b []int) int {
		p, q := &v.pieces[a[0]], &v.pieces[b[0]]
		last := func(p *piece) int {
			if p.fallback {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(last(p), last(q)), cmp.Compare(len(b), len(a)), cmp.Compare(q.size, p.size))
	})
	for _, set := range sets {
		if !v.assignSet(set) {
			return false
		}
	}
	return true
}

// assignSet finds a group for pieces that instructions bring together.
func (v *vector) assignSet(set []int) bool {
	switch {
	case v.anyGroup(set):
		return true
	case v.pieces[set[0]].fallback:
		return v.elsewhere(set[0])
	}
	v.refuseSet(set)
	return false
}

func (v *vector) anyGroup(set []int) bool {
	p := &v.pieces[set[0]]
	return slices.ContainsFunc(groupsOf(p.side, p.size), func(group int) bool { return v.inGroup(set, group) })
}

// elsewhere lets metadata waste a larger container, or cuts it in two.
func (v *vector) elsewhere(n int) bool {
	size := v.pieces[n].size
	for larger := size + 1; larger < len(sizes); larger++ {
		if v.pieces[n].size = larger; v.anyGroup([]int{n}) {
			return true
		}
	}
	p := &v.pieces[n]
	if p.size = size; size == 0 {
		v.refuseSet([]int{n})
		return false
	}
	if p.size--; p.bits <= sizes[p.size] {
		return v.assignSet([]int{n})
	}
	upper := *p
	p.bits = sizes[p.size]
	upper.from, upper.bits = p.from+p.bits, upper.bits-p.bits
	list := &v.parts[p.side][p.field]
	at := v.add(upper)
	*list = slices.Insert(*list, slices.Index(*list, n)+1, at)
	return v.assignSet([]int{n}) && v.assignSet([]int{at})
}

// inGroup puts pieces into containers of a group, or none of them.
func (v *vector) inGroup(set []int, group int) bool {
	for i, n := range set {
		if !v.find(n, group, true) && !v.find(n, group, false) {
			for _, done := range slices.Backward(set[:i]) {
				v.takeBack(done)
			}
			return false
		}
	}
	return true
}

// find puts a piece into a container of a group: one that others are in already, or a free one.
func (v *vector) find(n, group int, shared bool) bool {
	p := &v.pieces[n]
	for i := range GroupContainers {
		number := group*GroupContainers + i
		if p.side == Egress { // from the other end: so the sides meet as late as can be
			number = group*GroupContainers + GroupContainers - 1 - i
		}
		c := &v.pool.cells[p.size][number]
		if shared == (len(c.pieces) > 0) && v.pool.may(p.side, p.size, number, p.deparsed) && v.put(n, c, number) {
			return true
		}
	}
	return false
}

// put puts a piece into a container, if it fits beside what is there.
func (v *vector) put(n int, c *cell, number int) bool {
	p := &v.pieces[n]
	low, ok := v.fits(p, c)
	if !ok {
		return false
	}
	p.low, p.held = low, Container{Bits: sizes[p.size], Number: number}
	c.owner, c.pieces = int(p.side), append(c.pieces, n)
	if p.deparsed {
		c.deparsed++
	}
	return true
}

// takeBack takes the latest piece out of its container.
func (v *vector) takeBack(n int) {
	p := &v.pieces[n]
	c := &v.pool.cells[p.size][p.held.Number]
	if c.pieces = c.pieces[:len(c.pieces)-1]; len(c.pieces) == 0 {
		c.owner = nobody
	}
	if p.deparsed {
		c.deparsed--
	}
}

// refuseSet refuses pieces that no group has room for.
func (v *vector) refuseSet(set []int) {
	p := &v.pieces[set[0]]
	where, bits := v.pieceText(p), sizes[p.size]
	if len(set) > GroupContainers {
		v.bad.add(RuleGroup, where, "copy some of them as a Concat, which goes by the hash units",
			"meets others in instructions, %d containers of %d bits in all in the %s; a group has %d", len(set), bits, p.side, GroupContainers)
		return
	}
	v.refuse(p.side, where, fmt.Sprintf("%d containers of %d bits in one group", len(set), bits))
}

// pieceText names what is in a piece.
func (v *vector) pieceText(p *piece) string {
	switch {
	case p.header != NoHeader:
		return quoted("header", v.Headers[p.header].Name)
	case p.field != NoField:
		return quoted("field", v.Fields[p.field].Name)
	}
	return "validity of headers"
}

// refuse refuses for lack of containers, and says what there is.
func (v *vector) refuse(side Side, where, lack string) {
	var most [2][3]int
	for s := range Side(2) {
		for size := range sizes {
			most[s][size] = used(v.pool.cells[size], s)
		}
	}
	v.bad.add(RulePHV, where, "parse fewer bytes in one pass, or use less metadata",
		"finds no room for %s in the %s; it may have %d of 8, %d of 16 and %d of 32 bits, and has %d, %d and %d; the %s has %d, %d and %d",
		lack, side, gressContainers(0), gressContainers(1), gressContainers(2), most[side][0], most[side][1], most[side][2],
		1-side, most[1-side][0], most[1-side][1], most[1-side][2])
}

// gressContainers is how many containers of a size a side can have.
func gressContainers(size int) int { return available[size] - GroupContainers }
