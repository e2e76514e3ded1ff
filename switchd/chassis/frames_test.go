package chassis

import (
	"bytes"
	"slices"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo/plan"
)

// EtherTypes beside those of inet.
const (
	typeIPv6         uint16 = 0x86dd
	typeExperimental uint16 = 0x88b5 // IEEE 802, for local experiments
)

// frameKinds make frames of every kind from one host to another.
var frameKinds = map[string]func(rt *rapid.T, a, b *plan.Host) sansio.Train{
	"udp": func(rt *rapid.T, a, b *plan.Host) sansio.Train {
		return hostTrain(a, b, rapid.IntRange(1, 5).Draw(rt, "frames"), rapid.IntRange(1, 400).Draw(rt, "size")).Train
	},
	"tcp": func(rt *rapid.T, a, b *plan.Host) sansio.Train {
		h := inet.TCPHeader(flow(a, b), 12)
		body := rapid.SliceOfN(rapid.Byte(), 1, 900).Draw(rt, "body")
		inet.SetTCPBody(h, len(body))
		sansio.FillPartial(h, len(body))
		return sansio.Train{Header: h, Body: body, Seg: rapid.IntRange(100, 300).Draw(rt, "mss"), Checksum: sansio.ChecksumPartial}
	},
	"tcp, summed": func(_ *rapid.T, a, b *plan.Host) sansio.Train { return summedTCP(flow(a, b), []byte("summed")) },
	"ping":        func(_ *rapid.T, a, b *plan.Host) sansio.Train { return echoRequest(flow(a, b)) },
	"ping of the router": func(_ *rapid.T, a, _ *plan.Host) sansio.Train {
		return echoRequest(from(a, 0))
	},
	"nobody listens": func(_ *rapid.T, a, _ *plan.Host) sansio.Train { return trainOf(from(a, 9), []byte("?")) },
	"padded": func(_ *rapid.T, a, b *plan.Host) sansio.Train {
		t := trainOf(flow(a, b), []byte("short"))
		t.Body, t.Seg = append(t.Body, make([]byte, 13)...), 0 // 60 bytes
		return t
	},
	"fragment": func(_ *rapid.T, a, b *plan.Host) sansio.Train {
		t := trainOf(flow(a, b), []byte("part of a longer one"))
		inet.IPv4(t.Header[inet.EtherLen:])[6] |= 0x20 // more follow
		return whole(t)
	},
	"malformed": func(_ *rapid.T, a, b *plan.Host) sansio.Train {
		t := trainOf(flow(a, b), []byte("of a wrong length"))
		inet.IPv4(t.Header[inet.EtherLen:]).SetTotalLen(1400)
		return whole(t)
	},
	"expired": func(_ *rapid.T, a, b *plan.Host) sansio.Train {
		t := trainOf(from(a, 9), []byte("far away"))
		ip := inet.IPv4(t.Header[inet.EtherLen:])
		ip.SetDst(b.Addr.Addr())
		ip.SetTTL(1)
		ip.UpdateChecksum()
		return t
	},
	"arp":          func(_ *rapid.T, a, b *plan.Host) sansio.Train { return arpRequest(a, b.Addr.Addr().As4()) },
	"arp, router":  func(_ *rapid.T, a, _ *plan.Host) sansio.Train { return arpRequest(a, a.Gateway.As4()) },
	"ipv6":         func(_ *rapid.T, a, b *plan.Host) sansio.Train { return etherFrame(a, b, typeIPv6, 50) },
	"experimental": func(_ *rapid.T, a, b *plan.Host) sansio.Train { return etherFrame(a, b, typeExperimental, 30) },
	"no ethernet":  func(_ *rapid.T, _, _ *plan.Host) sansio.Train { return sansio.Train{Header: []byte("short")} },
}

// flow is that of UDP and TCP between two hosts of a subnet.
func flow(a, b *plan.Host) inet.Flow {
	f := from(a, 7)
	f.DstMAC, f.Dst = inet.MAC(b.MAC), b.Addr.Addr()
	return f
}

// whole makes a train of one that is all header, as for a frame that does not parse.
func whole(t sansio.Train) sansio.Train {
	return sansio.Train{Header: append(bytes.Clone(t.Header), t.Body...)}
}

func summedTCP(f inet.Flow, body []byte) sansio.Train {
	h := inet.TCPHeader(f, 0)
	inet.SetTCPBody(h, len(body))
	tcp := inet.TCP(h[inet.EtherLen+inet.IPv4Len:])
	tcp.SetChecksum(inet.TransportChecksum(inet.IPv4(h[inet.EtherLen:]), tcp, body))
	return sansio.Train{Header: h, Body: body}
}

func echoRequest(f inet.Flow) sansio.Train {
	h := inet.UDPHeader(f)[:inet.EtherLen+inet.IPv4Len]
	msg := []byte{8, 0, 0, 0, 1, 2, 3, 4, 'p', 'i', 'n', 'g'}
	sum := ^inet.Fold(inet.Sum(msg, 0))
	msg[2], msg[3] = byte(sum>>8), byte(sum)
	ip := inet.IPv4(h[inet.EtherLen:])
	ip[9] = inet.ProtoICMP
	ip.SetTotalLen(inet.IPv4Len + len(msg))
	ip.UpdateChecksum()
	return sansio.Train{Header: h, Body: msg}
}

func arpRequest(a *plan.Host, who [4]byte) sansio.Train {
	h := make([]byte, inet.EtherLen+inet.ARPLen)
	inet.Ether(h).Put(inet.BroadcastMAC, inet.MAC(a.MAC), inet.TypeARP)
	copy(h[inet.EtherLen:], []byte{0, 1, 8, 0, 6, 4, 0, 1})
	copy(h[inet.EtherLen+8:], a.MAC[:])
	copy(h[inet.EtherLen+14:], a.Addr.Addr().AsSlice())
	copy(h[inet.EtherLen+24:], who[:])
	return sansio.Train{Header: h}
}

func etherFrame(a, b *plan.Host, etherType uint16, n int) sansio.Train {
	h := make([]byte, inet.EtherLen+n)
	inet.Ether(h).Put(inet.MAC(b.MAC), inet.MAC(a.MAC), etherType)
	return sansio.Train{Header: h}
}

func drawFrame(rt *rapid.T, p *plan.Plan) sansio.Arrival {
	a := &p.Hosts[rapid.IntRange(0, len(p.Hosts)-1).Draw(rt, "from")]
	b := &p.Hosts[(a.Index+rapid.IntRange(1, len(p.Hosts)-1).Draw(rt, "other"))%len(p.Hosts)]
	kind := rapid.SampledFrom(slices.Sorted(func(yield func(string) bool) {
		for k := range frameKinds {
			if !yield(k) {
				return
			}
		}
	})).Draw(rt, "kind")
	return sansio.Arrival{Port: sansio.Port(a.SwitchPort), Train: frameKinds[kind](rt, a, b)}
}

func drawArrival(rt *rapid.T, p *plan.Plan) sansio.Arrival {
	h := &p.Hosts[rapid.IntRange(0, 5).Draw(rt, "host")]
	if rapid.Bool().Draw(rt, "aggregate") {
		blocks := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 6).Draw(rt, "blocks")
		return trioTrain(h, 16, blocks...)
	}
	to := &p.Hosts[(h.Index+rapid.IntRange(1, 5).Draw(rt, "other"))%6]
	return hostTrain(h, to, rapid.IntRange(1, 8).Draw(rt, "frames"), rapid.IntRange(1, 300).Draw(rt, "size"))
}

// byPort sorts deliveries by port; those of one port stay in order.
func byPort(d []delivery) []delivery {
	slices.SortStableFunc(d, func(a, b delivery) int { return int(a.Port - b.Port) })
	return d
}

// fareAlike gives trains to one chassis, and their frames one by one to another, and wants of
// both the same.
func fareAlike(rt *rapid.T, together, apart *rig, draw func() sansio.Arrival) {
	now := units.Time(0)
	for range rapid.IntRange(1, 12).Draw(rt, "trains") {
		now += units.Time(rapid.IntRange(0, 2000).Draw(rt, "gap ns")) * 1000
		in := draw()
		together.handle(now, in)
		var single []sansio.Arrival
		for i := range in.Train.Frames() {
			single = append(single, sansio.Arrival{Port: in.Port, Train: in.Train.Frame(i, nil)})
		}
		apart.handle(now, single...)
	}
	end := units.Time(50 * units.Millisecond)
	together.until(end)
	apart.until(end)
	if diff := cmp.Diff(byPort(apart.take()), byPort(together.take())); diff != "" {
		rt.Fatalf("frames differ (-apart +together):\n%s", diff)
	}
	if diff := cmp.Diff(apart.c.Counters(), together.c.Counters()); diff != "" {
		rt.Fatalf("counters differ (-apart +together):\n%s", diff)
	}
	if diff := cmp.Diff(apart.c.PortStats(), together.c.PortStats()); diff != "" {
		rt.Fatalf("port counters differ (-apart +together):\n%s", diff)
	}
}
