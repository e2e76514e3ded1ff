package tofino

import "github.com/inalab/inalab/internal/units"

// way is where packets pass one after another with a buffer in front; timed mode. A packet comes
// to it with its last bit, so that it waits only for others. How fast these ways are and how
// much they hold no public source tells: see Timing.Input and Timing.Mirror.
type way struct {
	units.Serializer
	hold units.Duration // time that the whole buffer takes
	free units.Time     // when the last packet is through
}

func newWay(rate units.Rate, buffer units.Bytes) *way {
	return &way{Serializer: units.Serializer{Rate: rate}, hold: rate.TimeToSend(buffer), free: units.Time(-units.Second)}
}

// full tells whether the buffer has no room for a packet more.
func (w *way) full(now units.Time, n units.Bytes) bool {
	return max(w.free, now).Sub(now)+w.Rate.TimeToSend(n) > w.hold
}

// pass takes a packet and returns how long it waits.
func (w *way) pass(now units.Time, n units.Bytes) units.Duration {
	w.free = max(w.free.Add(w.Advance(n)), now)
	return w.free.Sub(now)
}

// onLine is what a packet takes of a way of a port's rate.
func onLine(k *packet) units.Bytes { return bytesOf(k) + units.EthernetFraming }

// resubmit sends a packet to its ingress once more, as it came. It does so once, for ports of
// quads 0 to 15 (TNA 7.14), and then nothing else becomes of the pass: no copy, no verdict of
// the traffic manager (TNA 5.6).
func (c *Chip) resubmit(k *packet) {
	switch {
	case k.resubmitted:
		c.drop(k, DropTwice)
	case k.port.quad() >= PortsPerPipe:
		c.drop(k, DropInside)
	default:
		c.stats.resubmitted++
		k.SetCopy(&c.original, MaxFrame)
		c.proceed(k, stepManager)
	}
}

// again lets a resubmitted packet into the ingress once its port has room beside packets that
// come fresh.
func (c *Chip) again(k *packet) {
	w, n := c.ports[k.port].input, onLine(k)
	if w.full(c.now, n) {
		c.drop(k, DropInput)
		return
	}
	if wait := w.pass(c.now, n); wait > 0 {
		k.step = stepIngress
		c.clock.events.Push(c.now.Add(wait), k.id)
		return
	}
	c.ingress(k)
}
