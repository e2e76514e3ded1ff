// Package journal records what a lab owns before the lab makes it, so that
// whatever a killed run left behind can be found and removed, and nothing else
// is ever touched.
//
// # Where
//
//	<root>/<uid>/<lab>/journal      append-only, one JSON object a line
//
// The root is /run/inalab for labs with real root. Labs in a user namespace
// use $XDG_RUNTIME_DIR/inalab, and <temporary directory>/inalab-<uid> where
// that is not set. uid is the calling user, who is SUDO_UID under sudo. The
// directory of a lab may hold other private files of it; they go with it.
//
// # Rules
//
//		claim ──► owner line ──► record, create, record, create … ──► release
//
//	 1. A name is claimed under a lock on the root, so two runs never share one.
//	 2. The first line names the owner: pid, start time and boot id. The owner
//	    also holds an flock on the journal as long as it lives.
//	 3. A line is written before the thing it names is made. A process has no
//	    name before it runs: its line follows the start at once, and such a child
//	    must die by itself when its parent does.
//	 4. A lab is stale only if nobody holds the lock and no process with the
//	    owner's pid and start time exists. Only stale labs are collected.
//
// A record survives the death of the process, not that of the kernel: nothing
// is synced, since namespaces and processes do not outlive the kernel either.
//
// What is left out: how things are made or removed (package netns and package
// proc do that), and locks between machines.
package journal
