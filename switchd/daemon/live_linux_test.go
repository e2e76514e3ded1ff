package daemon_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// Hosts reach each other and every router, by ping and by TCP with offloads on,
// through every kind of switch.
func TestPingAndTCPThroughEverySwitch(t *testing.T) {
	gigabit := topo.LinkSpec{Rate: units.GbitPerSecond, Delay: 50 * units.Microsecond}
	for _, tc := range []struct {
		name, topology string
		params         gen.Params
	}{
		{"rack", "rack", gen.Params{Hosts: 3}},
		{"shaped rack", "rack", gen.Params{Hosts: 3, Link: gigabit}},
		{"chassis", "mx480", gen.Params{Hosts: 2, Fabric: topo.LinkSpec{Delay: 10 * units.Microsecond}}},
		{"leaf-spine", "leaf-spine", gen.Params{Hosts: 4}},
		{"shaped leaf-spine", "leaf-spine", gen.Params{Hosts: 4, Link: gigabit, Uplink: gigabit}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := chassistest.Plan(t, tc.topology, tc.params)
			l := newLab(t, p, func(c *daemon.Config) { c.Chassis.Quantum = 20 * units.Microsecond })
			first, last := &p.Hosts[0], &p.Hosts[len(p.Hosts)-1]
			for i := range p.Hosts {
				if h := &p.Hosts[i]; h != first {
					l.ping(first, h.Addr.Addr(), 56)
				}
			}
			l.ping(last, first.Addr.Addr(), 20_000) // in fragments
			for i := range p.Switches {
				l.ping(first, p.Switches[i].Router, 1000)
			}
			const size = 8 << 20
			took := l.transfer(first, last, size)
			back := l.transfer(last, first, size)
			t.Logf("%d MiB by TCP: %.1f and %.1f Gbit/s", size>>20, 8*size/took.Seconds()/1e9, 8*size/back.Seconds()/1e9)
			l.end()
			for name, r := range l.reports {
				if r.Device.RxFrames == 0 || r.Device.TxFrames == 0 || len(r.Ports) == 0 {
					t.Errorf("%s: report %+v", name, r)
				}
				if tc.params.Link.Rate == 0 && (len(r.UnaskedDrops) > 0 || r.Device.RingDrops > 0) {
					t.Errorf("%s: drops %v, of the device %d and %v", name, r.UnaskedDrops, r.Device.RingDrops, r.Device.Drops)
				}
				t.Logf("%s (%s): %v, drops of links %v %v", name, r.Device.Offload, r.Counters, r.AskedDrops, r.UnaskedDrops)
			}
		})
	}
}

// A packet to nowhere is answered by an ICMP error, which the kernel hands to
// the socket that sent it.
func TestKernelUnderstandsOurErrors(t *testing.T) {
	p := chassistest.Plan(t, "leaf-spine", gen.Params{Hosts: 4})
	l := newLab(t, p, nil)
	h := &p.Hosts[0]
	l.ping(h, h.Gateway, 0) // the links are up
	for _, tc := range []struct {
		to   string
		want error
	}{
		{"10.1.255.254:9", unix.ECONNREFUSED},
		{"10.2.0.99:9", unix.EHOSTUNREACH}, // leaf1 has no such host
		{"192.0.2.1:9", unix.ENETUNREACH},
	} {
		l.in(h.Name, func() error {
			c, err := net.Dial("udp4", tc.to)
			if err != nil {
				return err
			}
			defer c.Close()
			if err := setsockopt(c.(*net.UDPConn), unix.SOL_IP, unix.IP_RECVERR, 1); err != nil { // else only refusals are told
				return err
			}
			if _, err := c.Write([]byte("hello")); err != nil {
				return err
			}
			if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
				return err
			}
			if _, err := c.Read(make([]byte, 9)); !errors.Is(err, tc.want) {
				t.Errorf("%s: %v, want %v", tc.to, err, tc.want)
			}
			return nil
		})
	}
}

// What serialisation and delay on a live link come to is printed; it is the
// harness that judges them.
func TestSerialisationOfALiveLink(t *testing.T) {
	const payload, frames = 8972, 1115 // 10 MB
	const frameTime = (payload + inet.UDPHeaders + 24) * 8 * time.Nanosecond
	link := topo.LinkSpec{Rate: units.GbitPerSecond, Delay: 100 * units.Microsecond, Queue: 16 * units.MiB}
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2, Link: link})
	l := newLab(t, p, func(c *daemon.Config) {
		c.Chassis.Quantum = 20 * units.Microsecond
		c.RingFrames = 256 // all 160 super-packets, which come at the speed of memory
	})
	a, b := &p.Hosts[0], &p.Hosts[1]
	l.ping(a, b.Addr.Addr(), 0)
	var in *net.UDPConn
	l.in(b.Name, func() (err error) {
		in, err = net.ListenUDP("udp4", &net.UDPAddr{IP: b.Addr.Addr().AsSlice(), Port: 9})
		return err
	})
	defer in.Close()
	if err := setsockopt(in, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20); err != nil {
		t.Fatal(err)
	}
	if err := in.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	start := time.Now()
	go func() {
		sent <- l.spaces[a.Name].Do(func(ns.NetNS) error { return blast(b, payload, frames) })
	}()
	buf := make([]byte, payload+1)
	for i := range frames {
		n, err := in.Read(buf)
		if err != nil || n != payload {
			l.end()
			r := l.reports["tor"]
			t.Fatalf("frame %d of %d bytes: %v; counters %v, device %+v", i, n, err, r.Counters, r.Device)
		}
	}
	took := time.Since(start)
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	const want = (frames+1)*frameTime + 2*100*time.Microsecond // the last frame is sent twice, by host and switch
	t.Logf("10 MB at 1 Gbit/s: %v, analytic %v (%+.2f%%)", took, want, 100*(took-want).Seconds()/want.Seconds())
	rtt := l.ping(a, b.Addr.Addr(), 0)
	const pingFrame = (inet.EtherLen + inet.IPv4Len + inet.ICMPLen + 24) * 8 * time.Nanosecond
	t.Logf("ping: %v, analytic %v", rtt, 4*(100*time.Microsecond+pingFrame))
	l.end()
	r := l.reports["tor"]
	t.Logf("lateness %+v", r.Drive.Lateness)
	if len(r.UnaskedDrops)+len(r.AskedDrops) > 0 {
		t.Errorf("drops %v and %v", r.UnaskedDrops, r.AskedDrops)
	}
}

func setsockopt(c *net.UDPConn, level, option, value int) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), level, option, value) })
	return errors.Join(err, failed)
}

// blast sends frames of size bytes of payload as super-packets.
func blast(to *plan.Host, size, frames int) error {
	c, err := net.DialUDP("udp4", nil, &net.UDPAddr{IP: to.Addr.Addr().AsSlice(), Port: 9})
	if err != nil {
		return err
	}
	defer c.Close()
	if err := setsockopt(c, unix.SOL_UDP, unix.UDP_SEGMENT, size); err != nil {
		return err
	}
	const most = 7 // of 8972 bytes in 65507
	for sent := 0; sent < frames; sent += most {
		if _, err := c.Write(make([]byte, min(most, frames-sent)*size)); err != nil {
			return err
		}
	}
	return nil
}

// ping sends n bytes of echo request to an address until they come back, and
// returns how long that took.
func (l *lab) ping(from *plan.Host, to netip.Addr, n int) (took time.Duration) {
	l.t.Helper()
	l.in(from.Name, func() error {
		c, err := net.ListenPacket("ip4:icmp", from.Addr.Addr().String())
		if err != nil {
			return err
		}
		defer c.Close()
		for seq := uint16(1); seq <= 20; seq++ {
			start := time.Now()
			if _, err := c.WriteTo(echoRequest(seq, n), &net.IPAddr{IP: to.AsSlice()}); err != nil {
				return err
			}
			switch err := awaitReply(c, to, echoRequest(seq, n), start.Add(patience/20)); {
			case err == nil:
				took = time.Since(start)
				return nil
			case !errors.Is(err, os.ErrDeadlineExceeded):
				return err
			}
		}
		return fmt.Errorf("no answer to ping of %v", to)
	})
	return took
}

func echoRequest(seq uint16, n int) []byte {
	m := make([]byte, inet.ICMPLen+n)
	m[0] = 8
	binary.BigEndian.PutUint16(m[6:], seq)
	for i := range n {
		m[inet.ICMPLen+i] = byte(i * 7)
	}
	binary.BigEndian.PutUint16(m[2:], ^inet.Fold(inet.Sum(m, 0)))
	return m
}

// awaitReply reads until the reply to req comes from an address.
func awaitReply(c net.PacketConn, from netip.Addr, req []byte, until time.Time) error {
	if err := c.SetReadDeadline(until); err != nil {
		return err
	}
	buf := make([]byte, 1<<16)
	for {
		n, addr, err := c.ReadFrom(buf)
		if err != nil {
			return err
		}
		if addr.String() == from.String() && n == len(req) && buf[0] == 0 && bytes.Equal(buf[4:n], req[4:]) {
			return nil
		}
	}
}

// transfer sends n bytes by TCP, checks them, and returns how long that took.
func (l *lab) transfer(from, to *plan.Host, n int) time.Duration {
	l.t.Helper()
	var listener net.Listener
	l.in(to.Name, func() (err error) {
		listener, err = net.Listen("tcp4", netip.AddrPortFrom(to.Addr.Addr(), 0).String())
		return err
	})
	defer listener.Close()
	var out net.Conn
	l.in(from.Name, func() (err error) {
		out, err = net.DialTimeout("tcp4", listener.Addr().String(), patience)
		return err
	})
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i*i>>8 ^ i)
	}
	start := time.Now()
	sent := make(chan error, 1)
	go func() {
		_, err := out.Write(data)
		sent <- errors.Join(err, out.Close())
	}()
	in, err := listener.Accept()
	if err != nil {
		l.t.Fatal(err)
	}
	defer in.Close()
	if err := in.SetReadDeadline(time.Now().Add(patience)); err != nil {
		l.t.Fatal(err)
	}
	sum := sha256.New()
	got, err := io.Copy(sum, in)
	took := time.Since(start)
	if err := errors.Join(err, <-sent); err != nil || got != int64(n) || [32]byte(sum.Sum(nil)) != sha256.Sum256(data) {
		l.t.Fatalf("%s to %s: %d of %d bytes arrived, %v", from.Name, to.Name, got, n, err)
	}
	return took
}
