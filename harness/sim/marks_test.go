package sim_test

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/topo"
)

// A step of load before a slower line: frame k comes k intervals behind the first, when the line
// has begun to send as many as the time allows. It is marked where more than the threshold waits.
func TestMarksOfAVirtualLink(t *testing.T) {
	const (
		packet, header = units.Bytes(1000), units.Bytes(14)
		in, out        = 10 * mbit, 3 * mbit
		step           = 60 * ms
		threshold      = units.Bytes(20_000)
	)
	interval, service := in.TimeToSend(packet), out.TimeToSend(packet+header+units.EthernetFraming)
	var frames, marks uint64
	for k := units.Duration(0); k*interval < step; k++ {
		waiting := k - k*interval/service - 1
		frames++
		if units.Bytes(waiting)*(packet+header) > threshold {
			marks++
		}
	}
	f := udp("step", "h5", "h4", traffic.Pattern{Rate: in, Packet: packet, Stop: step})
	f.ECN = true
	s := scene{compute: 100 * ms, flows: []job.Flow{f}, h4: topo.LinkSpec{Rate: out, Queue: units.MiB, Marking: topo.Marking{Min: threshold, Max: threshold}}}
	c, err := sim.RunJob(t.Context(), s.job(t), images(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	l, got := linkTo(t, c, "h4"), c.Flows[0]
	t.Logf("%d of %d frames marked", marks, frames)
	if got.Delivered != frames || got.Marks != marks || l.Marks != marks || l.Dropped() != 0 || marks == 0 || marks == frames {
		t.Errorf("%d of %d frames delivered, %d marked, %d by the link; analytic %d of %d", got.Delivered, got.Sent, got.Marks, l.Marks, marks, frames)
	}
}
