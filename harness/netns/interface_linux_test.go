package netns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Interfaces have the queues and the receive offload that were asked for, and no others.
func TestQueuesAndGRO(t *testing.T) {
	needRoot(t)
	spec := twoHosts(NewLabName())
	checkLeaks(t, spec.Lab)
	spec.Wires[0].Queues, spec.Wires[0].B.GRO = 3, true
	l := up(t, spec, Options{StateDir: t.TempDir()})
	for i, w := range spec.Wires {
		for _, e := range [...]End{w.A, w.B} {
			if err := l.Do(e.Node, func() error { return checkQueues(e, max(1, spec.Wires[i].Queues)) }); err != nil {
				t.Errorf("%v: %v", e, err)
			}
		}
	}
}

func checkQueues(e End, want int) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	gro := ethtoolValue{cmd: unix.ETHTOOL_GGRO}
	if err := ethtool(socket, e.Iface, &gro); err != nil {
		return err
	}
	queues, err := channels(socket, e.Iface)
	if err != nil {
		return err
	}
	if queues != [2]uint32{uint32(want), uint32(want)} || (gro.data == 1) != e.GRO {
		return fmt.Errorf("%d queues to receive and send, GRO %d", queues, gro.data)
	}
	return nil
}

// In a lab without offload nothing is joined to frames beyond the MTU, where GRO lets an XDP program
// of the other end send.
func TestGROJoinsNothingWithoutOffload(t *testing.T) {
	needRoot(t)
	for _, offload := range []bool{false, true} {
		spec := twoHosts(NewLabName())
		checkLeaks(t, spec.Lab)
		w := &spec.Wires[0]
		w.A.Offload, w.B.Offload, w.B.GRO = offload, offload, true
		l := up(t, spec, Options{StateDir: t.TempDir()})
		longest, err := longestFrame(l)
		if err != nil {
			t.Fatal(err)
		}
		if joined := longest > DefaultMTU+14; joined != offload {
			t.Errorf("offload %v: frames of up to %d bytes", offload, longest)
		}
	}
}

// longestFrame sends bytes by TCP from h1 to r and returns the longest frame that arrives there.
func longestFrame(l *Lab) (longest int, err error) {
	fd, to := -1, net.Listener(nil)
	if err := l.Do("r", func() (err error) {
		if to, err = net.Listen("tcp4", "10.0.1.254:5000"); err != nil {
			return err
		}
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, ethPIPWire); err != nil {
			return err
		}
		return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20)
	}); err != nil {
		return 0, err
	}
	defer to.Close()
	defer unix.Close(fd)
	if err := l.Do("h1", func() error { return deliver(to) }); err != nil {
		return 0, err
	}
	for {
		n, _, err := unix.Recvfrom(fd, nil, unix.MSG_TRUNC)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return longest, nil
		case err != nil && !errors.Is(err, unix.EINTR):
			return 0, err
		}
		longest = max(longest, n)
	}
}

// deliver writes to a listener until all is read.
func deliver(to net.Listener) error {
	from, err := net.DialTimeout("tcp4", to.Addr().String(), 5*time.Second)
	if err != nil {
		return err
	}
	defer from.Close()
	const size = 4 << 20
	written := make(chan error, 1)
	go func() {
		_, err := from.Write(make([]byte, size))
		written <- err
	}()
	conn, err := to.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = io.CopyN(io.Discard, conn, size)
	return errors.Join(err, <-written)
}

// channels asks for the queues that an interface uses to receive and to send (struct ethtool_channels).
func channels(socket int, iface string) ([2]uint32, error) {
	const rx, tx = 5, 6
	values := [9]uint32{unix.ETHTOOL_GCHANNELS}
	req := struct {
		name [unix.IFNAMSIZ]byte
		data *[9]uint32
		_    [16]byte
	}{data: &values}
	copy(req.name[:], iface)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&req))); errno != 0 {
		return [2]uint32{}, errno
	}
	return [2]uint32{values[rx], values[tx]}, nil
}

// ethPIPWire is ETH_P_IP in the order of the wire, on a little-endian machine or a big-endian one.
var ethPIPWire = int(binary.NativeEndian.Uint16([]byte{unix.ETH_P_IP >> 8, unix.ETH_P_IP & 0xff}))
