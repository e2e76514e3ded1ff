package netns

import (
	"fmt"

	"github.com/containernetworking/plugins/pkg/ns"
)

// Do runs f inside the node's namespace, on a thread of its own. f must not
// start goroutines that rely on the namespace, since they run elsewhere.
func (l *Lab) Do(node string, f func() error) error {
	path := l.Path(node)
	if path == "" {
		return fmt.Errorf("lab %s has no node %q", l.name, node)
	}
	// Not wrapped: an error of f speaks for itself.
	return ns.WithNetNSPath(path, func(ns.NetNS) error { return f() })
}
