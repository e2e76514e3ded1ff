package live

import (
	"errors"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// A step of load: a hundred frames at once before a line that takes 8 ms for each. The first is
// on the line, and each of the others finds one more waiting than the one before, but for those
// that the line sent meanwhile: d of them until the threshold was crossed, and more until the step
// was over, on a machine that is slow. So all behind a certain frame are marked, and the record of
// the queue's depth tells the same d. The receiver sees all marks.
func TestMarksOfALiveLink(t *testing.T) {
	const frames, payload, threshold = 100, 1000, 20_000
	const bytes = payload + inet.UDPHeaders
	g, err := gen.ByName("rack", gen.Params{Hosts: 2})
	if err != nil {
		t.Fatal(err)
	}
	g.Links[1].BtoA = topo.LinkSpec{Rate: units.MbitPerSecond, Queue: units.MiB, Marking: topo.Marking{Min: threshold, Max: threshold}} // to h1
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, p, rigOptions{ringFrames: 256})
	marks := r.step(&p.Hosts[0], &p.Hosts[1], payload, frames)
	r.stop()

	first := slices.Index(marks, true)
	if first < 0 || slices.Contains(marks[first:], false) {
		t.Fatalf("marks are not the end of the step: %v", marks)
	}
	links := r.reports[0].Links
	if len(links) != 1 || links[0].Marks != uint64(frames-first) || links[0].Dropped() != 0 {
		t.Fatalf("links %+v, want one with %d marks", links, frames-first)
	}
	const crossed = threshold/bytes + 2 // the first that finds more, where the line sent none meanwhile
	l := &links[0]
	left, leftInAll := first-crossed, frames-1-int(l.Max)/bytes
	if left < 0 || left > leftInAll {
		t.Errorf("frame %d is the first with a mark, want %d and the frames that left before it: %d left during the step", first, crossed, leftInAll)
	}
	if l.P99 > l.Max || l.Mean > l.P99 || l.Mean == 0 || l.Use <= 0 || l.Use > 1 {
		t.Errorf("mean %d, 99%% %d, most %d, use %v", l.Mean, l.P99, l.Max, l.Use)
	}
	t.Logf("%d of %d frames marked, analytic %d without those that left during the step: %d; %+v", frames-first, frames, frames-crossed, leftInAll, *l)
}

// step sends frames that can be marked as fast as memory allows, and returns which of them
// arrived with a mark.
func (r *rig) step(from, to *plan.Host, size, frames int) (marks []bool) {
	r.t.Helper()
	out, in := r.sockets(from, to)
	err := errors.Join(
		setsockopt(in, unix.IPPROTO_IP, unix.IP_RECVTOS, 1), setsockopt(out, unix.IPPROTO_IP, unix.IP_TOS, int(inet.ECT0)),
	)
	if err != nil {
		r.t.Fatal(err)
	}
	for range frames {
		if _, err := out.Write(make([]byte, size)); err != nil {
			r.t.Fatal(err)
		}
	}
	buf, control := make([]byte, size), make([]byte, 64)
	for i := range frames {
		_, n, _, _, err := in.ReadMsgUDP(buf, control)
		if err != nil {
			r.t.Fatalf("frame %d: %v", i, err)
		}
		marks = append(marks, codepoint(r.t, control[:n]) == inet.CE)
	}
	return marks
}

// codepoint returns the codepoint of ECN that a packet came with.
func codepoint(t *testing.T, control []byte) uint8 {
	t.Helper()
	list, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if m.Header.Level == unix.IPPROTO_IP && m.Header.Type == unix.IP_TOS {
			return m.Data[0] & 3
		}
	}
	t.Fatal("a packet came without its codepoint")
	return 0
}
