package meter

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Whatever comes when, in whatever order, each bin has what came in its time, and there are never
// more than the limit.
func TestBinsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		interval := units.Duration(rapid.Int64Range(1, 1000).Draw(t, "interval"))
		m := New(interval)
		type arrival struct {
			at units.Time
			n  units.Bytes
		}
		var all []arrival
		var sum units.Bytes
		latest := rapid.SampledFrom([]int64{10, 1e4, 1e7, 1e12, int64(units.Never)}).Draw(t, "latest")
		for range rapid.IntRange(1, 200).Draw(t, "arrivals") {
			a := arrival{units.Time(rapid.Int64Range(0, latest).Draw(t, "at")), units.Bytes(rapid.Int64Range(0, 1e6).Draw(t, "bytes"))}
			m.Add(a.at, a.n)
			all, sum = append(all, a), sum+a.n
		}
		s := m.Series()
		if len(s.Bytes) > result.MaxIntervals || s.Sum() != sum || s.Interval%interval != 0 {
			t.Fatalf("%d bins of %v with %d B, want %d", len(s.Bytes), s.Interval, s.Sum(), sum)
		}
		want := make([]units.Bytes, len(s.Bytes))
		for _, a := range all {
			want[a.at/units.Time(s.Interval)] += a.n
		}
		if !slices.Equal(s.Bytes, want) {
			t.Fatalf("bins of %v: %v, want %v", s.Interval, s.Bytes, want)
		}
	})
}

// The interval doubles when bins run out, and not before.
func TestBinsRunOut(t *testing.T) {
	m := New(10)
	for i, c := range []struct {
		at   units.Time
		want units.Duration
	}{{10*result.MaxIntervals - 1, 10}, {10 * result.MaxIntervals, 20}, {20*result.MaxIntervals - 1, 20}, {20 * result.MaxIntervals, 40}} {
		m.Add(c.at, 1)
		if s := m.Series(); s.Interval != c.want || s.Sum() != units.Bytes(i+1) {
			t.Errorf("at %d: %d B in intervals of %d, want of %d", c.at, s.Sum(), s.Interval, c.want)
		}
	}
}

// A copy does not grow, and none at all counts nothing.
func TestCopies(t *testing.T) {
	m := New(units.Millisecond)
	m.Add(-units.Time(2*units.Millisecond), 7)
	s := m.Series()
	m.Add(0, 1)
	if len(s.Bytes) != 1 || s.Bytes[0] != 7 {
		t.Errorf("got %+v", s)
	}
	none := New(0)
	none.Add(0, 1)
	if none != nil || none.Series() != nil {
		t.Errorf("%+v", none)
	}
}

// inner takes what it is given.
type inner struct {
	sansio.Untimed
	at     units.Time
	trains int
}

func (i *inner) Handle(now units.Time, in []sansio.Arrival, _ *sansio.Effects) {
	i.at, i.trains = now, i.trains+len(in)
}

// Payload of UDP and of streams counts, unstored bytes included, and headers do not.
func TestMachineCountsPayload(t *testing.T) {
	flow := inet.Flow{Src: netip.MustParseAddr("10.1.0.1"), Dst: netip.MustParseAddr("10.1.0.2"), SrcPort: 1, DstPort: 2}
	header := inet.UDPHeader(flow)
	inet.SetUDPBody(header, 250)
	for want, train := range map[units.Bytes]sansio.Train{
		250:         {Header: header, Body: make([]byte, 250), Seg: 100},
		250 + 3*900: {Header: header, Body: make([]byte, 250), Seg: 100, Unstored: 900},
		70:          {Body: make([]byte, 70)},
		77:          {Body: make([]byte, 70), Unstored: 7},
		0:           {Header: []byte("noise")},
	} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			in := &inner{}
			m := Machine{in, New(10)}
			m.Handle(25, []sansio.Arrival{{Train: train}, {Train: train}}, nil)
			if s := m.Meter.Series(); len(s.Bytes) != 3 || s.Bytes[2] != 2*want || s.Sum() != 2*want || in.at != 25 || in.trains != 2 {
				t.Errorf("got %+v; the machine inside was given %d trains at %d", s, in.trains, in.at)
			}
		})
	}
}

func BenchmarkMachine(b *testing.B) {
	in := make([]sansio.Arrival, 8)
	for i := range in {
		in[i].Train = sansio.Train{Body: make([]byte, 64), Seg: 64, Unstored: 1000}
	}
	for name, m := range map[string]sansio.Machine{"alone": &inner{}, "metered": &Machine{&inner{}, New(units.Millisecond)}} {
		b.Run(name, func(b *testing.B) {
			now := units.Time(0)
			for b.Loop() {
				now += units.Time(units.Microsecond)
				m.Handle(now, in, nil)
			}
		})
	}
}
