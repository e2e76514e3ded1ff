package netns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// makePrivateDir gives this mount namespace a /run/netns of its own. Where the
// directory exists a tmpfs is put on it; else /run has to be covered first,
// since only real root may make directories there.
func makePrivateDir() error {
	if _, err := os.Stat(Dir); errors.Is(err, fs.ErrNotExist) {
		if err := coverParent(); err != nil {
			return err
		}
	}
	return mountTmpfs(Dir)
}

func mountTmpfs(dir string) error {
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("mount tmpfs on %s: %w", dir, err)
	}
	return nil
}

// coverParent puts a tmpfs on /run and binds into it all that /run holds, so
// that sockets and the journal stay where they are, and makes /run/netns.
func coverParent() error {
	parent := filepath.Dir(Dir)
	entries, err := os.ReadDir(parent)
	if err != nil {
		return fmt.Errorf("list %s: %w", parent, err)
	}
	under, err := unix.Open(parent, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", parent, err)
	}
	defer unix.Close(under)
	if err := mountTmpfs(parent); err != nil {
		return err
	}
	for _, e := range entries {
		// What cannot be bound is missing inside, and no part of the lab.
		_ = bindEntry("/proc/self/fd/"+strconv.Itoa(under)+"/"+e.Name(), filepath.Join(parent, e.Name()), e)
	}
	if err := os.Mkdir(Dir, 0o755); err != nil {
		return fmt.Errorf("make directory of namespaces: %w", err)
	}
	return nil
}

// bindEntry makes entry, found at from, appear at to.
func bindEntry(from, to string, entry fs.DirEntry) error {
	switch {
	case entry.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case entry.IsDir():
		if err := os.Mkdir(to, 0o755); err != nil {
			return err
		}
	default:
		f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, "")
}
