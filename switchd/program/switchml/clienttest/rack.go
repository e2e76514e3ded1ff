package clienttest

import (
	"errors"
	"fmt"
	"slices"
)

// Switch is what is tested. It returns the results of a packet in the order in which it
// sends them, and whether it has dropped the packet as late.
type Switch interface {
	Handle(p *Packet) (results []Result, late bool)
}

// Tensor is what all workers reduce.
type Tensor struct {
	Values int
	Floats bool
}

// Rack is the workers of a job and their switch, with a wire to and from each worker. Wires
// keep their order and lose nothing. Timers expire where nothing else can happen, and where
// one of these functions says so; each may be nil.
type Rack struct {
	Switch Switch
	Choose func(n int) int       // which of n things happens next, 0 to n-1; nil: the first
	Stale  func(age uint64) bool // whether a timer set so many tensors ago expires once a worker's first batch is out
	Waits  func() bool           // whether timers of a worker expire that waits for a peer which has not begun its tensor

	FirstLate int // packets that were sent for the first time, and dropped as late
	Resent    int // packets that were not

	clients []*Client
	begun   []int // tensors of the list at hand, by worker
	up      [][]Packet
	down    [][]Result
}

// ErrHangs is that workers are not done though all their timers expire again and again.
var ErrHangs = errors.New("hangs")

// rounds is how often all timers expire in vain until a rack hangs: more often than any
// program here takes to let a packet pass that it has dropped before.
const rounds = 64

// NewRack returns the workers of a configuration in front of a switch.
func NewRack(cfg Config, s Switch) *Rack {
	r := &Rack{Switch: s, up: make([][]Packet, cfg.Workers), down: make([][]Result, cfg.Workers)}
	for w := range cfg.Workers {
		r.clients = append(r.clients, New(cfg, w))
	}
	return r
}

// Run has all workers reduce tensors, one after another. Each begins the next one when it is
// done. Run returns the first thing that goes wrong; the rack is of no use then.
func (r *Rack) Run(tensors ...Tensor) error {
	r.begun = make([]int, len(r.clients))
	for vain := 0; vain < rounds; vain++ {
		before := r.taken()
		for moved := true; moved; {
			var err error
			if moved, err = r.move(tensors); err != nil {
				return err
			}
			r.wait()
		}
		if r.done() {
			return nil
		}
		if r.taken() > before {
			vain = 0
		}
		for w := range r.clients {
			r.expire(w, func(Timer) bool { return true })
		}
	}
	return fmt.Errorf("tensor %d %w", r.clients[0].tensor-1, ErrHangs)
}

// move lets one thing happen: a worker begins its next tensor, or a packet or a result comes
// to its end.
func (r *Rack) move(tensors []Tensor) (moved bool, err error) {
	var can []func() error
	for w, c := range r.clients {
		if len(r.up[w]) > 0 {
			can = append(can, func() error { return r.rise(w) })
		}
		if len(r.down[w]) > 0 {
			can = append(can, func() error { return r.fall(w) })
		}
		if c.Done() && r.begun[w] < len(tensors) {
			can = append(can, func() error { return r.begin(w, tensors[r.begun[w]]) })
		}
	}
	if len(can) == 0 {
		return false, nil
	}
	i := 0
	if r.Choose != nil {
		i = r.Choose(len(can))
	}
	return true, can[i]()
}

func (r *Rack) begin(w int, t Tensor) error {
	c := r.clients[w]
	r.begun[w]++
	r.up[w] = append(r.up[w], c.Begin(t.Values, t.Floats)...)
	if r.Stale != nil {
		r.expire(w, func(t Timer) bool { return t.Age > 0 && r.Stale(t.Age) })
	}
	return c.end()
}

// wait lets workers send again that wait for a peer which has not begun their tensor, so that
// no slot is complete.
func (r *Rack) wait() {
	last := slices.Min(r.begun)
	for w, c := range r.clients {
		if r.Waits == nil || c.Done() || r.begun[w] == last || len(r.up[w])+len(r.down[w]) > 0 || !r.Waits() {
			continue
		}
		r.expire(w, func(t Timer) bool { return t.Age == 0 })
		for len(r.up[w]) > 0 {
			_ = r.rise(w) // it ends nothing
		}
	}
}

// rise takes a packet to the switch.
func (r *Rack) rise(w int) error {
	p := r.up[w][0]
	r.up[w] = r.up[w][1:]
	out, late := r.Switch.Handle(&p)
	switch {
	case !p.First:
		r.Resent++
	case late:
		r.FirstLate++
	}
	for _, at := range out {
		r.down[at.Worker] = append(r.down[at.Worker], at)
	}
	return nil
}

// fall takes a result to its worker.
func (r *Rack) fall(w int) error {
	at := r.down[w][0]
	r.down[w] = r.down[w][1:]
	c := r.clients[w]
	r.up[w] = append(r.up[w], c.Receive(at)...)
	return c.end()
}

func (r *Rack) expire(w int, pick func(Timer) bool) {
	r.up[w] = append(r.up[w], r.clients[w].Expire(pick)...)
}

// done reports whether all workers have all results: where nothing else can happen, of all
// tensors.
func (r *Rack) done() bool {
	return !slices.ContainsFunc(r.clients, func(c *Client) bool { return !c.Done() })
}

// taken is how many results the workers have taken.
func (r *Rack) taken() (n uint64) {
	for _, c := range r.clients {
		n += c.taken
	}
	return n
}
