package pipeline

import (
	"strconv"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/tofino"
)

// Results that have met a long queue inside leave with Congestion Experienced, all
// copies of them; the counter and the view of ports say how many. Without a threshold results
// are what they always were.
func TestQueuesMarkResults(t *testing.T) {
	const workers, slots = 4, 40
	for _, threshold := range []int{0, 64} {
		o := Options{Timing: timing(t)}
		o.Timing.Mark = threshold
		c := newChip(t, oneJob(256, slots, workers), o)
		var in []sansio.Arrival
		var out []sent
		for slot := range slots {
			for w := range workers {
				v := packetOf(w, 0, 256)
				v.slot = uint16(slot)
				in = append(in, arrivalOfVector(v))
			}
			if slot < slots/2 { // alone; the others at once, which no port that leads back can take
				now := units.Time(slot) * units.Time(100*units.Microsecond)
				out = append(append(out, c.handle(now, in...)...), c.until(now.Add(90*units.Microsecond))...)
				in = nil
			}
		}
		out = append(append(out, c.handle(units.Time(units.Second), in...)...), c.until(units.Never-1)...)
		if len(out) != workers*slots {
			t.Fatalf("threshold %d: %d results", threshold, len(out))
		}
		points := map[byte]int{}
		for _, s := range out {
			ip := inet.IPv4(s.frame[inet.EtherLen:])
			points[ip[1]]++
			if !ip.ChecksumOK() {
				t.Fatalf("threshold %d: a checksum is wrong", threshold)
			}
		}
		if threshold == 0 {
			if points[0] != workers*slots || c.count(tofino.CountMarked) != 0 {
				t.Errorf("code points %v, %v", points, c.e.Counters())
			}
			continue
		}
		marked := points[ect0|1]
		if marked == 0 || marked%workers != 0 || points[ect0] == 0 || marked+points[ect0] != workers*slots {
			t.Errorf("code points %v", points)
		}
		if got := c.count(tofino.CountMarked); got != uint64(marked) || c.count(tofino.CountUnmarked) != 0 {
			t.Errorf("%d results are marked, counters %v", marked, c.e.Counters())
		}
		if got := shownMarked(c.e.View(0, dataplane.ViewPorts, 100)); got != marked {
			t.Errorf("%d results are marked, the view of ports says %d", marked, got)
		}
	}
}

// shownMarked adds up the column "marked" of the view of ports.
func shownMarked(t dataplane.Table) (n int) {
	for i, column := range t.Columns {
		if column.Key != "marked" {
			continue
		}
		for _, row := range t.Rows {
			one, _ := strconv.Atoi(row[i].String()) // empty: a port without queues
			n += one
		}
	}
	return n
}
