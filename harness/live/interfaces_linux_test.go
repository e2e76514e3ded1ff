package live

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/afpacket"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	xaggwire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
	"github.com/inalab/inalab/switchd/xdp"
)

// What an XDP program of a host sends arrives at the switch's packet sockets, with offloads and without,
// in a lab of a job that says XDP. In another lab the kernel drops it.
func TestXDPSendsToTheSwitch(t *testing.T) {
	needRoot(t)
	for _, c := range []struct{ asked, plain bool }{{true, false}, {true, true}, {false, false}} {
		l := newXDPLab(t, c.asked, c.plain)
		l.send(t)
		if came := l.sums(t); (came == 1) != c.asked || came > 1 {
			t.Errorf("XDP asked for: %v, plain: %v: %d sums came", c.asked, c.plain, came)
		}
		if tally, err := l.kernel.Tally(); err != nil || tally[xagg.Sent] != 1 {
			t.Errorf("%v %v", tally.Counts(), err)
		}
	}
}

// xdpLab is a lab whose first host has the aggregator of one worker, and whose switch is in the test.
type xdpLab struct {
	lab    *netns.Lab
	kernel *xdp.Aggregator
	dev    *afpacket.Device // of the switch's port to the host
	cfg    xagg.Config
	sent   uint32
}

const xdpPort = 40000 // of UDP, that the host sends the end from

func newXDPLab(t *testing.T, asked, plain bool) *xdpLab {
	t.Helper()
	j := mustJob(t, scene{system: tally{Apart: true, Raw: true}, topology: "rack", hosts: 2})
	if j.Layout.XDP = asked; asked {
		j.Layout.Queues = 2 // which the driver takes a program with only if both ends have them
	}
	name := netns.NewLabName()
	checkLeaks(t, name)
	lab, err := netns.Up(t.Context(), withInterfaces(LabSpec(name, j.Plan, !plain), job.Alone(j)), netns.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	l := &xdpLab{lab: lab}
	t.Cleanup(func() { err := errors.Join(l.close(), lab.Down()); must(t, err) })
	h, sw := &j.Plan.Hosts[0], j.Plan.Switches[0]
	l.cfg = xagg.Config{
		Values: xaggwire.MinValues, Fragments: 4, Job: 7, Host: 2, MAC: inet.MAC(h.MAC), Addr: h.Addr.Addr(), Children: []xagg.Child{{ID: 1}},
		Up: xagg.Next{MAC: inet.MAC(h.GatewayMAC), Addr: h.Gateway},
	}
	must(t, lab.Do(h.Name, func() (err error) {
		if l.kernel, err = xdp.Load(xdp.Options{Config: l.cfg}); err != nil {
			return err
		}
		_, err = l.kernel.Attach(h.Iface, xdp.Native)
		return err
	}))
	must(t, lab.Do(sw.Name, func() (err error) {
		l.dev, err = afpacket.Open(afpacket.Config{Ports: []afpacket.PortConfig{{Iface: sw.Ports[h.SwitchPort].Iface}}, Plain: plain})
		return err
	}))
	if t.Failed() {
		t.FailNow()
	}
	return l
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func (l *xdpLab) close() (err error) {
	if l.kernel != nil {
		err = l.kernel.Close()
	}
	if l.dev != nil {
		err = errors.Join(err, l.dev.Close())
	}
	return err
}

// send sends the packet that finishes a sum, and then has the host's stack send one that ends the test.
func (l *xdpLab) send(t *testing.T) {
	l.sent++
	t.Helper()
	path := xaggwire.Path{Src: l.cfg.Up.Addr, Dst: l.cfg.Addr, SrcMAC: l.cfg.Up.MAC, DstMAC: l.cfg.MAC}
	frame := xaggwire.Frame(path, xaggwire.Header{Host: 1, Gradient: l.sent, Job: l.cfg.Job}, make([]int32, l.cfg.Values))
	must(t, l.dev.Send([]sansio.Send{{To: []sansio.Port{0}, Train: sansio.NewTrain(frame, 0, sansio.ChecksumAsIs)}}))
	for limit := time.Now().Add(longEnough); time.Now().Before(limit); { // until the program has run
		if tally, err := l.kernel.Tally(); err != nil || tally[xagg.Sent] >= uint64(l.sent) {
			break
		}
	}
	must(t, l.lab.Do("h0", func() error {
		c, err := net.DialUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(l.cfg.Addr, xdpPort)), net.UDPAddrFromAddrPort(netip.AddrPortFrom(l.cfg.Up.Addr, xdpPort)))
		if err != nil {
			return err
		}
		_, err = c.Write([]byte("end"))
		return errors.Join(err, c.Close())
	}))
}

// sums returns how many frames of XAgg come until the end.
func (l *xdpLab) sums(t *testing.T) (n int) {
	t.Helper()
	for limit := time.Now().Add(longEnough); time.Now().Before(limit); {
		list, err := l.dev.Recv(time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			frame := append(append([]byte{}, list[i].Train.Header...), list[i].Train.Body...)
			if xaggwire.Ours(frame) {
				n++
			}
			if _, udp, ok := list[i].Train.UDP(); ok && udp.SrcPort() == xdpPort {
				return n
			}
		}
	}
	t.Error("the end does not come")
	return n
}
