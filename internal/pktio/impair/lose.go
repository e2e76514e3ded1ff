package impair

import "github.com/inalab/inalab/topo"

// lose reports whether the wire loses the next frame, which is named so. All kinds of loss go on
// counting and drawing whatever the others do; a frame that several would lose counts for the first
// of them.
func (l *Link) lose(of name) bool {
	lost := [...]struct {
		is    bool
		count *uint64
	}{
		{l.script.loses(of), &l.stats.LossScript},
		{l.turn(), &l.stats.LossEvery},
		{l.sending.Loss > 0 && l.cfg.LossStream.Bernoulli(l.sending.Loss), &l.stats.LossBernoulli},
		{l.burst(), &l.stats.LossBurst},
		{l.sending.Corrupt > 0 && l.cfg.CorruptStream.Bernoulli(l.sending.Corrupt), &l.stats.LossFCS},
	}
	for _, by := range lost {
		if by.is {
			*by.count++
			return true
		}
	}
	return false
}

// turn reports whether it is the turn of a frame to be lost.
func (l *Link) turn() bool {
	if l.sending.LossEvery == 0 {
		return false
	}
	if l.nth++; l.nth < l.sending.LossEvery {
		return false
	}
	l.nth = 0
	return true
}

// burst reports whether a frame falls into a burst of losses, and takes the next step between
// good and bad. It draws two numbers for every frame.
func (l *Link) burst() bool {
	b := &l.sending.Bursts
	if *b == (topo.Bursts{}) {
		return false
	}
	loss, turn := b.Good, b.Enter
	if l.bad {
		loss, turn = b.Bad, b.Leave
	}
	lost := l.cfg.BurstStream.Bernoulli(loss)
	if l.cfg.BurstStream.Bernoulli(turn) {
		l.bad = !l.bad
	}
	return lost
}
