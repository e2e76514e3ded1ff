package groups

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// Host is a sender, by the number of its bit in host ids: 0 to 31.
type Host uint8

// Event is a message for a sender.
type Event struct {
	Host     Host
	Report   uint32   // number of a loss report, from 1 on; 0 of none
	Lost     []uint32 // indexes that lack, in rising order, at most [MaxReport]; the caller's
	Complete bool     // all packets of the sender are there
}

// Drops counts what a receiver did not use.
type Drops struct {
	Stranger uint64 // of a host that is no sender
	BadIndex uint64 // index 0 or beyond the gradient
}

// Receiver keeps the lists of an aggregator for one gradient of its senders.
type Receiver struct {
	cfg    Config
	has    func(Host, uint32) bool
	hosts  []*sending
	events []Event
	drops  Drops
}

// NewReceiver returns the lists for a gradient of some senders. has reports whether the packet of a
// host and an index is in the element map. It is called in Checked, Done and Expire only.
func NewReceiver(c Config, hosts []Host, has func(Host, uint32) bool) (*Receiver, error) {
	c.resolve()
	if err := c.validate(); err != nil {
		return nil, err
	}
	r := &Receiver{cfg: c, has: has, hosts: make([]*sending, MaxHosts)}
	for _, h := range hosts {
		if h >= MaxHosts || r.hosts[h] != nil {
			return nil, fmt.Errorf("sender with host bit %d: senders need bits 0 to %d, each its own", h, MaxHosts-1)
		}
		r.hosts[h] = newSending(&r.cfg, h)
	}
	return r, nil
}

// Checked takes an entry of the check queue: the packet that ends a group, or packets sent again.
// The group of the index is checked.
func (r *Receiver) Checked(now units.Time, host Host, index uint32) {
	s := r.sending(host)
	if s == nil {
		return
	}
	if index < 1 || index > r.cfg.Packets {
		r.drops.BadIndex++
		return
	}
	r.check(now, s, r.cfg.of(index))
	r.ask(now, s)
	r.tell(s)
}

// Done takes the word of a sender that it has sent everything, and makes the final checks: of the
// tail and of all groups that no end packet had checked, and of the lost list.
func (r *Receiver) Done(now units.Time, host Host) {
	s := r.sending(host)
	if s == nil {
		return
	}
	s.done, s.told = true, false // a word that is repeated is answered again
	for g := range s.groups {
		r.check(now, s, g)
	}
	r.ask(now, s)
	r.tell(s)
}

// tell says once that a sender that is done is complete.
func (r *Receiver) tell(s *sending) {
	if s.done && !s.told && s.lost == 0 {
		s.told = true
		r.events = append(r.events, Event{Host: s.host, Complete: true})
	}
}

// Complete reports whether a sender is done and all its packets are there.
func (r *Receiver) Complete(host Host) bool {
	s := r.sending(host)
	return s != nil && s.told
}

// NextDeadline returns when [Receiver.Expire] must be called.
func (r *Receiver) NextDeadline() units.Time {
	at := units.Never
	for _, s := range r.hosts {
		if s != nil && s.lost > 0 {
			at = min(at, s.next())
		}
	}
	return at
}

// Expire asks for what is due, and tells senders that are complete.
func (r *Receiver) Expire(now units.Time) {
	for _, s := range r.hosts {
		if s == nil || s.lost == 0 {
			continue
		}
		r.ask(now, s)
		r.tell(s)
	}
}

// Events returns the messages of the calls since the last one. They are the caller's.
func (r *Receiver) Events() []Event {
	e := r.events
	r.events = nil
	return e
}

// Losses returns how many packets of a host were found lost, and how many were checked, in the groups
// that were checked for the first time since the last call.
func (r *Receiver) Losses(host Host) (lost, checked uint64) {
	if s := r.sending(host); s != nil {
		lost, checked = s.newLost, s.newChecked
		s.newLost, s.newChecked = 0, 0
	}
	return lost, checked
}

// Drops returns what the receiver did not use.
func (r *Receiver) Drops() Drops { return r.drops }

func (r *Receiver) sending(host Host) *sending {
	if host >= MaxHosts || r.hosts[host] == nil {
		r.drops.Stranger++
		return nil
	}
	return r.hosts[host]
}
