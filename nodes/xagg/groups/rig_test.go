package groups

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

const (
	maxDelay = 5 * units.Millisecond // of the network of tests
	packet   = 100 * units.Microsecond
)

// message is anything on its way, to the receiver or to a sender.
type message struct {
	at    units.Time
	n     int
	host  Host
	data  *Packet
	done  bool
	event *Event
}

// rig is some senders and a receiver over a network that loses, repeats and delays.
type rig struct {
	cfg     Config
	now     units.Time
	recv    *Receiver
	send    []*Sender
	pace    []units.Time // when a sender may send its next packet
	there   []map[uint32]bool
	asks    []map[uint32]int // how often an index was asked for
	excuses []map[uint32]int // how often it, or a report of it, was lost
	flying  []message
	n       int
	control int // messages of the receiver and ends
	fate    func(m *message) (delays []units.Duration)
}

func newRig(c Config, senders int) (*rig, error) {
	r := &rig{cfg: c, fate: func(*message) []units.Duration { return []units.Duration{units.Millisecond} }}
	r.cfg.resolve()
	var hosts []Host
	for h := range senders {
		s, err := NewSender(c)
		if err != nil {
			return nil, err
		}
		hosts, r.send, r.pace = append(hosts, Host(h)), append(r.send, s), append(r.pace, 0)
		r.there, r.asks, r.excuses = append(r.there, map[uint32]bool{}), append(r.asks, map[uint32]int{}), append(r.excuses, map[uint32]int{})
	}
	var err error
	r.recv, err = NewReceiver(c, hosts, func(h Host, i uint32) bool { return r.there[h][i] })
	return r, err
}

// put takes a message to the network, and notes what its loss excuses.
func (r *rig) put(m message) {
	if m.data == nil {
		r.control++
	}
	delays := r.fate(&m)
	for _, d := range delays {
		r.n++
		m.at, m.n = r.now.Add(d), r.n
		r.flying = append(r.flying, m)
	}
	if len(delays) > 0 {
		return
	}
	if m.data != nil {
		r.excuses[m.host][m.data.Index]++
	} else if m.event != nil {
		for _, i := range m.event.Lost {
			r.excuses[m.host][i]++
		}
	}
}

// run goes on until all senders are finished; the error says what was wrong, or that it took too long.
func (r *rig) run() error {
	for range 200000 {
		if !slices.ContainsFunc(r.send, func(s *Sender) bool { return !s.Finished() }) {
			return nil
		}
		if err := r.step(); err != nil {
			return err
		}
	}
	return fmt.Errorf("not finished at %v", r.now)
}

// step does the next thing: a packet sent, a timer, a message that arrives.
func (r *rig) step() error {
	at := r.recv.NextDeadline()
	for h, s := range r.send {
		at = min(at, s.NextDeadline())
		if len(s.again) > 0 || s.next <= r.cfg.Packets && !s.complete {
			at = min(at, r.pace[h])
		}
	}
	slices.SortFunc(r.flying, func(a, b message) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.n, b.n)) })
	if len(r.flying) > 0 && r.flying[0].at <= at {
		m := r.flying[0]
		r.flying = r.flying[1:]
		r.now = max(r.now, m.at)
		r.arrive(&m)
		return r.events()
	}
	if at == units.Never {
		return fmt.Errorf("nothing is due, and not all senders are finished")
	}
	r.now = max(r.now, at)
	for h, s := range r.send {
		if r.pace[h] <= r.now {
			if p, ok := s.Next(r.now); ok {
				r.pace[h] = r.now.Add(packet)
				r.put(message{host: Host(h), data: &p})
			}
		}
		if s.Expire(r.now) {
			r.put(message{host: Host(h), done: true})
		}
	}
	r.recv.Expire(r.now)
	return r.events()
}

func (r *rig) arrive(m *message) {
	switch {
	case m.data != nil:
		r.there[m.host][m.data.Index] = true
		if m.data.Ends {
			r.recv.Checked(r.now, m.host, m.data.Index)
		}
	case m.done:
		r.recv.Done(r.now, m.host)
	case m.event.Complete:
		r.send[m.host].Complete()
	default:
		r.send[m.host].Report(m.event.Report, m.event.Lost)
	}
}

// events sends what the receiver says, and checks that nothing is asked for that is there.
func (r *rig) events() error {
	for _, e := range r.recv.Events() {
		if len(e.Lost) > MaxReport || !slices.IsSorted(e.Lost) || e.Complete == (len(e.Lost) > 0) {
			return fmt.Errorf("message %+v", e)
		}
		for _, i := range e.Lost {
			if r.there[e.Host][i] {
				return fmt.Errorf("at %v packet %d of sender %d is asked for and is there", r.now, i, e.Host)
			}
			r.asks[e.Host][i]++
		}
		if e.Complete && len(r.there[e.Host]) != int(r.cfg.Packets) {
			return fmt.Errorf("sender %d is complete with %d packets of %d", e.Host, len(r.there[e.Host]), r.cfg.Packets)
		}
		r.put(message{host: e.Host, event: &e})
	}
	return nil
}
