package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// State says whether a lab's owner lives.
type State int

// The states of a lab.
const (
	Live    State = iota + 1 // its owner runs
	Stale                    // its owner has gone: what is left may be collected
	Unknown                  // its journal cannot be read or trusted: left alone
)

// Entry is one lab that has a journal.
type Entry struct {
	Lab     string
	Dir     string
	State   State
	Owner   Owner    // zero if the owner was killed before its first line
	Records []Record // without the owner's, in the order of creation
	Err     error    // why the state is unknown

	rebooted bool
}

// Survives reports whether what the records name can still exist: it cannot if
// the machine was booted since.
func (e Entry) Survives() bool { return !e.rebooted }

// List returns the labs that have a journal under the root, ordered by user and
// name. A root that does not exist has none.
func List(cfg Config) ([]Entry, error) {
	return scan(cfg.root())
}

// Collect calls remove for each stale lab and then drops its journal, if
// remove returned nil. Nobody can claim a name meanwhile. It returns all labs
// as they were found.
func Collect(cfg Config, remove func(Entry) error) ([]Entry, error) {
	root := cfg.root()
	lock, err := lockRoot(root, func() error { return fs.ErrNotExist })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	entries, err := scan(root)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, e := range entries {
		if e.State != Stale {
			continue
		}
		if err := remove(e); err != nil {
			errs = append(errs, fmt.Errorf("collect lab %s: %w", e.Lab, err))
			continue
		}
		errs = append(errs, removeDir(e.Dir))
	}
	return entries, errors.Join(errs...)
}

func scan(root string) ([]Entry, error) {
	users, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list labs: %w", err)
	}
	var entries []Entry
	for _, user := range users {
		if _, err := strconv.ParseUint(user.Name(), 10, 32); err != nil || !user.IsDir() {
			continue
		}
		labs, err := os.ReadDir(filepath.Join(root, user.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list labs: %w", err)
		}
		for _, lab := range labs {
			if !lab.IsDir() || CheckLab(lab.Name()) != nil {
				continue
			}
			e := inspect(filepath.Join(root, user.Name(), lab.Name()))
			if _, err := os.Stat(e.Dir); errors.Is(err, fs.ErrNotExist) {
				continue // released while it was looked at, by a reader without the lock
			}
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// inspect reads one journal and judges whether its lab lives.
func inspect(dir string) Entry {
	e := Entry{Lab: filepath.Base(dir), Dir: dir}
	held, err := lockHeld(filepath.Join(dir, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		e.State = Stale // killed between making the directory and the file
		return e
	}
	if err != nil {
		e.State, e.Err = Unknown, err
		return e
	}
	records, err := readRecords(filepath.Join(dir, fileName))
	if err != nil {
		e.State, e.Err = Unknown, err
	}
	if len(records) > 0 && records[0].Kind == KindOwner && records[0].Owner != nil {
		e.Owner, e.Records = *records[0].Owner, records[1:]
	} else if len(records) > 0 {
		e.State, e.Err = Unknown, fmt.Errorf("journal %s does not begin with its owner", dir)
	}
	e.judge(held)
	return e
}

// judge sets the state from the two proofs of life: the lock, and the owner's
// identity.
func (e *Entry) judge(held bool) {
	boot, err := bootID()
	if err != nil {
		e.State, e.Err = Unknown, err
	}
	e.rebooted = e.Owner.Boot != "" && e.Owner.Boot != boot
	switch {
	case held:
		e.State, e.Err = Live, nil
	case e.State == Unknown:
	case !e.rebooted && e.Owner.Process.Alive():
		e.State = Live
	default:
		e.State = Stale
	}
}
