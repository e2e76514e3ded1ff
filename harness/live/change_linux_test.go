package live

import (
	"testing"
	"time"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/topo"
)

// The link to h1 loses nothing at first, everything from the epoch on, and nothing again from
// an hour later. The epoch is now, or two hours ago: no frame is a matter of time.
func TestLinkOfALiveSwitchChanges(t *testing.T) {
	const frames, size = 100, 400
	const hour = 3600 * units.Second
	p := rackOf(t, 2)
	to := p.Hosts[1].SwitchPort
	changes := []chassis.Change{{At: units.Time(hour), Port: to}, {Port: to, Spec: topo.LinkSpec{Loss: 1}}}
	for name, c := range map[string]struct {
		before  time.Duration // how long ago the epoch is
		lost    uint64
		changes int
	}{"lossy": {0, frames, 1}, "repaired": {2 * time.Hour, 0, 2}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, p, rigOptions{ringFrames: 256, changes: changes})
			out, in := r.sockets(&p.Hosts[0], &p.Hosts[1])
			send := func() {
				for range frames {
					if _, err := out.Write(make([]byte, size)); err != nil {
						t.Fatal(err)
					}
				}
			}
			receive := func() {
				for i := range frames {
					if n, err := in.Read(make([]byte, size+1)); err != nil || n != size {
						t.Fatalf("frame %d of %d bytes: %v", i, n, err)
					}
				}
			}
			send() // nobody has told the epoch
			receive()
			r.begin(pktio.MonotonicNow() - c.before.Nanoseconds())
			send()
			if c.lost == 0 {
				receive()
			}
			// An answer of the switch comes behind all that h0 has sent before.
			if _, err := r.pinger(&p.Hosts[0]).ping(p.Hosts[0].Gateway, 10); err != nil {
				t.Fatal(err)
			}
			r.stop()
			for _, l := range r.reports[0].Links {
				if l.Dropped() != c.lost || l.DroppedBy("loss-bernoulli") != c.lost || l.Changes != c.changes {
					t.Errorf("%s: %d frames lost, %d changes, want %d and %d", l.Name, l.Dropped(), l.Changes, c.lost, c.changes)
				}
			}
			if n := len(r.reports[0].Links); n != 1 {
				t.Errorf("%d links, want the one that changes", n)
			}
		})
	}
}

// begin tells the first switch the epoch, in nanoseconds, and returns when that has come there:
// it answers a question, and takes no packet between that and the change.
func (r *rig) begin(epoch int64) {
	r.t.Helper()
	sw := r.switches[0]
	for _, c := range []proc.Command{{Name: proc.CommandStart, EpochNS: epoch}, {Name: proc.CommandSnapshot}} {
		if err := sw.Send(c); err != nil {
			r.t.Fatal(err)
		}
	}
	for report := range sw.Reports() {
		if report.Kind == proc.ReportSnapshot {
			return
		}
	}
	r.t.Fatal("the switch has ended")
}

// A job whose first host is cut off until 400 ms after the start: no iteration ends before, and
// none would ever end without the change.
func TestJobOnALinkThatComesBack(t *testing.T) {
	const up = 400 * ms
	lost := topo.LinkSpec{Rate: 50 * mbit, Loss: 1}
	there := topo.LinkSpec{Rate: 50 * mbit}
	host, port := topo.End{Node: "h0", Port: "eth0"}, topo.End{Node: "tor", Port: "p0"}
	j := mustJob(t, scene{system: switchml.System{Elements: 256, Retransmit: true}, topology: "rack", hosts: 3, change: func(s *job.Spec) {
		s.Plan.Switches[0].Ports[0].In, s.Plan.Switches[0].Ports[0].Out = lost, lost
		s.Changes = []job.LinkChange{{At: units.Time(up), From: host, To: port, Spec: there}, {At: units.Time(up), From: port, To: host, Spec: there}}
	}})
	c := mustRun(t, j, options(t))
	for _, s := range c.Samples {
		if s.End < units.Time(up) {
			t.Errorf("worker %d ends iteration %d at %v, before the link is there", s.Worker, s.Iteration, s.End)
		}
	}
	for _, l := range c.Links {
		ofH0 := l.Name == "h0:eth0->tor:p0" || l.Name == "tor:p0->h0:eth0"
		if ofH0 != (l.Changes == 1) {
			t.Errorf("link %s: %d changes", l.Name, l.Changes)
		}
		t.Logf("%s: %d frames, %d lost, use %.3f", l.Name, l.Frames, l.Dropped(), l.Use)
	}
}
