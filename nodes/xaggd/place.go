package xaggd

// Place is the place of a node in the tree, after a change of it (XAgg §V).
type Place struct {
	Tree     uint16  // version of the tree; edges that change get it
	ID       uint32  // own host id; 0: as before. It may change outside the tree only
	Parent   Peer    // of a worker and a server; the zero value of a server: it leaves the tree
	Children []Child // of a server and the root
	// Again: the parent before failed in mid-iteration, and everything of the iteration is sent again,
	// from index 1 on.
	Again bool
}
