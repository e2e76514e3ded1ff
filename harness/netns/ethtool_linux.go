package netns

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ethtoolValue is struct ethtool_value of linux/ethtool.h.
type ethtoolValue struct {
	cmd, data uint32
}

// ethtoolRequest is struct ifreq of linux/if.h with its pointer member.
type ethtoolRequest struct {
	name [unix.IFNAMSIZ]byte
	data *ethtoolValue
	_    [16]byte // the union is larger than the pointer
}

// disableOffload turns off what lets an interface send frames that are larger
// than its MTU or lack their checksum.
func disableOffload(socket int, iface string) error {
	commands := [...]struct {
		cmd  uint32
		name string
	}{
		{unix.ETHTOOL_STSO, "tcp segmentation"},
		{unix.ETHTOOL_SGSO, "generic segmentation"},
		{unix.ETHTOOL_STXCSUM, "checksum"},
	}
	for _, c := range commands {
		if err := ethtool(socket, iface, &ethtoolValue{cmd: c.cmd}); err != nil {
			return fmt.Errorf("turn %s offload off: %w", c.name, err)
		}
	}
	return nil
}

func ethtool(socket int, iface string, value *ethtoolValue) error {
	req := ethtoolRequest{data: value}
	copy(req.name[:unix.IFNAMSIZ-1], iface)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&req)))
	if errno != 0 {
		return errno
	}
	return nil
}
