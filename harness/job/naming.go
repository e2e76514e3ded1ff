package job

// Naming says how the packets of a system name the blocks of the tensor.
type Naming struct {
	Blocks int // of the tensor
	Slots  int // not zero: events name a slot, and as generation the packets sent on it so far
	Lead   int // packets on each slot, in each iteration, before those with blocks

	Numbers Numbers // not nil: events name packets by sequence numbers
}

// Numbered is a system whose packets have sequence numbers, which wrap. As generation its
// workers' events have how often that happened, and those of switches and servers 0.
type Numbered interface {
	System
	// Numbers returns what tells blocks from them; a new one each time, since it follows.
	Numbers(j *Job) Numbers
}

// Numbers tells the blocks of a job from sequence numbers.
type Numbers interface {
	// Block returns the iteration and block of a number that comes for the turn-th time, from 0;
	// ok is false if it carries none.
	Block(turn, number uint32) (iteration, of int, ok bool)
	// Follow takes in that a worker came to a number, in the order of time.
	Follow(turn, number uint32)
	// Turn returns which turn is meant by who knows the number alone, close to what was followed.
	Turn(number uint32) uint32
}

// Slotted is a system that names its blocks by slot and phase.
type Slotted interface {
	System
	// Pool returns the size of the pool, and how many packets on each slot come
	// before those that carry blocks, in each iteration of the job.
	Pool(j *Job) (slots, lead int)
}

// Naming returns how the job's events name blocks.
func (j *Job) Naming() Naming {
	n := Naming{Blocks: (j.Params + j.Layout.Block - 1) / j.Layout.Block}
	if s, ok := j.System.(Slotted); ok {
		n.Slots, n.Lead = s.Pool(j)
	}
	if s, ok := j.System.(Numbered); ok {
		n.Numbers = s.Numbers(j)
	}
	return n
}

// NoBlock is the block of a packet that carries none.
const NoBlock = -1

// Block returns the iteration and block that an event's generation and block
// stand for. Slots begin with packet 1, and each carries every Slots-th block.
func (n Naming) Block(gen, block uint32) (iteration, of int) {
	if n.Numbers != nil {
		iteration, of, ok := n.Numbers.Block(gen, block)
		if !ok {
			return 0, NoBlock
		}
		return iteration, of
	}
	if n.Slots == 0 {
		return int(gen), int(block)
	}
	each := (n.Blocks-int(block)+n.Slots-1)/n.Slots + n.Lead
	if gen == 0 || each <= n.Lead {
		return 0, NoBlock
	}
	sent := int(gen - 1)
	k := sent%each - n.Lead
	if k < 0 {
		return sent / each, NoBlock
	}
	return sent / each, int(block) + k*n.Slots
}

// Packet is the inverse of Block where there are no sequence numbers: the generation and block by which events name
// a block of an iteration.
func (n Naming) Packet(iteration, block int) (gen, of uint32) {
	if n.Slots == 0 {
		return uint32(iteration), uint32(block)
	}
	slot := block % n.Slots
	each := (n.Blocks-slot+n.Slots-1)/n.Slots + n.Lead
	return uint32(iteration*each + n.Lead + block/n.Slots + 1), uint32(slot)
}
