package forward

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo/plan"
)

// A train means its frames: sent one by one they fare as they do together.
func TestTrainsAndFramesFareAlike(t *testing.T) {
	p := leafSpine(t)
	sw, _ := p.Switch("leaf0")
	rapid.Check(t, func(rt *rapid.T) {
		groups := []Group{{Addr: plan.Group(0), Ports: []sansio.Port{0, 1, 2}}}
		whole, err := New(Config{Switch: *sw, Groups: groups, Seed: 1})
		if err != nil {
			rt.Fatal(err)
		}
		single, _ := New(Config{Switch: *sw, Groups: groups, Seed: 1})
		at := sansio.Port(rapid.IntRange(0, 3).Draw(rt, "port"))
		tr := drawTrain(rt, p)
		together := perPort(forward(whole, at, tr))
		var apart [4][][]byte
		for i := range tr.Frames() {
			for q, frames := range perPort(forward(single, at, tr.Frame(i, nil))) {
				apart[q] = append(apart[q], frames...)
			}
		}
		if diff := cmp.Diff(apart, together); diff != "" {
			rt.Fatalf("frames differ (-apart +together):\n%s", diff)
		}
		if diff := cmp.Diff(single.Counters(), whole.Counters()); diff != "" {
			rt.Fatalf("counters differ (-apart +together):\n%s", diff)
		}
	})
}

func drawTrain(rt *rapid.T, p *plan.Plan) sansio.Train {
	from := &p.Hosts[rapid.IntRange(0, 1).Draw(rt, "from")]
	to := &p.Hosts[rapid.IntRange(0, 3).Draw(rt, "to")]
	group := plan.MAC(inet.MulticastMAC(plan.Group(0)))
	f := flow(from, to, rapid.SampledFrom([]plan.MAC{from.GatewayMAC, to.MAC, group, p.Switches[0].Ports[2].MAC}).Draw(rt, "mac"))
	switch rapid.IntRange(0, 3).Draw(rt, "dst") {
	case 0:
		f.Dst = plan.Group(0)
	case 1:
		f.Dst = from.Gateway
	}
	seg := rapid.IntRange(1, 40).Draw(rt, "segment")
	b := udp(f, rapid.IntRange(1, 10*seg).Draw(rt, "bytes"))
	ip := inet.IPv4(b[inet.EtherLen:])
	ip.SetID(uint16(rapid.IntRange(0, 3).Draw(rt, "id")))
	ip.SetTTL(uint8(rapid.IntRange(0, 3).Draw(rt, "ttl")))
	ip.UpdateChecksum()
	sansio.FillPartial(b[:inet.UDPHeaders], len(b)-inet.UDPHeaders)
	return sansio.NewTrain(b, seg, sansio.ChecksumPartial)
}

// perPort returns the frames that left by each port of a leaf, in order.
func perPort(sends []sansio.Send) (out [4][][]byte) {
	for _, s := range sends {
		for _, at := range s.To {
			for i := range s.Train.Frames() {
				out[at] = append(out[at], bytesOf(s.Train.Frame(i, nil)))
			}
		}
	}
	return out
}

// Any bytes at all are forwarded or counted, and left as they are.
func FuzzForward(f *testing.F) {
	p := leafSpine(f)
	sw, _ := p.Switch("leaf0")
	h0, h1, h2 := &p.Hosts[0], &p.Hosts[1], &p.Hosts[2]
	for _, b := range [][]byte{
		nil,
		udp(flow(h0, h1, h1.MAC), 40),
		udp(flow(h0, h2, sw.MAC), 40),
		ping(h0, sw.MAC, sw.Router, 8),
		ping(h0, sw.MAC, h2.Addr.Addr(), 8),
		arpRequest(h0, inet.BroadcastMAC, sw.Router),
		arpRequest(h0, inet.BroadcastMAC, h1.Addr.Addr()),
		append(slices.Clone(udp(flow(h0, h2, plan.MAC(inet.MulticastMAC(plan.Group(0)))), 8)), 0, 0),
	} {
		f.Add(b, 0, 16)
		f.Add(b, 2, 0)
	}
	f.Fuzz(func(t *testing.T, b []byte, at, seg int) {
		fp, _ := planeOf(t, p, "leaf0", Group{Addr: plan.Group(0), Ports: []sansio.Port{0, 1, 2, 3}})
		before := slices.Clone(b)
		tr := sansio.NewTrain(b, max(0, seg%2000), sansio.ChecksumAsIs)
		if tr.Frames() > sansio.MaxTrainFrames || len(b) > 1<<16 {
			t.Skip("no driver makes such a train")
		}
		sends := forward(fp, sansio.Port(at%5), tr)
		if len(sends) == 0 && len(fp.Counters()) == 0 && !bytes.Equal(b[:min(6, len(b))], inet.BroadcastMAC[:]) {
			t.Errorf("neither forwarded nor counted: %x", b)
		}
		if !bytes.Equal(b, before) {
			t.Errorf("the frame was changed from %x to %x", before, b)
		}
		for _, s := range sends {
			for _, q := range s.To {
				if q < 0 || q > 3 {
					t.Errorf("sent by port %d of %x", q, b)
				}
			}
		}
	})
}
