package vtime

import "github.com/inalab/inalab/internal/units"

// link is the place of a node in its pool; 0 is none.
type link int32

// node is an event in a list. It has no pointer: the garbage collector does not
// look into a pool.
type node struct {
	at     units.Time
	target int32
	next   link
}

// list is a chain of nodes of a pool, oldest push first.
type list struct {
	head, tail link
	count      int32
}

// poolKeep is the number of nodes (16 bytes each) that a pool keeps although
// they are not in use: bursts of some thousand events allocate once, not each
// time.
const poolKeep = 1 << 14

// pool holds the nodes of all lists of a ladder.
type pool struct {
	nodes []node // nodes[0] is not used
	free  link   // chain of nodes in no list
}

// put returns a node for an event.
func (p *pool) put(e Event) link {
	if i := p.free; i != 0 {
		n := &p.nodes[i]
		p.free = n.next
		*n = node{at: e.At, target: e.Target}
		return i
	}
	if len(p.nodes) == cap(p.nodes) {
		p.resize(max(2*cap(p.nodes), 64))
	}
	p.nodes = append(p.nodes, node{at: e.At, target: e.Target})
	return link(len(p.nodes) - 1)
}

func (p *pool) resize(capacity int) {
	nodes := make([]node, max(len(p.nodes), 1), capacity)
	copy(nodes, p.nodes)
	p.nodes = nodes
}

// clear forgets all nodes, none of which is in a list.
func (p *pool) clear() {
	p.free = 0
	p.nodes = p.nodes[:min(len(p.nodes), 1)]
}

func (p *pool) pushBack(l *list, i link) {
	p.nodes[i].next = 0
	if l.count == 0 {
		l.head = i
	} else {
		p.nodes[l.tail].next = i
	}
	l.tail = i
	l.count++
}

func (p *pool) pushFront(l *list, i link) {
	if l.count == 0 {
		l.tail = i
	}
	p.nodes[i].next = l.head
	l.head = i
	l.count++
}

// takeFront takes the first event of a list that has one.
func (p *pool) takeFront(l *list) Event {
	i := l.head
	n := &p.nodes[i]
	e := Event{n.at, n.target}
	l.head = n.next
	l.count--
	n.next = p.free
	p.free = i
	return e
}

// moveTo moves the nodes of a list to another pool.
func (p *pool) moveTo(to *pool, l *list) {
	var moved list
	for l.count > 0 {
		to.pushBack(&moved, to.put(p.takeFront(l)))
	}
	*l = moved
}
