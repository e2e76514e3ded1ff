package afpacket

import (
	"bytes"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/wire/inet"
)

// paths runs a test on both paths, with hosts set up for it.
func paths(t *testing.T, test func(t *testing.T, l lab, d *Device)) {
	t.Helper()
	for name, plain := range map[string]bool{"offload": false, "plain": true} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			if plain {
				noSegmentationOffload(t, l.a)
				noSegmentationOffload(t, l.b)
			}
			d := l.open(t, Config{Plain: plain})
			want := pathOffload
			if plain {
				want = "plain: asked for"
			}
			if got := d.Stats().Offload; got != want {
				t.Fatalf("path %q, want %q", got, want)
			}
			test(t, l, d)
		})
	}
}

func noDrops(t *testing.T, s pktio.Stats) {
	t.Helper()
	if len(s.Drops) != 0 || s.RingDrops != 0 {
		t.Errorf("drops %v, %d of the ring", s.Drops, s.RingDrops)
	}
}

// TCP between two hosts works through the device, with checksum offload on, and
// on the path with offload with segmentation offload on as well.
func TestForwardTCP(t *testing.T) {
	paths(t, func(t *testing.T, l lab, d *Device) {
		stop := forward(t, d)
		const size = 8 << 20
		data := bytes.Repeat(pattern(1<<16), size>>16)
		var server *net.TCPListener
		netnstest.In(t, l.b, func() (err error) {
			server, err = net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(hostB, 5001)))
			return err
		})
		defer server.Close()
		sent := make(chan error, 1)
		go func() { sent <- sendTCP(server, data) }()
		var client *net.TCPConn
		netnstest.In(t, l.a, func() (err error) {
			client, err = net.DialTCP("tcp4", nil, net.TCPAddrFromAddrPort(netip.AddrPortFrom(hostB, 5001)))
			return err
		})
		defer client.Close()
		if err := client.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(client)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d of %d bytes, equal %v, error %v", len(got), size, bytes.Equal(got, data), err)
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
		if n := counter(t, l.a, "Tcp", "InCsumErrors") + counter(t, l.b, "Tcp", "InCsumErrors"); n != 0 {
			t.Errorf("%d segments had wrong checksums", n)
		}
		c := stop()
		if s := d.Stats(); s.RxFrames < size/9000 || s.TxFrames != s.RxFrames || len(s.Drops) != 0 {
			t.Errorf("statistics %+v", s)
		}
		if d.plain == nil && c.frames < 2*c.trains {
			t.Errorf("%d frames came in %d trains: no super-packets", c.frames, c.trains)
		}
	})
}

func sendTCP(server *net.TCPListener, data []byte) error {
	c, err := server.Accept()
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write(data)
	return err
}

func TestForwardUDP(t *testing.T) {
	paths(t, func(t *testing.T, l lab, d *Device) {
		stop := forward(t, d)
		to := netip.AddrPortFrom(hostB, 5002)
		from, sink := listenUDP(t, l.a, netip.AddrPortFrom(hostA, 0)), listenUDP(t, l.b, to)
		buf := make([]byte, 10000)
		for n := range 300 { // more than a ring, of all lengths
			want := pattern(n * 29)
			if _, err := from.WriteToUDPAddrPort(want, to); err != nil {
				t.Fatal(err)
			}
			got, src, err := sink.ReadFromUDPAddrPort(buf)
			if err != nil || !bytes.Equal(buf[:got], want) || src.Addr() != hostA {
				t.Fatalf("datagram %d: %d bytes from %v, error %v", n, got, src, err)
			}
		}
		if n := counter(t, l.b, "Udp", "InCsumErrors"); n != 0 {
			t.Errorf("%d datagrams had wrong checksums", n)
		}
		stop()
		noDrops(t, d.Stats())
	})
}

func TestForwardPing(t *testing.T) {
	paths(t, func(t *testing.T, l lab, d *Device) {
		forward(t, d)
		var icmp *os.File
		netnstest.In(t, l.a, func() error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_ICMP)
			if err != nil {
				return err
			}
			icmp = os.NewFile(uintptr(fd), "icmp")
			if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 5}); err != nil {
				return err
			}
			return unix.Connect(fd, &unix.SockaddrInet4{Addr: hostB.As4()})
		})
		defer icmp.Close()
		request := append([]byte{8, 0, 0, 0, 0x12, 0x34, 0, 1}, pattern(1400)...)
		sum := ^inet.Fold(inet.Sum(request, 0))
		request[2], request[3] = byte(sum>>8), byte(sum)
		if _, err := icmp.Write(request); err != nil {
			t.Fatal(err)
		}
		reply := make([]byte, 2000)
		n, err := icmp.Read(reply)
		if err != nil || n != inet.IPv4Len+len(request) || reply[20] != 0 || !bytes.Equal(reply[24:n], request[4:]) {
			t.Errorf("reply of %d bytes, error %v", n, err)
		}
	})
}
