package live

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/containernetworking/plugins/pkg/ns"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	wireatp "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	wiresml "github.com/inalab/inalab/internal/wire/switchml"
	wiretrio "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// bad is a frame that nobody wants, and under what name it is to be counted:
// by the switch, or by the worker that it was sent to.
type bad struct {
	reason string
	frame  []byte
}

// Frames of all kinds of nonsense, sent from a host's namespace while a job
// runs, are counted by reason and change nothing else.
func TestNonsenseIsCountedAndDoesNoHarm(t *testing.T) {
	for _, tc := range []struct {
		system   job.System
		topology string
		protocol func(*plan.Plan) []bad
	}{
		{switchml.System{}, "rack", badSwitchML},
		{trioml.System{}, "mx480", badTrioML},
		{atp.System{}, "rack", badATP},
	} {
		t.Run(tc.system.Name(), func(t *testing.T) {
			opt := options(t)
			j := mustJob(t, scene{system: tc.system, topology: tc.topology, iterations: 40})
			nonsense := slices.Concat(tc.protocol(j.Plan), badFrames(j.Plan), noise(j.Plan))
			var once sync.Once
			opt.Progress = func([]result.Sample) { // the run cannot end meanwhile
				once.Do(func() {
					if err := inject(netns.Path(opt.Lab, "h0"), j.Plan.Hosts[0].Gateway, nonsense); err != nil {
						t.Error(err)
					}
				})
			}
			checkReasons(t, j, mustRun(t, j, opt), nonsense)
		})
	}
}

// checkReasons wants as many frames counted for each reason as were sent, or
// more: of noise some is like something else.
func checkReasons(t *testing.T, j *job.Job, cell result.Cell, sent []bad) {
	t.Helper()
	want := map[string]uint64{}
	for _, b := range sent {
		if b.reason != "" {
			want[b.reason]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(want)) {
		if n := counted(cell, reason, nil); n < want[reason] {
			t.Errorf("%d frames are counted as %s, want %d", n, reason, want[reason])
		}
	}
	victim := j.Plan.Hosts[1].Name
	for _, c := range cell.Counters {
		hit := c.Node == victim && strings.HasSuffix(c.Name, "foreign-packet")
		if bystander := strings.HasSuffix(c.Name, "foreign-packet") && !hit; bystander {
			t.Errorf("%s counts %d of %s", c.Node, c.N, c.Name)
		}
	}
}

// burstLength is how many frames are sent at once: a port of the switch has
// room for 64.
const burstLength = 16

// inject sends frames from a host's interface as they are. It asks for an
// answer of the switch now and then, so as not to be faster than that takes
// them.
func inject(namespace string, gateway netip.Addr, frames []bad) error {
	return ns.WithNetNSPath(namespace, func(ns.NetNS) error {
		conn, err := net.ListenPacket("ip4:icmp", "0.0.0.0")
		if err != nil {
			return err
		}
		defer conn.Close()
		pinger := &pinger{conn: conn, buf: make([]byte, 1<<16)}
		for part := range slices.Chunk(frames, burstLength) {
			if err := sendRaw(part); err != nil {
				return err
			}
			if _, err := pinger.ping(gateway, 8); err != nil {
				return err
			}
		}
		return nil
	})
}

func sendRaw(frames []bad) error {
	link, err := net.InterfaceByName(plan.HostIface)
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	to := &unix.SockaddrLinklayer{Ifindex: link.Index}
	for _, b := range frames {
		if err := unix.Sendto(fd, b.frame, 0, to); err != nil {
			return errors.Join(fmt.Errorf("send %s of %d bytes: %w", b.reason, len(b.frame), err), unix.Close(fd))
		}
	}
	return unix.Close(fd)
}

// toSwitch is a flow from the first host to the switch.
func toSwitch(p *plan.Plan, port uint16) inet.Flow {
	h := &p.Hosts[0]
	return inet.Flow{
		SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(h.GatewayMAC), Src: h.Addr.Addr(), Dst: p.Switches[0].Router, SrcPort: port, DstPort: port,
	}
}

// datagram is a right UDP frame around a payload.
func datagram(f inet.Flow, payload []byte) []byte {
	h := inet.UDPHeader(f)
	inet.SetUDPBody(h, len(payload))
	return append(h, payload...)
}

// spoiled is a datagram to the switch in which one thing is not right.
func spoiled(p *plan.Plan, reason string, spoil func(frame []byte) []byte) bad {
	return bad{reason, spoil(datagram(toSwitch(p, 9), make([]byte, 100)))}
}

// badFrames are of no protocol, or break those below UDP.
func badFrames(p *plan.Plan) []bad {
	ip := func(b []byte) inet.IPv4 { return inet.IPv4(b[inet.EtherLen:]) }
	udp := func(b []byte) inet.UDP { return inet.UDP(b[inet.EtherLen+inet.IPv4Len:]) }
	readdressed := func(reason string, dst inet.MAC) bad {
		return spoiled(p, reason, func(b []byte) []byte { copy(b, dst[:]); return b })
	}
	return []bad{
		{string(inet.NotIPv4), append(ether(p, 0x88b5), make([]byte, 50)...)}, // IEEE 802, local experimental
		{string(inet.ShortIP), append(ether(p, inet.TypeIPv4), 0x45, 0, 0)},
		spoiled(p, string(inet.BadIPVersion), func(b []byte) []byte { ip(b)[0] = 0x65; return b }),
		spoiled(p, string(inet.BadIPLength), func(b []byte) []byte { return b[:len(b)-40] }),
		spoiled(p, string(inet.BadUDPLength), func(b []byte) []byte { udp(b).SetLen(4000); return b }),
		spoiled(p, string(inet.ShortL4), func(b []byte) []byte {
			ip(b).SetTotalLen(inet.IPv4Len + 3)
			ip(b).UpdateChecksum()
			return b[:inet.EtherLen+inet.IPv4Len+3]
		}),
		spoiled(p, "to-switch-unclaimed", func(b []byte) []byte { return b }),
		spoiled(p, "ttl-exceeded", func(b []byte) []byte {
			ip(b).SetDst(p.Hosts[1].Addr.Addr())
			ip(b).SetTTL(1)
			ip(b).UpdateChecksum()
			return b
		}),
		spoiled(p, "no-route", func(b []byte) []byte {
			ip(b).SetDst(netip.MustParseAddr("192.0.2.1"))
			ip(b).UpdateChecksum()
			return b
		}),
		readdressed("broadcast", inet.BroadcastMAC),
		readdressed("unknown-unicast", inet.MAC{2, 0, 0, 9, 9, 9}),
		{"bad-arp", append(ether(p, inet.TypeARP), make([]byte, 20)...)},
		{"unsolicited-arp", append(ether(p, inet.TypeARP), 0, 1, 8, 0, 6, 4, 0, 2, 2, 0, 0, 0, 0, 9, 10, 0, 0, 99, 2, 0, 0, 0, 0, 8, 10, 0, 0, 98)},
	}
}

// noise is random bytes behind an Ethernet header, half of it said to be IPv4.
func noise(p *plan.Plan) (out []bad) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		b := make([]byte, random.IntN(1500))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		out = append(out, bad{"", append(ether(p, inet.TypeIPv4), b...)}, bad{"", append(ether(p, uint16(random.Uint32())|0x0600), b...)})
	}
	return out
}

// ether is the Ethernet header of a frame from the first host to the switch.
func ether(p *plan.Plan, kind uint16) []byte {
	b := make([]byte, inet.EtherLen)
	inet.Ether(b).Put(inet.MAC(p.Hosts[0].GatewayMAC), inet.MAC(p.Hosts[0].MAC), kind)
	return b
}

// toWorker is what a result to the second host looks like, forged by the first.
func toWorker(p *plan.Plan, src, dst uint16) inet.Flow {
	h := &p.Hosts[1]
	return inet.Flow{
		SrcMAC: inet.MAC(p.Hosts[0].MAC), DstMAC: inet.MAC(h.MAC), Src: p.Switches[0].Router, Dst: h.Addr.Addr(), SrcPort: src, DstPort: dst,
	}
}

const switchmlWorkerPort = 49200 // of package job

func badSwitchML(p *plan.Plan) []bad {
	const elements = 256
	packet := func(slot uint16, values int) []byte {
		size, _ := wiresml.SizeOf(elements)
		b := make([]byte, wiresml.HeaderLen+4*values)
		wiresml.Header{Type: wiresml.TypeConsume, Size: size, Slot: slot}.Put(b)
		return b
	}
	up := toSwitch(p, wiresml.Port)
	stranger := up
	stranger.Src = netip.MustParseAddr("10.1.0.77")
	stranger.SrcMAC = inet.MAC{2, 0, 0, 7, 7, 7}
	other := packet(0, 64)
	size64, _ := wiresml.SizeOf(64)
	wiresml.Header{Type: wiresml.TypeConsume, Size: size64}.Put(other)
	down := toWorker(p, wiresml.Port, switchmlWorkerPort)
	return []bad{
		{"switchml-short-header", datagram(up, []byte{1, 2, 3})},
		{"switchml-bad-type", datagram(up, make([]byte, wiresml.HeaderLen+4*elements))},
		{"switchml-bad-size-code", datagram(up, append([]byte{0x17}, make([]byte, 100)...))},
		{"switchml-truncated", datagram(up, packet(0, elements-1))},
		{"switchml-oversized", datagram(up, packet(0, elements+1))},
		{"switchml-slot-out-of-range", datagram(up, packet(9999, elements))},
		{"switchml-size-of-another-job", datagram(up, other)},
		{"switchml-unknown-worker", datagram(stranger, packet(0, elements))},
		{"switchml-truncated", datagram(down, packet(0, 3))},
		{"switchml-foreign-packet", datagram(down, packet(9999, elements))},
		{"switchml-foreign-packet", datagram(toWorker(p, 1, switchmlWorkerPort), []byte("hello"))},
	}
}

// badATP are of a worker, and about numbers that are not used: others would be its own gradients.
func badATP(p *plan.Plan) []bad {
	last := &p.Hosts[len(p.Hosts)-1]
	server := toWorker(p, wireatp.Port, wireatp.Port)
	server.DstMAC, server.Src, server.Dst = inet.MAC(last.MAC), p.Hosts[0].Addr.Addr(), last.Addr.Addr()
	forged := toWorker(p, wireatp.Port, wireatp.Port)
	forged.Src = last.Addr.Addr()
	const far = 1 << 23
	packet := func(change func(h *wireatp.Header)) []byte {
		b := make([]byte, wireatp.PayloadLen)
		h := wireatp.Header{Bitmaps: [2]uint32{1, 1}, Job: 1, Sequence: far, FanIns: [2]uint8{6, 1}}
		change(&h)
		h.Put(b)
		return b
	}
	ack := func(h *wireatp.Header) { h.Flags, h.Sequence = wireatp.IsAck, 1 }
	return []bad{
		{string(wireatp.Truncated), datagram(server, packet(func(*wireatp.Header) {})[:wireatp.PayloadLen-4])},
		{string(wireatp.BadSequence), datagram(server, packet(func(h *wireatp.Header) { h.Sequence = 0 }))},
		{"atp-not-here-passed", datagram(server, packet(func(h *wireatp.Header) { h.Bitmaps[0] = 2 }))},
		{"atp-fan-in-of-another-job", datagram(server, packet(func(h *wireatp.Header) { h.FanIns[0] = 5 }))},
		{"atp-index-beyond-the-table", datagram(server, packet(func(h *wireatp.Header) { h.Index = 65535 }))},
		{"atp-server-ahead", datagram(server, packet(func(h *wireatp.Header) { h.Flags = wireatp.Resend }))},
		{"atp-unknown-job-passed", datagram(server, packet(func(h *wireatp.Header) { h.Job = 77 }))},
		{"atp-server-other-job", datagram(server, packet(func(h *wireatp.Header) { h.Job = 78 }))},
		{"atp-reserved-flags-passed", datagram(server, packet(func(h *wireatp.Header) { h.Flags = wireatp.IsAck | wireatp.EdgeSwitch }))},
		{"atp-forged-parameters", datagram(forged, packet(ack))},
		{"atp-forged-parameters", datagram(server, packet(ack))},
		{"atp-foreign-packet", datagram(forged, packet(func(h *wireatp.Header) { ack(h); h.Job = 77 }))},
	}
}

func badTrioML(p *plan.Plan) []bad {
	packet := func(h wiretrio.Header, values int) []byte {
		b := make([]byte, wiretrio.HeaderLen+4*values)
		h.Put(b)
		return b
	}
	up := toSwitch(p, wiretrio.Port)
	down := toWorker(p, wiretrio.Port, wiretrio.Port)
	return []bad{
		{"trioml-short-header", datagram(up, []byte{1, 2, 3})},
		{"trioml-no-gradients", datagram(up, packet(wiretrio.Header{Job: 1}, 0))},
		{"trioml-truncated", datagram(up, packet(wiretrio.Header{Job: 1, Grads: 1024}, 1023))},
		{"trioml-oversized", datagram(up, packet(wiretrio.Header{Job: 1, Grads: 4}, 5))},
		{"trioml-unknown-job", datagram(up, packet(wiretrio.Header{Job: 9, Grads: 4}, 4))},
		{"trioml-unknown-source", datagram(up, packet(wiretrio.Header{Job: 1, Source: 99, Grads: 4}, 4))},
		{"trioml-foreign-packet", datagram(down, packet(wiretrio.Header{Job: 9, Grads: 4}, 4))},
		{"trioml-foreign-packet", datagram(toWorker(p, 1, wiretrio.Port), []byte("hello"))},
	}
}
