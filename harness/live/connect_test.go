package live

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// Ping, UDP, TCP and iperf3 work between the hosts that are farthest from each
// other, and ping to every switch, through every kind of switch: shaped and
// not, with offloads and without.
func TestHostsReachEachOther(t *testing.T) {
	heavy(t)
	gigabit := topo.LinkSpec{Rate: units.GbitPerSecond, Delay: 20 * units.Microsecond}
	leafSpine := gen.Params{Leaves: 2, Spines: 2, HostsPerLeaf: 2}
	shapedLeafSpine := leafSpine
	shapedLeafSpine.Link, shapedLeafSpine.Uplink = gigabit, gigabit
	for _, tc := range []struct {
		name, topology string
		params         gen.Params
		plain          bool
	}{
		{"rack", "rack", gen.Params{Hosts: 3}, false},
		{"rack, shaped", "rack", gen.Params{Hosts: 3, Link: gigabit}, false},
		{"rack, plain", "rack", gen.Params{Hosts: 3}, true},
		{"leaf-spine", "leaf-spine", leafSpine, false},
		{"leaf-spine, shaped", "leaf-spine", shapedLeafSpine, false},
		{"leaf-spine, plain", "leaf-spine", leafSpine, true},
		{"mx480", "mx480", gen.Params{}, false},
		{"mx480, shaped", "mx480", gen.Params{Link: gigabit, Fabric: topo.LinkSpec{Rate: 4 * units.GbitPerSecond}}, false},
		{"mx480, shaped, plain", "mx480", gen.Params{Link: gigabit}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := planOf(tc.topology, tc.params)
			if err != nil {
				t.Fatal(err)
			}
			r := newRig(t, p, rigOptions{plain: tc.plain, quantum: linkQuantum})
			first, last := &p.Hosts[0], &p.Hosts[len(p.Hosts)-1]
			r.pingAll(first, last)
			r.pingByCommand(last, first.Addr.Addr())
			r.datagrams(first, last)
			const size = 4 << 20
			there, back := r.stream(first, last, size), r.stream(last, first, size)
			t.Logf("TCP: %.2f and %.2f Gbit/s; iperf3: %s", gbps(size, there), gbps(size, back), r.iperf3(first, last))
			r.stop()
			for _, s := range r.reports {
				if plain := strings.Contains(s.Device.Offload, "plain"); plain != tc.plain {
					t.Errorf("%s: packet path %s", s.Node, s.Device.Offload)
				}
				for _, c := range s.UnaskedDrops {
					if !strings.HasSuffix(c.Name, "/queue-full") { // TCP finds out how much a queue holds
						t.Errorf("%s: %d frames dropped for %s", s.Node, c.N, c.Name)
					}
				}
			}
		})
	}
}

func gbps(bytes int, took time.Duration) float64 { return 8 * float64(bytes) / float64(took) }

// pingAll pings every host and switch from one host, with small and large
// packets, and with one that goes in fragments.
func (r *rig) pingAll(from, farthest *plan.Host) {
	r.t.Helper()
	pinger := r.pinger(from)
	ping := func(to netip.Addr, n int) {
		r.t.Helper()
		if _, err := pinger.ping(to, n); err != nil {
			r.t.Fatal(err)
		}
	}
	for i := range r.plan.Hosts {
		if h := &r.plan.Hosts[i]; h != from {
			ping(h.Addr.Addr(), 56)
		}
	}
	for i := range r.plan.Switches {
		ping(r.plan.Switches[i].Router, 56)
		ping(r.plan.Switches[i].Router, r.plan.MTU-28)
	}
	ping(farthest.Addr.Addr(), r.plan.MTU-28)
	ping(farthest.Addr.Addr(), 20_000)
}

// pingByCommand has the system's ping try it, where there is one.
func (r *rig) pingByCommand(from *plan.Host, to netip.Addr) {
	r.t.Helper()
	path, err := exec.LookPath("ping")
	if err != nil {
		r.t.Log("ping is not installed: raw sockets did all of it")
		return
	}
	r.in(from.Name, func() error {
		out, err := exec.CommandContext(r.t.Context(), path, "-n", "-c", "2", "-i", "0.01", "-W", "10", to.String()).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

// datagrams sends UDP datagrams of many sizes there and back.
func (r *rig) datagrams(from, to *plan.Host) {
	r.t.Helper()
	var server, client *net.UDPConn
	r.in(to.Name, func() (err error) {
		server, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(to.Addr.Addr(), 0)))
		return err
	})
	defer server.Close()
	r.in(from.Name, func() (err error) {
		client, err = net.DialUDP("udp4", nil, server.LocalAddr().(*net.UDPAddr))
		return err
	})
	defer client.Close()
	deadline := time.Now().Add(longEnough)
	if err := errors.Join(server.SetDeadline(deadline), client.SetDeadline(deadline)); err != nil {
		r.t.Fatal(err)
	}
	for _, n := range []int{1, 17, 1472, r.plan.MTU - 28, 20_000} {
		want := make([]byte, n)
		fill(want)
		if err := thereAndBack(client, server, want); err != nil {
			r.t.Fatalf("datagram of %d bytes from %s to %s: %v", n, from.Name, to.Name, err)
		}
	}
}

func thereAndBack(client, server *net.UDPConn, want []byte) error {
	if _, err := client.Write(want); err != nil {
		return err
	}
	buf := make([]byte, 1<<16)
	n, from, err := server.ReadFromUDPAddrPort(buf)
	if err != nil {
		return err
	}
	if !bytes.Equal(buf[:n], want) {
		return fmt.Errorf("%d other bytes arrived", n)
	}
	if _, err := server.WriteToUDPAddrPort(buf[:n], from); err != nil {
		return err
	}
	if n, err = client.Read(buf); err == nil && !bytes.Equal(buf[:n], want) {
		return fmt.Errorf("%d other bytes came back", n)
	}
	return err
}

// stream sends n bytes by TCP, checks them, and returns how long that took.
func (r *rig) stream(from, to *plan.Host, n int) time.Duration {
	r.t.Helper()
	var listener net.Listener
	r.in(to.Name, func() (err error) {
		listener, err = net.Listen("tcp4", netip.AddrPortFrom(to.Addr.Addr(), 0).String())
		return err
	})
	defer listener.Close()
	var out net.Conn
	r.in(from.Name, func() (err error) {
		out, err = net.DialTimeout("tcp4", listener.Addr().String(), longEnough)
		return err
	})
	data := make([]byte, n)
	fill(data)
	began := time.Now()
	sent := make(chan error, 1)
	go func() {
		_, err := out.Write(data)
		sent <- errors.Join(err, out.Close())
	}()
	sum, got, err := receive(listener)
	took := time.Since(began)
	if err := errors.Join(err, <-sent); err != nil || got != int64(n) || sum != sha256.Sum256(data) {
		r.t.Fatalf("%s to %s: %d of %d bytes arrived: %v", from.Name, to.Name, got, n, err)
	}
	return took
}

func receive(listener net.Listener) (sum [sha256.Size]byte, n int64, err error) {
	in, err := listener.Accept()
	if err != nil {
		return sum, 0, err
	}
	defer in.Close()
	if err := in.SetReadDeadline(time.Now().Add(longEnough)); err != nil {
		return sum, 0, err
	}
	h := sha256.New()
	n, err = io.Copy(h, in)
	return [sha256.Size]byte(h.Sum(nil)), n, err
}

// iperf3 has iperf3 try it, where it is installed, and returns the rate.
func (r *rig) iperf3(from, to *plan.Host) string {
	r.t.Helper()
	path, err := exec.LookPath("iperf3")
	if err != nil {
		return "not installed"
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), longEnough)
	defer cancel()
	const port = 5201
	server := exec.CommandContext(ctx, path, "-s", "-1", "--forceflush", "-p", strconv.Itoa(port))
	said, err := server.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	r.in(to.Name, server.Start)
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.Contains(lines.Text(), "listening") {
	}
	var text []byte
	r.in(from.Name, func() (err error) {
		text, err = exec.CommandContext(ctx, path, "-J", "-n", "8M", "-p", strconv.Itoa(port), "-c", to.Addr.Addr().String()).Output()
		return err
	})
	for lines.Scan() {
	}
	if err := server.Wait(); err != nil {
		r.t.Fatalf("iperf3 server: %v", err)
	}
	var report struct {
		End struct {
			Received struct {
				Bytes int64   `json:"bytes"`
				Rate  float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	if err := json.Unmarshal(text, &report); err != nil || report.End.Received.Bytes == 0 {
		r.t.Fatalf("iperf3 received nothing: %v: %s", err, text)
	}
	return fmt.Sprintf("%.2f Gbit/s", report.End.Received.Rate/1e9)
}
