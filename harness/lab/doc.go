// Package lab is the life of a lab that is up: its owner, a process that stays until the lab
// is taken down, and those who ask it.
//
//	inalab up ──► owner ──┬── namespaces and links (netns), journaled
//	                      ├── switches (switchd/daemon), as in a run
//	                      └── keeper (nodes/keeper): programs of the user's own
//	inalab exec, shell ───────► socket of the keeper, for its owner and root
//	inalab link, run --lab ───► socket of the owner, for the user whose lab it is
//	inalab inspect, labs, events ──► files and control sockets in the lab's directory
//	inalab down ──► SIGTERM to the owner, by its journal
//
// The owner is the one that has made the lab, so its journal, its death and the collection
// behind it are those of every lab. It alone changes links: it tells the switch that models
// one, and keeps what all links are, so that a switch which is started again has the same.
//
// A run borrows the lab: the owner stops its switches, the run starts its own in their places,
// with the programs of its systems, and they forward all other traffic as well. When the run
// has gone, in whatever way, its connection ends, and the owner starts its switches again.
//
// Left out: the command line, and terminals.
package lab
