package clienttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// sent shows packets as thread:id@slot/set, those that are sent again with an "r".
func sent(list []Packet) string {
	var out []string
	for _, p := range list {
		again := ""
		if !p.First {
			again = "r"
		}
		out = append(out, fmt.Sprintf("%d:%d@%d/%d%s", p.Thread, p.ID, p.Slot, p.Set, again))
	}
	return strings.Join(out, " ")
}

func wantSent(t *testing.T, what string, list []Packet, want string) {
	t.Helper()
	if got := sent(list); got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func all(Timer) bool { return true }

// give hands a worker the sum of a packet of its tensor.
func (c *Client) give(thread int, id uint32) []Packet {
	x := &c.threads[thread]
	sum := int32(0)
	for w := range c.cfg.Workers {
		sum += valueOf(w, thread, x.tensor, id)
	}
	return c.Receive(Result{Thread: thread, Tensor: uint8(x.tensor), ID: id, Sum: sum})
}

// Two threads with two packets on their way each: slots 0 and 1, 4 and 5. The last thread's
// upper slots are nobody's.
func TestSlotsOfThreads(t *testing.T) {
	cfg := Config{Workers: 1, Threads: 2, Outstanding: 4, Elements: 64}
	if cfg.M() != 2 || cfg.Slots() != 6 {
		t.Errorf("M = %d, %d slots", cfg.M(), cfg.Slots())
	}
	c := New(cfg, 0)
	wantSent(t, "256 values", c.Begin(256, false), "0:0@0/0 0:1@1/0 1:0@4/0 1:1@5/0")
	for th := range 2 {
		c.give(th, 0)
		c.give(th, 1)
	}
	if !c.Done() || c.end() != nil {
		t.Fatal(c.end())
	}
	wantSent(t, "5 packets of one, 4 of the other", c.Begin(9*64, false), "0:0@0/1 0:1@1/1 1:0@4/1 1:1@5/1")
	wantSent(t, "packet 0 brings 2", c.give(0, 0), "0:2@0/0")
	wantSent(t, "2 brings 4", c.give(0, 2), "0:4@0/1")
	wantSent(t, "3 is the last of thread 1", slices.Concat(c.give(1, 1), c.give(1, 3)), "1:3@5/0")
}

// A tensor of fewer values than threads leaves threads idle, and an empty one all: their
// slots stay, tensors count on.
func TestIdleThreads(t *testing.T) {
	c := New(Config{Workers: 1, Threads: 2, Outstanding: 4, Elements: 64}, 0)
	wantSent(t, "one value", c.Begin(1, false), "0:0@0/0")
	c.give(0, 0)
	for range 300 {
		wantSent(t, "no value", c.Begin(0, false), "")
	}
	if out := c.Begin(65, false); sent(out) != "0:0@1/0 1:0@4/0" || out[0].Tensor != 301 || out[0].Header(64).Job != 301&0xff {
		t.Errorf("%s, tensor %d, byte %d", sent(out), out[0].Tensor, out[0].Header(64).Job)
	}
}

// A tensor of floats has a first batch more: of one packet it takes two places.
func TestFloatsHaveABatchMore(t *testing.T) {
	c := New(Config{Workers: 1, Threads: 1, Outstanding: 3, Elements: 64}, 0)
	wantSent(t, "2 packets", c.Begin(100, true), "0:0@0/0 0:1@1/0")
	wantSent(t, "0 and 1 bring 2 and 3", slices.Concat(c.give(0, 0), c.give(0, 1)), "0:2@2/0 0:3@0/1")
	c.give(0, 2)
	c.give(0, 3)
	wantSent(t, "goes on behind", c.Begin(1, true), "0:0@1/1")
}

// A packet of a first batch is sent again with the number and contents of the next one. Others
// are sent again as they are.
func TestFirstBatchIsSentAgainWithTheNextNumber(t *testing.T) {
	c := New(Config{Workers: 1, Threads: 1, Outstanding: 2, Elements: 64}, 0)
	c.Begin(5*64, false)
	out := c.Expire(all) // timer 0 is that of packet 1
	wantSent(t, "first batch", out, "0:2@1/0r 0:1@0/0r")
	if out[1].Value() != valueOf(0, 0, 0, 1) {
		t.Error("it has the contents of packet 0")
	}
	c.give(0, 0) // stops timer 0 and sets it for packet 2
	wantSent(t, "packet 2, and still 0 as 1", c.Expire(all), "0:2@0/1r 0:1@0/0r")
	c.give(0, 1)
	wantSent(t, "packets 2 and 3", c.Expire(all), "0:2@0/1r 0:3@1/1r")
}

// The result of packet i stops timer (i+B) mod M, so that after 2 to M-1 packets timers stay
// armed. They go off in a later tensor, with its contents, unless that sets them: one of a
// packet sets timer 1.
func TestTimersOutliveTheirTensor(t *testing.T) {
	for packets, want := range []string{1: "", 2: "", 3: "0:2@1/0r", 4: "0:3@2/0r", 5: ""} {
		c := New(Config{Workers: 1, Threads: 1, Outstanding: 5, Elements: 64}, 0)
		c.Begin(64*packets, false)
		for id := range uint32(packets) {
			c.give(0, id)
		}
		wantSent(t, fmt.Sprintf("%d packets, done", packets), c.Expire(all), "")
		c.Begin(1, false)
		out := c.Expire(func(t Timer) bool { return t.Age == 1 })
		wantSent(t, fmt.Sprintf("after %d packets", packets), out, want)
		for _, p := range out {
			if p.Tensor != 0 || p.Contents != 1 {
				t.Errorf("after %d packets: of tensor %d, with contents of %d", packets, p.Tensor, p.Contents)
			}
		}
	}
}

// ideal is a switch that knows everything.
type ideal struct {
	n       int
	sums    map[string]int32
	seen    map[string]int
	refuses func(p *Packet) bool
}

func (s *ideal) Handle(p *Packet) (out []Result, late bool) {
	if s.refuses != nil && s.refuses(p) {
		return nil, true
	}
	at := fmt.Sprint(p.Thread, p.Tensor, p.ID)
	if !p.First {
		return nil, false
	}
	s.sums[at] += p.Value()
	if s.seen[at]++; s.seen[at] == s.n {
		for w := range s.n {
			out = append(out, Result{w, p.Thread, uint8(p.Tensor), p.ID, s.sums[at]})
		}
	}
	return out, false
}

func newIdeal(n int) *ideal { return &ideal{n: n, sums: map[string]int32{}, seen: map[string]int{}} }

// A rack tells what a switch does to its workers.
func TestRackTells(t *testing.T) {
	cfg := Config{Workers: 2, Threads: 2, Outstanding: 8, Elements: 64}
	list := []Tensor{{1, false}, {0, true}, {3000, true}, {129, false}}
	r := NewRack(cfg, newIdeal(2))
	r.Waits = func() bool { return true }
	if err := r.Run(list...); err != nil || r.FirstLate != 0 || r.Resent == 0 {
		t.Errorf("%v, %d late, %d sent again", err, r.FirstLate, r.Resent)
	}
	s := newIdeal(2)
	s.refuses = func(p *Packet) bool { return p.Tensor == 2 && p.ID == 0 && p.Worker == 1 }
	if r = NewRack(cfg, s); !errors.Is(r.Run(list...), ErrHangs) || r.FirstLate != 2 {
		t.Errorf("without packet 0: %d late", r.FirstLate)
	}
	s = newIdeal(2)
	s.sums[fmt.Sprint(0, 3, 0)] = 1
	if err := NewRack(cfg, s).Run(list...); err == nil || !strings.Contains(err.Error(), "thread 0, tensor 3: packet 0 is") {
		t.Errorf("with a wrong sum: %v", err)
	}
}
