package live

import (
	"math"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// arrived is what came of a probe of frames 0 to sent-1: so many, 1 ms apart, each 5 ms after it was sent.
func arrived(sent int, frames ...int) *Probed {
	p := &Probed{Sent: sent}
	for i, f := range frames {
		at := int64(i) * int64(time.Millisecond)
		p.Arrivals = append(p.Arrivals, Arrival{Frame: f, Sent: at - int64(5*time.Millisecond), At: at})
	}
	return p
}

func TestProbedCounts(t *testing.T) {
	for _, c := range []struct {
		p                              *Probed
		lost, bursts, twice, overtaken int
	}{
		{arrived(5, 0, 1, 2, 3, 4), 0, 0, 0, 0},
		{arrived(8, 0, 3, 4, 6), 4, 3, 0, 0},
		{arrived(4), 4, 1, 0, 0},
		{arrived(4, 0, 1, 1, 1, 2, 2, 3), 0, 0, 2, 0},
		{arrived(5, 0, 3, 1, 2, 4), 0, 0, 0, 1},
		{arrived(5, 4, 0, 1, 2, 3), 0, 0, 0, 1},
		{arrived(4, 2, 2, 3, 0, 1), 0, 0, 1, 3},
	} {
		lost, bursts := c.p.Lost()
		if twice, over := c.p.Twice(), c.p.Overtook(); lost != c.lost || bursts != c.bursts || twice != c.twice || over != c.overtaken {
			t.Errorf("%v: %d lost in %d bursts, %d twice, %d overtook; want %+v", c.p.Arrivals, lost, bursts, twice, over, c)
		}
	}
}

// Four frames in the 3 ms behind the first one; of a first super-packet, those behind it.
func TestProbedRateAndDelay(t *testing.T) {
	const size = 1000
	bits := 8 * float64(size+inet.UDPHeaders+int(units.EthernetFraming))
	p := arrived(4, 0, 1, 2, 3)
	if got, want := p.Rate(size), 3*bits/0.003; math.Abs(got-want) > 1e-6*want {
		t.Errorf("rate %v, want %v", got, want)
	}
	if p.Delay() != 5*time.Millisecond {
		t.Errorf("delay %v", p.Delay())
	}
	p.Arrivals[1].At = p.Arrivals[0].At
	if got, want := p.Rate(size), 2*bits/0.003; math.Abs(got-want) > 1e-6*want {
		t.Errorf("rate %v of a first super-packet of two, want %v", got, want)
	}
	for _, none := range []*Probed{arrived(3), arrived(3, 0)} {
		if none.Rate(size) != 0 {
			t.Errorf("%v has a rate", none.Arrivals)
		}
	}
}
