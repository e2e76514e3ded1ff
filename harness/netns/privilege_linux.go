package netns

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// CanRoot says why this process cannot make named network namespaces as it is;
// nil means that it can. Nothing is changed to find out.
func CanRoot() error {
	if err := checkCapabilities(); err != nil {
		return err
	}
	if err := checkMountNamespace(); err != nil {
		return err
	}
	dir := Dir
	if _, err := os.Stat(dir); err != nil {
		dir = "/run"
	}
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("write to %s: %w", dir, err)
	}
	return nil
}

// CanCapture says why this process may not look at packets in other network namespaces; nil
// means that it may.
func CanCapture() error { return checkCapabilities() }

func checkCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	needed := [...]struct {
		bit  uint
		name string
	}{{unix.CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}, {unix.CAP_NET_ADMIN, "CAP_NET_ADMIN"}, {unix.CAP_NET_RAW, "CAP_NET_RAW"}}
	for _, c := range needed {
		if data[0].Effective&(1<<c.bit) == 0 {
			return fmt.Errorf("%s is missing: run as root", c.name)
		}
	}
	return nil
}

// checkMountNamespace finds out whether mounts are allowed. They are refused to
// the root of a user namespace without a mount namespace of its own, as "unshare
// -Urn" makes it: the mount namespace then belongs to a user namespace above, and
// asking for that one is refused, too (ioctl_ns(2)).
func checkMountNamespace() error {
	f, err := os.Open("/proc/self/ns/mnt")
	if err != nil {
		return fmt.Errorf("open own mount namespace: %w", err)
	}
	defer f.Close()
	fd, err := unix.IoctlRetInt(int(f.Fd()), unix.NS_GET_USERNS)
	if errors.Is(err, unix.EPERM) {
		return errors.New("the mount namespace belongs to another user namespace: mounts are refused")
	}
	if err != nil {
		return fmt.Errorf("ask for the owner of the mount namespace: %w", err)
	}
	return unix.Close(fd)
}

// namespaceFlags are the namespaces that a run without root enters at once.
const namespaceFlags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET

// inNamespaces makes a child the root of new namespaces.
func inNamespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  namespaceFlags,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
}

// CanUserNamespace says why this process cannot enter a user namespace and what
// to change; nil means that it can. It tries: a child is put into such
// namespaces and then fails on a file that cannot be executed.
func CanUserNamespace() error {
	p, err := os.StartProcess("/dev/null", []string{"null"}, &os.ProcAttr{Sys: inNamespaces()})
	if err == nil {
		_, err = p.Wait()
		return err
	}
	if errors.Is(err, unix.EACCES) {
		return nil
	}
	return fmt.Errorf("enter a user namespace: %w: %s", err, userNamespaceFix("/proc/sys", err))
}

// userNamespaceFix returns what the administrator has to change. The kernel
// answers EPERM for several reasons; the settings under dir tell which.
func userNamespaceFix(dir string, err error) string {
	settings := [...]struct{ name, bad, good string }{
		{"kernel/unprivileged_userns_clone", "0", "1"},             // Debian
		{"kernel/apparmor_restrict_unprivileged_userns", "1", "0"}, // Ubuntu 24.04
		{"user/max_user_namespaces", "0", "15000"},
		{"user/max_net_namespaces", "0", "15000"},
		{"user/max_mnt_namespaces", "0", "15000"},
	}
	for _, s := range settings {
		value, readErr := os.ReadFile(dir + "/" + s.name)
		if readErr == nil && strings.TrimSpace(string(value)) == s.bad {
			return fmt.Sprintf("run as root, or allow it with: sysctl -w %s=%s", strings.ReplaceAll(s.name, "/", "."), s.good)
		}
	}
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EUSERS) {
		return "run as root, or raise user.max_user_namespaces and user.max_net_namespaces with sysctl -w"
	}
	return "run as root; inside a container, start that with --privileged"
}
