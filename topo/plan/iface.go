package plan

import (
	"strconv"
	"strings"
)

const (
	// HostIface is the interface of every host.
	HostIface = "eth0"
	// MaxIfaceLen is the longest name of a Linux interface in bytes: IFNAMSIZ
	// is 16 with the terminating zero (linux/if.h).
	MaxIfaceLen = 15
)

// ifaceNames returns an interface name for each port of a switch: the port's
// own where it fits, otherwise a cut one.
func ifaceNames(ports []string) []string {
	kept := make(map[string]bool, len(ports))
	for _, p := range ports {
		if len(p) <= MaxIfaceLen {
			kept[p] = true
		}
	}
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p
		// The number that a cut name ends in is the port's index modulo the
		// count of ports, so cut names differ; they may still meet a kept one.
		for n := i; len(names[i]) > MaxIfaceLen; n += len(ports) {
			if cut := cutName(p, n); !kept[cut] {
				names[i] = cut
			}
		}
	}
	return names
}

// cutName returns the start of name, "-" and n, MaxIfaceLen bytes at most.
func cutName(name string, n int) string {
	suffix := "-" + strconv.Itoa(n)
	return strings.TrimRight(name[:MaxIfaceLen-len(suffix)], "-") + suffix
}
