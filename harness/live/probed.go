package live

import (
	"slices"
	"time"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Rate returns the bits per second at which frames with a payload of so many bytes came, framing included: those
// behind the first one, over the time from the first to the last. Zero: fewer than two came.
func (p *Probed) Rate(size int) float64 {
	n := len(p.Arrivals)
	if n < 2 {
		return 0
	}
	first, last := p.Arrivals[0].At, p.Arrivals[n-1].At
	behind := 0
	for _, a := range p.Arrivals {
		if a.At > first { // those of the first super-packet have its time
			behind++
		}
	}
	if last <= first {
		return 0
	}
	bits := 8 * float64(size+inet.UDPHeaders+int(units.EthernetFraming))
	return bits * float64(behind) / (float64(last-first) / 1e9)
}

// Delay returns the median time from sending to arrival. Zero: nothing came.
func (p *Probed) Delay() time.Duration {
	var list []int64
	for _, a := range p.Arrivals {
		list = append(list, a.At-a.Sent)
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return time.Duration(list[len(list)/2])
}

// times returns how often each frame came.
func (p *Probed) times() []int {
	out := make([]int, p.Sent)
	for _, a := range p.Arrivals {
		if a.Frame < len(out) {
			out[a.Frame]++
		}
	}
	return out
}

// Lost returns how many frames did not come, and in how many bursts: lost frames one behind the other.
func (p *Probed) Lost() (frames, bursts int) {
	before := false
	for _, n := range p.times() {
		if n == 0 {
			frames++
			if !before {
				bursts++
			}
		}
		before = n == 0
	}
	return frames, bursts
}

// LostFrames returns how many frames did not come.
func (p *Probed) LostFrames() int {
	frames, _ := p.Lost()
	return frames
}

// Twice returns how many frames came more than once.
func (p *Probed) Twice() (n int) {
	for _, times := range p.times() {
		if times > 1 {
			n++
		}
	}
	return n
}

// Overtook returns how many frames came before one that had been sent earlier.
func (p *Probed) Overtook() (n int) {
	least := p.Sent
	for _, a := range slices.Backward(p.Arrivals) {
		if a.Frame > least {
			n++
		}
		least = min(least, a.Frame)
	}
	return n
}
