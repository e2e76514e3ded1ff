package clienttest

import (
	"fmt"

	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// Config describes the workers of a job, which are alike.
type Config struct {
	Workers     int
	Threads     int // of each worker
	Outstanding int // packets of a worker on their way (max_outstanding_packets), at least Threads
	Elements    int // values a packet
}

// M is how many packets of a thread are on their way, at most.
func (c *Config) M() int { return c.Outstanding / c.Threads }

// Slots is how many slots of each set the workers need: of each thread's 2M all but the last
// one's upper M, which nobody uses.
func (c *Config) Slots() int { return (2*c.Threads - 1) * c.M() }

// Packet is a packet of a worker.
type Packet struct {
	Worker, Thread int
	Tensor         uint64 // that it names: the low 8 bits are on the wire
	ID             uint32
	Set            uint8
	Slot           uint16
	First          bool // it is sent for the first time

	Contents uint64 // tensor that its values are of: that at hand
}

// Header is that of the packet. Exponents are not modelled.
func (p *Packet) Header(elements int) wire.Header {
	size, _ := wire.SizeOf(elements)
	return wire.Header{Type: wire.TypeConsume, Size: size, Job: uint8(p.Tensor), PacketID: p.ID, Set: p.Set, Slot: p.Slot}
}

// Value is what the packet adds, in each of its values.
func (p *Packet) Value() int32 { return valueOf(p.Worker, p.Thread, p.Contents, p.ID) }

// valueOf is what a worker has there, different from place to place.
func valueOf(worker, thread int, tensor uint64, id uint32) int32 {
	x := uint64(worker+1)<<56 ^ uint64(thread+1)<<48 ^ tensor<<24 ^ uint64(id)
	x *= 0x9e3779b97f4a7c15
	return int32(x >> 32)
}

// Result is a packet of the switch to a thread of a worker. The thread is known by the
// UDP port.
type Result struct {
	Worker, Thread int
	Tensor         uint8
	ID             uint32
	Sum            int32 // of the first value
}

// Client is one worker. Its methods return packets in the order in which they are sent.
type Client struct {
	cfg     Config
	worker  int
	tensor  uint64 // number of the next one
	taken   uint64 // results, of all tensors
	threads []thread
}

// New returns a worker of a configuration, which must be sound.
func New(cfg Config, worker int) *Client {
	c := &Client{cfg: cfg, worker: worker, threads: make([]thread, cfg.Threads)}
	for t := range c.threads {
		c.threads[t] = thread{client: c, number: t, timers: make([]timer, cfg.M()), done: true}
	}
	return c
}

// Begin submits the next tensor. It panics where the one before is not done.
func (c *Client) Begin(values int, floats bool) (out []Packet) {
	if !c.Done() {
		panic(fmt.Sprintf("worker %d begins tensor %d before the last one is done", c.worker, c.tensor))
	}
	c.tensor++
	for t := range c.threads {
		share := values / c.cfg.Threads
		if values%c.cfg.Threads > t {
			share++
		}
		out = append(out, c.threads[t].begin(c.tensor-1, (share+c.cfg.Elements-1)/c.cfg.Elements, floats)...)
	}
	return out
}

// Receive takes a result, and returns the packet that follows.
func (c *Client) Receive(r Result) []Packet { return c.threads[r.Thread].receive(r) }

// Expire has those armed timers expire that pick chooses, of threads that wait for
// results: others do not look at theirs.
func (c *Client) Expire(pick func(Timer) bool) (out []Packet) {
	for t := range c.threads {
		out = append(out, c.threads[t].expire(pick)...)
	}
	return out
}

// Done reports whether the worker has all results of its tensor.
func (c *Client) Done() bool {
	for t := range c.threads {
		if !c.threads[t].done {
			return false
		}
	}
	return true
}

// end returns what is wrong with what a worker that is done has been given for its tensor;
// nil where that is the sums of all workers, or where it is not done.
func (c *Client) end() error {
	if !c.Done() {
		return nil
	}
	for t := range c.threads {
		if wrong := c.threads[t].wrong(); wrong != "" {
			return fmt.Errorf("worker %d, thread %d, tensor %d: %s", c.worker, t, c.tensor-1, wrong)
		}
	}
	return nil
}
