package rates

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// rig is a tree of negotiators over a network that loses, repeats and delays messages.
type rig struct {
	nodes  map[ID]*Node
	cfg    map[ID]Config
	ids    []ID
	now    units.Time
	flying []flight
	fate   func() (copies int, delay units.Duration) // of the next message
	sent   int
	check  func() error
}

type flight struct {
	at   units.Time
	n    int // order of equal times
	from ID
	send Send
}

func newRig(configs []Config) (*rig, error) {
	r := &rig{nodes: map[ID]*Node{}, cfg: map[ID]Config{}, check: func() error { return nil },
		fate: func() (int, units.Duration) { return 1, units.Millisecond }}
	for _, c := range configs {
		n, err := New(c)
		if err != nil {
			return nil, err
		}
		r.nodes[c.ID], r.cfg[c.ID] = n, c
		r.ids = append(r.ids, c.ID)
	}
	return r, nil
}

// do calls a node and takes its messages to the network.
func (r *rig) do(id ID, call func(n *Node)) error {
	call(r.nodes[id])
	for _, s := range r.nodes[id].Sends() {
		copies, delay := r.fate()
		for range copies {
			r.sent++
			r.flying = append(r.flying, flight{at: r.now.Add(delay), n: r.sent, from: id, send: s})
			_, delay = r.fate()
		}
	}
	return r.check()
}

// run lets time pass until an instant, or until nothing happens any more.
func (r *rig) run(until units.Time) error {
	for {
		at, id := units.Never, ID(0)
		for _, i := range r.ids {
			if d := r.nodes[i].NextDeadline(); d < at {
				at, id = d, i
			}
		}
		first := -1
		for i, f := range r.flying {
			if f.at <= at && (first < 0 || f.at < r.flying[first].at || f.at == r.flying[first].at && f.n < r.flying[first].n) {
				first = i
			}
		}
		if first >= 0 {
			at = r.flying[first].at
		}
		if at > until || at == units.Never {
			if until != units.Never {
				r.now = max(r.now, until)
			}
			return nil
		}
		r.now = max(r.now, at)
		if err := r.step(first, id); err != nil {
			return err
		}
	}
}

func (r *rig) step(first int, id ID) error {
	if first < 0 {
		return r.do(id, func(n *Node) { n.Expire(r.now) })
	}
	f := r.flying[first]
	r.flying = slices.Delete(r.flying, first, first+1)
	return r.do(f.send.To, func(n *Node) {
		if f.send.Request != nil {
			n.Request(r.now, f.from, f.send.Request)
		} else {
			n.Notice(r.now, f.from, f.send.Notice)
		}
	})
}

// granted checks that what children may send never exceeds the ingress bandwidth of a parent.
func (r *rig) granted() error {
	for _, p := range r.ids {
		sum := units.Rate(0)
		for _, c := range r.cfg[p].Children {
			sum += r.nodes[c].Rate()
		}
		if in := r.nodes[p].cfg.Ingress; len(r.cfg[p].Children) > 0 && sum > in {
			return fmt.Errorf("at %v the children of node %d may send %d bit/s, and its ingress has %d", r.now, p, sum, in)
		}
	}
	return nil
}

// flow returns the rate at which a node sends: a server forwards at the least rate of the children
// that send, when all have begun.
func (r *rig) flow(id ID) units.Rate {
	if len(r.cfg[id].Children) == 0 {
		return r.nodes[id].Rate()
	}
	least := units.Rate(-1)
	for _, c := range r.cfg[id].Children {
		switch r.nodes[c].up.phase {
		case Idle:
			return 0
		case Sending:
			if f := r.flow(c); least < 0 || f < least {
				least = f
			}
		}
	}
	return max(least, 0)
}

// flows checks inequality (1) for the rates at which nodes send, as long as no child has ended.
func (r *rig) flows() error {
	for _, p := range r.ids {
		if len(r.cfg[p].Children) == 0 {
			continue
		}
		sum := units.Rate(0)
		for _, c := range r.cfg[p].Children {
			sum += r.flow(c)
		}
		if in := r.nodes[p].cfg.Ingress; sum > in {
			return fmt.Errorf("at %v the children of node %d send %d bit/s, and its ingress has %d", r.now, p, sum, in)
		}
		if p == 1 {
			continue
		}
		counted := r.nodes[r.cfg[p].Parent].child(p).peak
		if out := r.nodes[p].cfg.Egress; r.flow(p) > min(out, counted) {
			return fmt.Errorf("at %v node %d sends %d bit/s of %d, and its parent counts %d", r.now, p, r.flow(p), out, counted)
		}
	}
	return nil
}
