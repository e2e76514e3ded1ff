package live

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// quanta are how finely links deliver in the measurements: exactly, as fine as
// the system wakes up, and as in runs of jobs.
var quanta = []units.Duration{0, 20 * units.Microsecond, linkQuantum}

// What 10 MB take over a link of 1 Gbit/s is printed for a person to hold
// against the analytic time; a machine that is busy with other things may make
// it longer, so that the test wants no more than the order.
func TestSerialisationOfALiveLink(t *testing.T) {
	heavy(t)
	const frame = 8972 // payload that fills an MTU of 9000
	const frames = 1115
	link := topo.LinkSpec{Rate: units.GbitPerSecond, Queue: 16 * units.MiB}
	p, err := planOf("rack", gen.Params{Hosts: 2, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	for _, quantum := range quanta {
		t.Run(fmt.Sprintf("quantum %v", quantum), func(t *testing.T) {
			r := newRig(t, p, rigOptions{quantum: quantum, ringFrames: 256}) // all super-packets come at the speed of memory
			wire := link.Rate.TimeToSend(frame + inet.UDPHeaders + units.EthernetFraming)
			// The last frame is sent twice: by the host and by the switch.
			want := time.Duration(wire/units.Nanosecond) * (frames + 1)
			took := slices.Sorted(r.times(3, func() time.Duration { return r.burst(&p.Hosts[0], &p.Hosts[1], frame, frames) }))
			r.stop()
			middle := took[len(took)/2]
			t.Logf("10 MB at 1 Gbit/s: %v, analytic %v (median %+.3f%%); timers late by %v in the middle, %v at most", took, want,
				percent(middle, want), r.reports[0].Drive.Lateness.P50, r.reports[0].Drive.Lateness.Max)
			if off := percent(took[0], want); off < -1 || off > 20 {
				t.Errorf("the best of %v differs from %v by %+.2f%%", took, want, off)
			}
			if drops := append(r.reports[0].AskedDrops, r.reports[0].UnaskedDrops...); len(drops) > 0 {
				t.Errorf("drops %v", drops)
			}
		})
	}
}

// times calls f n times.
func (r *rig) times(n int, f func() time.Duration) func(yield func(time.Duration) bool) {
	return func(yield func(time.Duration) bool) {
		for range n {
			if !yield(f()) {
				return
			}
		}
	}
}

func percent(got, want time.Duration) float64 {
	return 100 * (float64(got) - float64(want)) / float64(want)
}

// burst sends frames as super-packets, as fast as memory allows, and returns
// the time from the first to the arrival of the last.
func (r *rig) burst(from, to *plan.Host, size, frames int) time.Duration {
	r.t.Helper()
	out, in := r.sockets(from, to)
	if err := setsockopt(out, unix.SOL_UDP, unix.UDP_SEGMENT, size); err != nil {
		r.t.Fatal(err)
	}
	sent := make(chan error, 1)
	began := time.Now()
	go func() { sent <- blast(out, size, frames) }()
	buf := make([]byte, size+1)
	for i := range frames {
		if n, err := in.Read(buf); err != nil || n != size {
			r.t.Fatalf("frame %d of %d bytes: %v", i, n, err)
		}
	}
	took := time.Since(began)
	if err := <-sent; err != nil {
		r.t.Fatal(err)
	}
	return took
}

// sockets returns a socket that sends from a host and one that it goes to, with room for all
// that a test sends. A packet has crossed, so that ARP is done.
func (r *rig) sockets(from, to *plan.Host) (out, in *net.UDPConn) {
	r.t.Helper()
	r.in(to.Name, func() (err error) {
		in, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(to.Addr.Addr(), 0)))
		return err
	})
	r.in(from.Name, func() (err error) {
		out, err = net.DialUDP("udp4", nil, in.LocalAddr().(*net.UDPAddr))
		return err
	})
	r.t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	const room = 64 << 20 // as the kernel accounts
	err := errors.Join(
		setsockopt(in, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, room), setsockopt(out, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, room),
		thereOnce(out, in), in.SetReadDeadline(time.Now().Add(longEnough)),
	)
	if err != nil {
		r.t.Fatal(err)
	}
	return out, in
}

func thereOnce(out, in *net.UDPConn) error {
	if _, err := out.Write([]byte{1}); err != nil {
		return err
	}
	if err := in.SetReadDeadline(time.Now().Add(longEnough)); err != nil {
		return err
	}
	_, err := in.Read(make([]byte, 1))
	return err
}

func blast(out *net.UDPConn, size, frames int) error {
	most := 65507 / size
	b := make([]byte, most*size)
	for sent := 0; sent < frames; sent += most {
		if _, err := out.Write(b[:min(most, frames-sent)*size]); err != nil {
			return err
		}
	}
	return nil
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

// What a delay of a millisecond adds to a ping is printed, as above: h1 is
// behind such a link, h2 behind one of the same rate without delay.
func TestDelayOfALiveLink(t *testing.T) {
	heavy(t)
	const delay, pings = time.Millisecond, 40
	g, err := gen.ByName("rack", gen.Params{Hosts: 3, Link: topo.LinkSpec{Rate: units.GbitPerSecond}})
	if err != nil {
		t.Fatal(err)
	}
	g.Links[1].AtoB.Delay, g.Links[1].BtoA.Delay = units.Millisecond, units.Millisecond
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, quantum := range quanta {
		t.Run(fmt.Sprintf("quantum %v", quantum), func(t *testing.T) {
			r := newRig(t, p, rigOptions{quantum: quantum})
			pinger := r.pinger(&p.Hosts[0])
			var with, without []time.Duration
			for range pings {
				for host, list := range map[int]*[]time.Duration{1: &with, 2: &without} {
					took, err := pinger.ping(p.Hosts[host].Addr.Addr(), 56)
					if err != nil {
						t.Fatal(err)
					}
					*list = append(*list, took)
				}
			}
			r.stop()
			added := (median(with) - median(without)) / 2 // it is crossed twice
			t.Logf("a delay of %v adds %v in the middle (%+.1fus); without it a round trip takes %v, a quarter of it for each link: %v; timers late by %v in the middle, %v at most",
				delay, added, float64(added-delay)/1e3, median(without), median(without)/4, r.reports[0].Drive.Lateness.P50, r.reports[0].Drive.Lateness.Max)
			if off := added - delay; off < -delay || off > delay {
				t.Errorf("off by %v", off)
			}
		})
	}
}

func median[T cmp.Ordered](list []T) T {
	return slices.Sorted(slices.Values(list))[len(list)/2]
}
