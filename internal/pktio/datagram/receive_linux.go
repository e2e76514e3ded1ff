package datagram

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/poll"
	"github.com/inalab/inalab/internal/sansio"
)

// Receive is the Recv of a device: take takes what is there without waiting, and the poller
// knows the device's sockets.
func Receive(p *poll.Poller, wait time.Duration, take func() ([]sansio.Arrival, error)) ([]sansio.Arrival, error) {
	got, err := take()
	if wait == 0 || len(got) > 0 || err != nil {
		return got, err
	}
	until := time.Now().Add(wait)
	for {
		outcome, err := p.Wait(wait)
		if err != nil {
			return nil, fmt.Errorf("wait for packets: %w", err)
		}
		if outcome != poll.Ready {
			return nil, nil
		}
		got, err := take()
		if len(got) > 0 || err != nil {
			return got, err
		}
		if wait > 0 { // all that came was dropped
			wait = max(0, time.Until(until))
		}
	}
}

// RingDrops reads the socket's own counter of drops; ok is false if it cannot be read. Unlike the
// SO_RXQ_OVFL control message, which comes with the next packet only, it knows of the last
// ones too (SO_MEMINFO, since Linux 4.12).
func RingDrops(fd int) (n uint64, ok bool) {
	const drops = 8 // SK_MEMINFO_DROPS, the last of the kernel's nine (linux/sock_diag.h)
	var info [drops + 1]uint32
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	return uint64(info[drops]), errno == 0
}
