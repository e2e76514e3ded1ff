package clienttest

import "fmt"

// thread is one worker thread.
type thread struct {
	client *Client
	number int
	shift  int // place of its next packet 0, modulo 2M
	timers []timer

	tensor uint64
	batch  uint32 // B
	total  uint32
	had    []bool
	sums   []int32
	count  uint32 // results taken
	beyond int
	done   bool
	unread []Result // that came when it was done
}

// timer is one timer, with what its packet is.
type timer struct {
	armed bool
	Timer
}

// Timer is an armed timer.
type Timer struct {
	Packet        // that it sends again
	Age    uint64 // tensors since that which it is of
}

// place returns slot and set of a packet.
func (t *thread) place(id uint32) (slot uint16, set uint8) {
	m := t.client.cfg.M()
	first, at := 2*m*t.number, (t.shift+int(id))%(2*m)
	if at < m {
		return uint16(first + at), 0
	}
	return uint16(first + at - m), 1
}

// packet builds a packet of the tensor at hand.
func (t *thread) packet(id uint32) Packet {
	p := Packet{Worker: t.client.worker, Thread: t.number, Tensor: t.tensor, Contents: t.tensor, ID: id, First: true}
	p.Slot, p.Set = t.place(id)
	return p
}

// begin sends the first batch of a tensor of so many packets; none for an empty share.
func (t *thread) begin(tensor uint64, packets int, floats bool) (out []Packet) {
	t.tensor, t.total, t.count, t.beyond, t.done = tensor, 0, 0, 0, packets == 0
	if t.done {
		t.had, t.sums = nil, nil
		return nil
	}
	t.batch, t.total = uint32(min(t.client.cfg.M(), packets)), uint32(packets)
	if floats {
		t.total += t.batch
	}
	t.had, t.sums = make([]bool, t.total), make([]int32, t.total)
	for id := range t.batch {
		p := t.packet(id)
		out = append(out, p)
		p.ID++ // as the public client has it, before the timer is set
		t.arm(p)
	}
	unread := t.unread
	t.unread = nil
	for _, r := range unread {
		out = append(out, t.receive(r)...)
	}
	return out
}

func (t *thread) at(id uint32) *timer { return &t.timers[int(id)%len(t.timers)] }

func (t *thread) arm(p Packet) {
	p.First = false
	*t.at(p.ID) = timer{armed: true, Timer: Timer{Packet: p}}
}

// receive takes a result and sends the packet that follows, if there is one.
func (t *thread) receive(r Result) []Packet {
	switch known := r.ID < t.total; {
	case t.done:
		t.unread = append(t.unread, r)
		return nil
	case known && t.had[r.ID] || r.Tensor != uint8(t.tensor):
		return nil
	case known:
		t.had[r.ID], t.sums[r.ID] = true, r.Sum
	default:
		t.beyond++
	}
	t.client.taken++
	next := r.ID + t.batch
	t.at(next).armed = false
	var out []Packet
	if next < t.total {
		out = []Packet{t.packet(next)}
		t.arm(out[0])
	}
	if t.count++; t.count == t.total {
		t.done = true
		t.shift = (t.shift + int(t.total)) % (2 * t.client.cfg.M())
	}
	return out
}

func (t *thread) expire(pick func(Timer) bool) (out []Packet) {
	if t.done {
		return nil
	}
	for i := range t.timers {
		x := &t.timers[i]
		x.Age = t.tensor - x.Tensor
		if x.armed && pick(x.Timer) {
			x.Contents = t.tensor
			out = append(out, x.Packet)
		}
	}
	return out
}

// wrong compares what has been written with the sums.
func (t *thread) wrong() string {
	for id, had := range t.had {
		want := int32(0)
		for w := range t.client.cfg.Workers {
			want += valueOf(w, t.number, t.tensor, uint32(id))
		}
		switch {
		case !had:
			return fmt.Sprintf("packet %d was never written", id)
		case t.sums[id] != want:
			return fmt.Sprintf("packet %d is %d, want %d", id, t.sums[id], want)
		}
	}
	if t.beyond > 0 {
		return fmt.Sprintf("%d packets written beyond the tensor", t.beyond)
	}
	return ""
}
