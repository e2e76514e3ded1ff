package pipeline

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// path writes down the passes of packets, as the chip tells of them.
type path struct {
	strings.Builder
	began units.Time
}

func (p *path) Passed(o *tofino.Observation) {
	side, fate := "ingress", "comes round again"
	switch {
	case o.Reason != vm.OK:
		fate = string(o.Reason)
	case o.Side == fit.Egress:
		side, fate = "egress", "leaves"
	case o.Verdict.Drop != 0:
		fate = "ends: absorbed"
	case !o.Verdict.Bypass && o.Verdict.Multicast:
		fate = "to the multicast group"
	case !o.Verdict.Bypass:
		fate = "to one port"
	}
	pass := ""
	if o.Side == fit.Ingress {
		pass = fmt.Sprint(o.Passes)
	}
	fmt.Fprintf(p, "%6.2f us  %-7s %2s  pipe %d  port %-5v %4d bytes behind  %s\n",
		float64(o.At.Sub(p.began))/float64(units.Microsecond), side, pass, o.Pipe, o.Port, o.Packet.Len(), fate)
}

// The path of packets of 256 values through a chip with time, worker by worker; it is
// the one that docs/switchml.md shows.
func TestPathOfAPacket(t *testing.T) {
	var p path
	timing := tofino.DefaultTiming()
	e, err := New(oneJob(256, 1, 2), Options{Ports: 2, Timing: &timing, Observer: &p})
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	now := units.Time(0)
	for w, what := range []string{"worker 0, the first of its slot:", "worker 1, which completes it:"} {
		fmt.Fprintln(&p, what)
		p.began = now
		v := packetOf(w, 0, 256)
		e.Handle(now, []sansio.Arrival{arrival(v.w, v.payload())}, &eff)
		for e.NextDeadline() != units.Never {
			now = e.NextDeadline()
			e.Expire(now, &eff)
		}
	}
	golden.Equal(t, "path.txt", p.String())
	if t.Failed() {
		return
	}
	doc, err := os.ReadFile("../../../../docs/switchml.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), p.String()) {
		t.Error("docs/switchml.md shows another path: copy testdata/path.txt")
	}
}
