package live

import (
	"errors"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// congestionControl is what senders of flows use, as the machine of the virtual clock does
// (RFC 6582); every kernel has it.
const congestionControl = "reno"

// setCongestion is for net.Dialer.Control.
func setCongestion(_, _ string, c syscall.RawConn) (err error) {
	outer := c.Control(func(fd uintptr) {
		err = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, congestionControl)
	})
	return errors.Join(outer, os.NewSyscallError("setsockopt TCP_CONGESTION", err))
}

// segmentsOf returns what the kernel counted of a connection (tcp(7), TCP_INFO).
func segmentsOf(conn *net.TCPConn) (s segments, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return s, err
	}
	var info *unix.TCPInfo
	outer := raw.Control(func(fd uintptr) { info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) })
	if err := errors.Join(outer, os.NewSyscallError("getsockopt TCP_INFO", err)); err != nil {
		return s, err
	}
	return segments{
		out: uint64(info.Data_segs_out), in: uint64(info.Data_segs_in),
		again: result.Resent{Packets: uint64(info.Total_retrans), Bytes: units.Bytes(info.Bytes_retrans)}, echoes: uint64(info.Delivered_ce),
	}, nil
}
