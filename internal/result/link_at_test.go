package result

import (
	"testing"
)

// A link is of the hosts at its two ends, and of no host whose name begins as theirs.
func TestLinksOfAHost(t *testing.T) {
	l := Link{Name: "tor:p1->h1:eth0"}
	if back := (Link{Name: "h1:eth0->tor:p1"}); !l.At("h1") || !back.At("h1") || l.At("h") || l.At("h11") || (&Link{Name: "h11:eth0->tor:p1"}).At("h1") {
		t.Error("links are of the wrong hosts")
	}
}
