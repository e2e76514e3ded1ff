package fit

import "slices"

// Who may have which containers. They are in groups of 16, by size: the ALUs of a group read the
// containers of that group alone (p4c: bf-asm/instruction.cpp). The first group of each size is the
// ingress's, the second the egress's, the others are for either (bf-p4c/specs/phv_spec.cpp,
// ingressOnlyMauGroupIds, egressOnlyMauGroupIds). What deparsers read they read by smaller groups,
// each of one side, but for the last of a size (deparserGroupSpec, individuallyAssignedContainers).
const (
	GroupContainers = 16
	ValidityBits    = 256 // of a side: one says whether a header is valid (phv_spec.cpp, numPovBits)
)

// deparserGroup is how many containers of a size a deparser has or has not (phv_spec.cpp).
var deparserGroup = [3]int{8, 8, 4}

// Tagalong containers, which no ALU and no match reads, are in collections, each of one side
// (phv_spec.cpp, tagalongCollectionSpec).
const TagalongCollections = 8

// tagalong is how many containers of each size a collection has.
var tagalong = [3]int{4, 6, 4}

// cell is a container.
type cell struct {
	owner    int // side; nobody
	deparsed int // pieces that the deparser reads
	pieces   []int
}

const nobody = -1

// pool is all containers.
type pool struct {
	cells       [3][]cell // by size and number
	tagalong    [3][]cell
	collections [TagalongCollections]int // side; nobody
}

func newPool() pool {
	var p pool
	for size := range sizes {
		p.cells[size] = slices.Repeat([]cell{{owner: nobody}}, available[size])
		p.tagalong[size] = slices.Repeat([]cell{{owner: nobody}}, TagalongCollections*tagalong[size])
	}
	for i := range p.collections {
		p.collections[i] = nobody
	}
	return p
}

// groupsOf lists the groups that a side may use, its own first: so that the sides meet as late as
// can be, one goes through the others upwards and the other one downwards.
func groupsOf(side Side, size int) []int {
	out := []int{int(side)}
	for g := 2; g < available[size]/GroupContainers; g++ {
		out = append(out, g)
	}
	if side == Egress {
		slices.Reverse(out[1:])
	}
	return out
}

// may reports whether a container is free, or of a side that may put something more there.
func (p *pool) may(side Side, size, number int, deparsed bool) bool {
	if o := p.cells[size][number].owner; o != nobody && o != int(side) {
		return false
	}
	if !deparsed || number >= available[size]-deparserGroup[size] {
		return true
	}
	first := number - number%deparserGroup[size]
	for _, c := range p.cells[size][first : first+deparserGroup[size]] {
		if c.deparsed > 0 && c.owner != int(side) {
			return false
		}
	}
	return true
}

// used counts the containers of a size that a side has.
func used(cells []cell, side Side) (n int) {
	for i := range cells {
		if cells[i].owner == int(side) {
			n++
		}
	}
	return n
}
