package running

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/journal"
)

// List lists the labs that run, of root and those that the caller has without root.
func List() (out []journal.Entry, err error) {
	roots := []string{journal.Root(true), journal.Root(false)}
	for _, root := range slices.Compact(roots) {
		entries, err := journal.List(journal.Config{Root: root})
		if err != nil && !errors.Is(err, fs.ErrPermission) { // another user's directory, which has none of ours
			return nil, err
		}
		for _, e := range entries {
			if e.State == journal.Live && trusted(e.Dir) {
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// trusted reports whether a lab is root's or the caller's own, or where the caller
// says that labs are: in a directory for everybody, such as that of temporary
// files, anybody may have made what looks like a lab.
func trusted(dir string) bool {
	if os.Getenv(journal.EnvRoot) != "" {
		return true
	}
	var st unix.Stat_t
	return unix.Stat(dir, &st) == nil && (st.Uid == 0 || int(st.Uid) == os.Geteuid())
}
