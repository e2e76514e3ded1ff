package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// ErrInUse says that a name is taken by a lab that lives or left things behind.
var ErrInUse = errors.New("lab name is in use")

const fileName = "journal"

// Config says where a journal lives and whose it is.
type Config struct {
	// Root is the root directory of journals; empty means [Root] of Rooted.
	Root string
	// Rooted says that the lab is made with real root.
	Rooted bool
}

func (c Config) root() string {
	if c.Root != "" {
		return c.Root
	}
	return Root(c.Rooted)
}

// Journal is the open journal of a living lab. Its methods may be called from
// several goroutines.
type Journal struct {
	lab  string
	root string
	dir  string

	mu   sync.Mutex // guards file
	file *os.File   // nil once released
}

// Claim takes the name of a lab for this process and opens its journal. Where
// the name is taken the error wraps [ErrInUse] and says by whom and what to do.
func Claim(lab string, cfg Config) (*Journal, error) {
	if err := CheckLab(lab); err != nil {
		return nil, err
	}
	root := cfg.root()
	caller := CurrentCaller()
	user := filepath.Join(root, strconv.Itoa(caller.UID))
	lock, err := lockRoot(root, func() error { return makeRoot(root, cfg.Rooted) })
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if err := checkFree(root, lab); err != nil {
		return nil, err
	}
	dir := filepath.Join(user, lab)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make directory of lab %s: %w", lab, err)
	}
	j := &Journal{lab: lab, root: root, dir: dir}
	if err := j.open(Owner{UID: caller.UID, Rooted: cfg.Rooted}); err != nil {
		return nil, errors.Join(err, removeDir(dir))
	}
	return j, nil
}

func makeRoot(root string, rooted bool) error {
	mode := fs.FileMode(0o700)
	if rooted {
		mode = 0o755 // doctor lists labs as an ordinary user, too
	}
	if err := os.MkdirAll(root, mode); err != nil && !removedMeanwhile(root, err) {
		return fmt.Errorf("make journal directory: %w", err)
	}
	return nil
}

// removedMeanwhile reports whether making a directory failed because others made and
// removed it at the same time, which the caller tries again.
func removedMeanwhile(dir string, err error) bool {
	if !errors.Is(err, fs.ErrExist) {
		return false
	}
	info, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir()
}

// checkFree looks for the name with every user: namespaces carry it without
// the user's id.
func checkFree(root, lab string) error {
	entries, err := scan(root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case e.Lab != lab:
		case e.State == Live:
			return fmt.Errorf("lab %s: %w by process %d: choose another lab name or end that run", lab, ErrInUse, e.Owner.PID)
		default:
			return fmt.Errorf("lab %s: %w by what process %d left behind: run \"inalab gc\"", lab, ErrInUse, e.Owner.PID)
		}
	}
	return nil
}

// open creates the journal file, locks it and writes the owner's line.
func (j *Journal) open(owner Owner) error {
	var err error
	if owner.Process, err = Identify(os.Getpid()); err != nil {
		return err
	}
	if owner.Boot, err = bootID(); err != nil {
		return err
	}
	owner.Claimed = time.Now().UTC().Truncate(time.Second)
	j.file, err = os.OpenFile(filepath.Join(j.dir, fileName), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("create journal of lab %s: %w", j.lab, err)
	}
	err = holdLock(j.file)
	if err == nil {
		err = j.Add(Record{Kind: KindOwner, Owner: &owner})
	}
	if err != nil {
		return errors.Join(err, j.file.Close())
	}
	return nil
}

// Dir returns the private directory of the lab; it is removed on release.
func (j *Journal) Dir() string { return j.dir }

// Add writes records, in one write. It returns when a kill of this process can
// no longer lose them.
func (j *Journal) Add(records ...Record) error {
	if len(records) == 0 {
		return nil
	}
	text, err := encode(records)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return fmt.Errorf("write journal of lab %s: the lab is down", j.lab)
	}
	if _, err := j.file.Write(text); err != nil {
		return fmt.Errorf("write journal of lab %s: %w", j.lab, err)
	}
	return nil
}

// Release removes the journal with the lab's directory and frees the name: all
// that it names has gone. Releasing twice does nothing.
func (j *Journal) Release() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	lock, err := lockRoot(j.root, func() error { return fs.ErrNotExist })
	if err != nil {
		return fmt.Errorf("release lab %s: %w", j.lab, err)
	}
	defer lock.Close()
	err = errors.Join(removeDir(j.dir), j.file.Close())
	j.file = nil
	return err
}

// Abandon closes the journal and leaves it for a collection to work from: not
// everything could be removed.
func (j *Journal) Abandon() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}

// removeDir removes a lab's directory, and the user's and the root if it was the
// last one. The root is locked.
func removeDir(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove directory of lab %s: %w", filepath.Base(dir), err)
	}
	// Fails where other labs are in it, which is as it should be.
	if os.Remove(filepath.Dir(dir)) == nil {
		_ = os.Remove(filepath.Dir(filepath.Dir(dir)))
	}
	return nil
}
