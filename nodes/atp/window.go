package atp

// window is how many packets of a stream may be in flight, by additive increase and
// multiplicative decrease (ATP §3.7). Packets are those of the stream, counted from 0.
type window struct {
	size, threshold int
	most            int
	rules           *Config

	round    uint64 // the packet whose turn it is when the window of the last growth is over
	recovers uint64 // the packet that was next when the window was halved
}

// newWindow returns that of one of so many streams, which share the first window evenly.
func newWindow(c *Config, stream int) window {
	n := c.streams()
	size := c.Window / n
	if stream < c.Window%n {
		size++
	}
	most := c.span()
	size = min(max(size, c.LeastWindow), most)
	w := window{size: size, threshold: most, most: most, rules: c, round: uint64(size)}
	if c.Avoidance {
		w.threshold = size
	}
	return w
}

// grow takes in that the expected packet has its parameters: that is an MTU more for each in slow
// start, and one for each window above the threshold.
func (w *window) grow(expected, next uint64) {
	switch {
	case w.rules.Fixed:
		return
	case w.size < w.threshold && w.rules.Doubling:
		w.size++
	case w.size < w.threshold:
		w.size += MTU
	case expected >= w.round:
		w.size += MTU
		w.round = next
	}
	w.size = min(w.size, w.most)
}

// halve takes in that congestion was met by a packet, or by parameters of it, and reports whether
// the window is another now. One window is halved once.
func (w *window) halve(packet, next uint64) bool {
	if w.rules.Fixed || !w.rules.EachMark && packet < w.recovers {
		return false
	}
	w.size = max(w.size/2, w.rules.LeastWindow)
	w.threshold = w.size
	w.round, w.recovers = next, next
	return true
}
