package rates

import "github.com/inalab/inalab/internal/units"

// up is a node's edge to its parent: what it asked for, and what it was granted.
type up struct {
	to        ID // 0 of the root
	tree      uint16
	iteration uint16
	seq       uint32 // of the newest request
	begun     uint32 // the request that began the iteration: older answers hold no more
	heard     uint32 // newest request that the parent has answered
	phase     Phase
	demand    units.Rate

	newest  uint32 // notice received
	kept    uint32 // notice that the node keeps to
	granted units.Rate

	owed    bool // the request is to be sent
	initial bool
	resend  units.Time // of the request, while it is not answered
}

// unanswered reports whether the parent has not answered the newest request.
func (u *up) unanswered() bool { return u.to != 0 && newer(u.seq, u.heard) }

// say changes the state that the parent is told. join says that a child joined, which is told
// although nothing else may have changed.
func (u *up) say(phase Phase, iteration uint16, demand units.Rate, join bool) {
	if u.to == 0 || !join && u.phase == phase && u.iteration == iteration && u.demand == demand {
		return
	}
	u.seq++
	if phase == Sending && (u.phase != Sending || u.iteration != iteration) {
		u.begun, u.granted = u.seq, 0
	}
	if phase != Sending {
		u.granted = 0
	}
	u.initial = join
	u.phase, u.iteration, u.demand, u.owed = phase, iteration, demand, true
}

// take applies a notice. A notice that was received before is confirmed again, because the first
// confirmation may be lost.
func (u *up) take(n *Notice) {
	switch {
	case n.Seq == u.newest && u.kept == u.newest:
		u.owed = true
		return
	case !newer(n.Seq, u.newest):
		return
	case u.phase == Sending && newer(u.begun, n.Heard):
		return // it answers an earlier iteration
	}
	u.newest = n.Seq
	if newer(n.Heard, u.heard) {
		u.heard = n.Heard
	}
	if u.phase == Sending {
		u.granted = n.Rate
	}
}

// keep confirms the newest notice: from now on the node sends no faster.
func (u *up) keep() {
	if u.kept != u.newest {
		u.kept, u.owed = u.newest, true
	}
}

// move turns the edge to another parent, by which nothing is granted yet.
func (u *up) move(to ID, tree uint16) {
	u.to, u.tree = to, tree
	u.newest, u.kept, u.granted = 0, 0, 0
	u.seq++
	u.begun, u.heard = u.seq, u.seq-1
	u.owed, u.initial = u.phase != Idle, true
	if u.phase == Idle {
		u.heard = u.seq
	}
}

// request returns the message that is owed.
func (u *up) request(now units.Time, again units.Duration) Send {
	initial := u.initial
	u.owed, u.initial, u.resend = false, false, now.Add(again)
	return Send{To: u.to, Initial: initial, Request: &Request{
		Tree: u.tree, Iteration: u.iteration, Seq: u.seq, Heard: u.kept, Phase: u.phase, Demand: u.demand,
	}}
}
