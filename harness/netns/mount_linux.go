package netns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// makeDir makes the directory of namespaces what iproute2 makes of it: a shared
// mount, so that a namespace bound there is seen, and let go, in every mount
// namespace. Like iproute2's it stays, since others may use it by now; like
// iproute2 it is done under a lock on the directory.
func makeDir() error {
	if err := os.MkdirAll(Dir, 0o755); err != nil {
		return fmt.Errorf("make directory of namespaces: %w", err)
	}
	lock, err := os.Open(Dir)
	if err != nil {
		return fmt.Errorf("lock directory of namespaces: %w", err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock directory of namespaces: %w", err)
	}
	err = unix.Mount("", Dir, "none", unix.MS_SHARED|unix.MS_REC, "")
	if errors.Is(err, unix.EINVAL) { // not a mount point yet
		if err = unix.Mount(Dir, Dir, "none", unix.MS_BIND|unix.MS_REC, ""); err == nil {
			err = unix.Mount("", Dir, "none", unix.MS_SHARED|unix.MS_REC, "")
		}
	}
	if err != nil {
		return fmt.Errorf("share mount %s: %w", Dir, err)
	}
	return nil
}

// drop lets go of a named namespace. It reports whether there was one.
func drop(path string) (bool, error) {
	err := unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT):
		return false, nil
	case errors.Is(err, unix.EINVAL): // a file without a mount: killed in between
	case err != nil:
		return false, fmt.Errorf("unmount namespace %s: %w", path, err)
	}
	// Removing the file also detaches it in mount namespaces that have a copy.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("remove namespace file: %w", err)
	}
	return true, nil
}
