// Package journal records what a lab owns before the lab makes it. So the remains of a
// killed run can be found and removed, and nothing else is touched.
//
//	<root>/<uid>/<lab>/journal      append-only, one JSON object a line
//
// The root is /run/inalab with real root. In a user namespace it is
// $XDG_RUNTIME_DIR/inalab, or <temporary directory>/inalab-<uid> where that is not set.
// uid is the calling user, SUDO_UID under sudo. The directory of a lab may hold other
// private files of the lab.
//
//		claim ──► owner line ──► record, create, record, create … ──► release
//
//	 1. A name is claimed under a lock on the root, so two runs never share one.
//	 2. The first line names the owner: pid, start time and boot id. The owner also holds
//	    an flock on the journal as long as it lives.
//	 3. A line is written before the thing it names is made. The line of a process follows
//	    its start at once, since it has no pid before; such a child must end by itself when
//	    its parent does.
//	 4. A lab is stale only if nobody holds the lock and no process with the owner's pid and
//	    start time exists. Only stale labs are collected.
//
// A record survives the death of the process, not that of the kernel, which namespaces
// and processes do not survive either.
//
// Left out: making and removing things (packages netns and proc), locks between machines.
package journal
