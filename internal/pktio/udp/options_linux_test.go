package udp

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/datagram"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// optioned is a train whose IP header has options.
func optioned(f inet.Flow, body, options []byte) sansio.Train {
	return sansio.Train{Header: inet.WithIPOptions(inet.UDPHeader(f), options, len(body)), Body: body}
}

// Options of a device are in the IP header of what it sends. Packets with others, or none, are
// dropped: the kernel would write those of the device.
func TestOptionsAreSent(t *testing.T) {
	netnstest.CheckLeaks(t)
	nops := []byte{1, 1, 1, 1}
	from := open(t, Config{Bind: loopback, Options: nops})
	fd, to := rawReceiver(t)
	f := flow(from, to)
	want := []byte("with options")
	send(t, from, optioned(f, want, nops), optioned(f, want, []byte{1, 1, 1, 0}), train(f, want, 0))
	if n := sansio.CountOf(from.Stats().Drops, datagram.DropBadHeader); n != 2 {
		t.Errorf("%d packets with other headers were dropped, want 2", n)
	}
	if s := from.Stats(); s.TxFrames != 1 || s.TxBytes != uint64(inet.UDPHeaders+len(nops)+len(want)) {
		t.Errorf("statistics %+v", s)
	}
	body, control := make([]byte, 100), make([]byte, 200)
	n, controlled, _, _, err := unix.Recvmsg(fd, body, control, 0)
	if err != nil || !bytes.Equal(body[:n], want) {
		t.Fatalf("got %q, %v", body[:max(n, 0)], err)
	}
	messages, err := unix.ParseSocketControlMessage(control[:controlled])
	if err != nil || len(messages) != 1 || messages[0].Header.Type != unix.IP_RECVOPTS || !bytes.Equal(messages[0].Data, nops) {
		t.Errorf("options %+v, %v", messages, err)
	}
}

// rawReceiver is a socket that is told of options, with a bound on waiting.
func rawReceiver(t *testing.T) (fd int, at netip.AddrPort) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	for _, err := range []error{
		unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_RECVOPTS, 1),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 5}),
		unix.Bind(fd, &unix.SockaddrInet4{Addr: loopback.Addr().As4()}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fd, netip.AddrPortFrom(loopback.Addr(), uint16(name.(*unix.SockaddrInet4).Port))
}

func TestBadOptions(t *testing.T) {
	for _, n := range []int{3, 44} {
		if _, err := Open(Config{Bind: loopback, Options: make([]byte, n)}); err == nil || !strings.Contains(err.Error(), "a multiple of 4, and at most 40") {
			t.Errorf("%d bytes: error %v", n, err)
		}
	}
}
