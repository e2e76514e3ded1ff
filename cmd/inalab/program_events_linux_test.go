package main

import "testing"

// Live, too.
func TestProgramEventsLive(t *testing.T) {
	needRoot(t)
	runWatching(t, "live")
}
