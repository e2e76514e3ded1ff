package live

import (
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// probed sends frames over a link, in a lab of its own.
func probed(t *testing.T, p Probe) Probed {
	t.Helper()
	needRoot(t)
	name := netns.NewLabName()
	checkLeaks(t, name)
	got, err := RunProbe(t.Context(), p, Options{Lab: name, Logs: t.TempDir(), NetNS: netns.Options{StateDir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A link does on real packets what was asked of it, and counts what the receiver sees: here with chances so high that
// no time matters. How exact links are is measured by inalab bench links.
func TestProbeSeesWhatTheLinkCounts(t *testing.T) {
	const frames = 2000
	for name, c := range map[string]struct {
		link topo.LinkSpec
		see  func(p *Probed) (seen, counted uint64)
	}{
		"nothing": {topo.LinkSpec{Delay: units.Millisecond}, func(p *Probed) (uint64, uint64) {
			return uint64(p.LostFrames() + p.Twice() + p.Overtook()), p.Link.Dropped()
		}},
		"corrupt":   {topo.LinkSpec{Corrupt: 0.2}, func(p *Probed) (uint64, uint64) { return uint64(p.LostFrames()), p.Link.DroppedBy("fcs-error") }},
		"duplicate": {topo.LinkSpec{Duplicate: 0.2}, func(p *Probed) (uint64, uint64) { return uint64(p.Twice()), p.Link.Duplicated }},
		"loss":      {topo.LinkSpec{Loss: 0.2}, func(p *Probed) (uint64, uint64) { return uint64(p.LostFrames()), p.Link.DroppedBy("loss-bernoulli") }},
	} {
		t.Run(name, func(t *testing.T) {
			p := probed(t, Probe{Link: c.link, Frames: frames, Size: 100, Burst: 10, Gap: time.Millisecond, Seed: 1})
			seen, counted := c.see(&p)
			slack := uint64(2) // a frame before the first, or the end, may have met the same
			if name == "nothing" && seen > 0 || name != "nothing" && (seen == 0 || counted < seen || counted > seen+slack) {
				t.Errorf("%d frames are seen, %d counted: %+v", seen, counted, p.Link)
			}
		})
	}
}

// Frames that overtake come before those that were sent earlier: a wire of 50 ms has them all.
func TestProbeSeesFramesOvertake(t *testing.T) {
	p := probed(t, Probe{Link: topo.LinkSpec{Delay: 50 * units.Millisecond, Reorder: 0.2}, Frames: 500, Size: 100, Burst: 1, Gap: time.Millisecond, Seed: 1})
	seen, counted := uint64(p.Overtook()), p.Link.Reordered
	if seen == 0 || counted < seen || p.LostFrames() > 0 {
		t.Errorf("%d of %d frames that overtook are seen, %d lost", seen, counted, p.LostFrames())
	}
	if d := p.Delay(); d < 50*time.Millisecond {
		t.Errorf("the median delay is %v, below that of the link", d)
	}
}

func TestProbeIsRefused(t *testing.T) {
	for _, p := range []Probe{{Frames: 0, Size: 100, Burst: 1}, {Frames: 1, Size: MinProbe - 1, Burst: 1}, {Frames: 1, Size: 100}, {Frames: 1, Size: 9000, Burst: 8}} {
		if _, err := RunProbe(t.Context(), p, Options{}); err == nil || !strings.Contains(err.Error(), "a frame has 16 bytes at least") {
			t.Errorf("%+v: error %v", p, err)
		}
	}
}
