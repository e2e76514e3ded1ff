package journal

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// EnvCaller carries the calling user into a user namespace as "uid:gid", since
// ids are mapped to 0 there.
const EnvCaller = "INALAB_CALLER"

// Caller is the user on whose behalf the program runs: results and caches
// belong to this user.
type Caller struct {
	UID, GID int
}

// CurrentCaller returns the calling user: what [EnvCaller] says, else SUDO_UID
// and SUDO_GID when the process is root, else the process's own ids as seen
// from outside its user namespace.
func CurrentCaller() Caller {
	if c, ok := parseCaller(os.Getenv(EnvCaller)); ok {
		return c
	}
	if os.Geteuid() == 0 {
		if c, ok := parseCaller(os.Getenv("SUDO_UID") + ":" + os.Getenv("SUDO_GID")); ok {
			return c
		}
	}
	return Caller{UID: outerID("/proc/self/uid_map", os.Getuid()), GID: outerID("/proc/self/gid_map", os.Getgid())}
}

// String returns the form that [EnvCaller] holds.
func (c Caller) String() string { return fmt.Sprintf("%d:%d", c.UID, c.GID) }

// Chown gives path to the caller. It does nothing where the file belongs to the
// caller already: without root, and inside a user namespace, whose root is the
// caller. Symbolic links are not followed.
func (c Caller) Chown(path string) error {
	if os.Geteuid() != 0 || inUserNamespace() || (c.UID == 0 && c.GID == 0) {
		return nil
	}
	if err := os.Lchown(path, c.UID, c.GID); err != nil {
		return fmt.Errorf("give file to the calling user: %w", err)
	}
	return nil
}

func parseCaller(s string) (Caller, bool) {
	uid, gid, _ := strings.Cut(s, ":")
	u, err := strconv.ParseUint(uid, 10, 31)
	if err != nil {
		return Caller{}, false
	}
	g, err := strconv.ParseUint(gid, 10, 31)
	if err != nil {
		g = u // sudo sets both; a group of the same number is the closest guess
	}
	return Caller{UID: int(u), GID: int(g)}, true
}

// idRange is one line of uid_map: length ids from inside map to those from outside.
type idRange struct{ inside, outside, length int }

// outerID translates an id of this user namespace to that of its parent.
func outerID(mapFile string, id int) int {
	for _, r := range idMap(mapFile) {
		if id >= r.inside && id-r.inside < r.length {
			return r.outside + id - r.inside
		}
	}
	return id
}

// inUserNamespace reports whether ids are mapped: the initial namespace maps
// the whole range onto itself (user_namespaces(7)).
func inUserNamespace() bool {
	m := idMap("/proc/self/uid_map")
	const everyID = 1<<32 - 1
	return len(m) != 1 || m[0] != idRange{0, 0, everyID}
}

func idMap(file string) []idRange {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var m []idRange
	for line := range strings.Lines(string(text)) {
		var r idRange
		if _, err := fmt.Sscan(line, &r.inside, &r.outside, &r.length); err == nil {
			m = append(m, r)
		}
	}
	return m
}
