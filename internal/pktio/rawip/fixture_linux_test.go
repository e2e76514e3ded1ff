package rawip

import (
	"bytes"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"

	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

const protocol = 253

var (
	addrA = netip.MustParseAddrPort("10.77.0.1:25300")
	addrB = netip.MustParseAddrPort("10.77.0.2:25300")
	macA  = inet.MAC{2, 0, 0, 0, 0, 1}
	macB  = inet.MAC{2, 0, 0, 0, 0, 2}
	port0 = []sansio.Port{0}
)

// wire is a veth pair (MTU 1500) between two namespaces: "eth0" in each, with
// the addresses addrA and addrB.
type wire struct{ a, b ns.NetNS }

func newWire(t testing.TB) wire {
	t.Helper()
	w := wire{a: netnstest.NewSpace(t), b: netnstest.NewSpace(t)}
	netnstest.Connect(t, netnstest.Wire{
		A:     netnstest.End{Space: w.a, Iface: "eth0", Addr: netip.PrefixFrom(addrA.Addr(), 24)},
		B:     netnstest.End{Space: w.b, Iface: "eth0", Addr: netip.PrefixFrom(addrB.Addr(), 24)},
		Index: 7,
	})
	return w
}

// ofA and ofB are the configurations of the two ends.
func ofA() Config {
	return Config{Protocol: protocol, UDP: udp.Config{Bind: addrA, Iface: "eth0", MAC: macA, PeerMAC: macB}}
}

func ofB(groups ...netip.Addr) Config {
	return Config{Protocol: protocol, UDP: udp.Config{Bind: addrB, Iface: "eth0", MAC: macB, PeerMAC: macA, Groups: groups}}
}

// openIn opens a device that is closed with the test.
func openIn(t testing.TB, space ns.NetNS, cfg Config) (d *Device) {
	t.Helper()
	netnstest.In(t, space, func() (err error) {
		d, err = Open(cfg)
		return err
	})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// raw is a frame of the protocol from A to an address.
func raw(to netip.Addr, body string) sansio.Train {
	h := inet.UDPHeader(inet.Flow{SrcMAC: macA, DstMAC: macB, Src: addrA.Addr(), Dst: to})[:headers]
	ip := inet.IPv4(h[inet.EtherLen:])
	ip[9] = protocol
	ip.SetTotalLen(inet.IPv4Len + len(body))
	ip.UpdateChecksum()
	return sansio.Train{Header: h, Body: []byte(body)}
}

// datagrams is a train of UDP from A to an address.
func datagrams(to netip.AddrPort, body string, seg int) sansio.Train {
	h := inet.UDPHeader(inet.Flow{Src: addrA.Addr(), SrcPort: addrA.Port(), Dst: to.Addr(), DstPort: to.Port()})
	inet.SetUDPBody(h, len(body))
	sansio.FillPartial(h, len(body))
	return sansio.Train{Header: h, Body: []byte(body), Seg: seg, Checksum: sansio.ChecksumPartial}
}

func sendsOf(trains ...sansio.Train) []sansio.Send {
	sends := make([]sansio.Send, len(trains))
	for i := range trains {
		sends[i] = sansio.Send{To: port0, Train: trains[i]}
	}
	return sends
}

func send(t testing.TB, d *Device, trains ...sansio.Train) {
	t.Helper()
	if err := d.Send(sendsOf(trains...)); err != nil {
		t.Fatal(err)
	}
}

// recv receives until there are n frames, or fails after some seconds. Header and body are copies.
func recv(t testing.TB, d *Device, n int) (got []sansio.Train) {
	t.Helper()
	until := time.Now().Add(5 * time.Second)
	for frames := 0; frames < n; {
		arrivals, err := d.Recv(100 * time.Millisecond)
		if err != nil || time.Now().After(until) {
			t.Fatalf("%d of %d frames, error %v, statistics %+v", frames, n, err, d.Stats())
		}
		for _, a := range arrivals {
			tr := a.Train
			tr.Header, tr.Body = slices.Clone(tr.Header), slices.Clone(tr.Body)
			got = append(got, tr)
			frames += tr.Frames()
		}
	}
	return got
}

// bodies returns the payloads of frames of the protocol, or of UDP.
func bodies(list []sansio.Train, proto uint8) (out []string) {
	for i := range list {
		if inet.IPv4(list[i].Header[inet.EtherLen:]).Protocol() == proto {
			out = append(out, string(list[i].Body))
		}
	}
	return out
}

// drops returns how often a device dropped for a reason.
func drops(d *Device, reason string) uint64 {
	var t sansio.Tally
	t.Merge(d.Stats().Drops)
	return t.Get(reason)
}

// pattern returns n letters that tell their place.
func pattern(n int) string {
	return strings.Repeat("abcdefghijklmnopqrstuvwxyz", n/26+1)[:n]
}

// unreachables returns how many ICMP errors of that kind a namespace has sent.
func unreachables(t testing.TB, space ns.NetNS) (n string) {
	t.Helper()
	netnstest.In(t, space, func() error {
		b, err := os.ReadFile("/proc/thread-self/net/snmp")
		var names, values [][]byte
		for line := range bytes.Lines(b) {
			if bytes.HasPrefix(line, []byte("Icmp:")) {
				names, values = values, bytes.Fields(line)
			}
		}
		for i := range names {
			if string(names[i]) == "OutDestUnreachs" {
				n = string(values[i])
			}
		}
		return err
	})
	return n
}
