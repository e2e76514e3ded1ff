package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"golang.org/x/sys/unix"
)

// EnvRoot overrides the root directory of journals. A run that enters a user
// namespace sets it, so that its journal stays where others look for it.
const EnvRoot = "INALAB_STATE_DIR"

// rootedDir is the root of the journals of labs made with real root.
const rootedDir = "/run/inalab"

// Root returns the root directory of journals: what [EnvRoot] says, else
// /run/inalab if rooted, else a private directory of the calling user.
func Root(rooted bool) string {
	if dir := os.Getenv(EnvRoot); dir != "" {
		return dir
	}
	if rooted {
		return rootedDir
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" && checkPrivate(dir) == nil {
		return filepath.Join(dir, "inalab")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("inalab-%d", CurrentCaller().UID))
}

// MaxLabName is the longest name of a lab in bytes. Assumed: with the prefix
// and a node's name it must fit the 255 bytes of a file name.
const MaxLabName = 32

var labName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// CheckLab says what is wrong with the name of a lab, if anything.
func CheckLab(lab string) error {
	if len(lab) > MaxLabName || !labName.MatchString(lab) {
		return fmt.Errorf("lab name %q: use 1 to %d of a-z, 0-9 and -, beginning with a letter or a digit", lab, MaxLabName)
	}
	return nil
}

// checkPrivate says why dir must not be trusted: a directory that someone else
// may write to could hold a journal that names things which are not ours.
func checkPrivate(dir string) error {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return fmt.Errorf("look at journal directory %s: %w", dir, err)
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		return fmt.Errorf("journal directory %s is not a directory: remove it", dir)
	case int(st.Uid) != os.Geteuid():
		return fmt.Errorf("journal directory %s belongs to uid %d, not to uid %d: set %s to a directory of your own", dir, st.Uid, os.Geteuid(), EnvRoot)
	case st.Mode&0o022 != 0:
		return fmt.Errorf("journal directory %s is writable by others: chmod go-w %s", dir, dir)
	}
	return nil
}
