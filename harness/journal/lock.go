package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockTimeout bounds the wait for another run that claims, releases or collects
// at this moment. Assumed: collecting a big lab takes a few seconds.
const lockTimeout = 30 * time.Second

// lockPoll is how often a held lock is tried again. Assumed.
const lockPoll = 5 * time.Millisecond

// lockRoot takes the lock on the root directory, which orders claims, releases
// and collections. The caller closes the file to let go. The last release
// removes the directory; whoever waited for that one then starts again, with
// missing saying what to do about a directory that is not there.
func lockRoot(root string, missing func() error) (*os.File, error) {
	for deadline := time.Now().Add(lockTimeout); time.Now().Before(deadline); {
		dir, err := os.Open(root)
		if errors.Is(err, fs.ErrNotExist) {
			if err := missing(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("open journal directory: %w", err)
		}
		err = waitLock(dir, deadline)
		if err == nil && isAt(dir, root) {
			if err = checkPrivate(root); err == nil {
				return dir, nil
			}
		}
		if err = errors.Join(err, dir.Close()); err != nil {
			return nil, err
		}
	}
	return nil, lockedOut(root)
}

func lockedOut(root string) error {
	return fmt.Errorf("lock journal directory %s: others hold it for more than %v", root, lockTimeout)
}

// isAt reports whether an open file is still what the path names.
func isAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(opened, named)
}

func waitLock(dir *os.File, deadline time.Time) error {
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for ; ; <-tick.C {
		held, err := tryLock(dir, unix.LOCK_EX)
		if err != nil || !held {
			return err
		}
		if time.Now().After(deadline) {
			return lockedOut(dir.Name())
		}
	}
}

// tryLock takes the lock of an open file, LOCK_EX or LOCK_SH, and reports
// whether another holds it.
func tryLock(f *os.File, how int) (held bool, err error) {
	err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return false, nil
}

// holdLock takes the owner's lock on a new journal. It may have to wait for a
// reader that looks, at this moment, whether anybody holds it.
func holdLock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		return nil
	}
}

// lockHeld reports whether a living owner holds the lock of a journal. The lock
// is shared, so that two readers do not take each other for the owner.
func lockHeld(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("open journal: %w", err)
	}
	defer f.Close()
	return tryLock(f, unix.LOCK_SH)
}
