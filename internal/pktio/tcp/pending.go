package tcp

// pending is a queue of bytes in one piece of memory.
type pending struct {
	buf []byte
	off int // bytes of buf that are gone
}

func (p *pending) len() int      { return len(p.buf) - p.off }
func (p *pending) bytes() []byte { return p.buf[p.off:] }

// push appends a copy of b. Before the memory grows, what is gone makes room if
// it is half of it, so that every byte is moved a bounded number of times.
func (p *pending) push(b []byte) {
	if len(p.buf)+len(b) > cap(p.buf) && p.off >= len(p.buf)/2 {
		n := copy(p.buf, p.bytes())
		p.buf, p.off = p.buf[:n], 0
	}
	p.buf = append(p.buf, b...)
}

// pop takes the first n bytes off.
func (p *pending) pop(n int) {
	p.off += n
	if p.off == len(p.buf) {
		p.buf, p.off = p.buf[:0], 0
	}
}
