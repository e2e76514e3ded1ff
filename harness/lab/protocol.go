package lab

import (
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
)

// Version is the version of the protocol of the owner's socket. Both directions are lines of JSON.
const Version = 1

// Op is what the owner is asked for.
type Op string

// The operations.
const (
	OpLink  Op = "link"  // change links
	OpGraph Op = "graph" // say what the topology is, with links as they are now
	OpLend  Op = "lend"  // stop the switches until the connection ends
)

// Request is a line to the owner.
type Request struct {
	Version int         `json:"version"`
	Op      Op          `json:"op"`
	Link    *LinkChange `json:"link,omitempty"`
	By      string      `json:"by,omitempty"` // lend: what for
}

// LinkChange says what some links become.
type LinkChange struct {
	Ends  Ends          `json:"ends"`
	Link  linktext.Link `json:"becomes"`
	Reset bool          `json:"reset,omitempty"` // to what the topology file says; Link is over that
	Only  bool          `json:"only,omitempty"`  // Link is over a perfect wire, not over what holds
}

// Ends are patterns of nodes, as h* or leaf0, which say what links are meant.
type Ends struct {
	At   string `json:"at,omitempty"`   // both directions of the links at a node
	Pair string `json:"pair,omitempty"` // with At: only of those to this node
	From string `json:"from,omitempty"` // one direction
	To   string `json:"to,omitempty"`
}

// Changed is one direction of a link that has changed.
type Changed struct {
	Switch  string `json:"switch"` // that models it
	Name    string `json:"name"`   // as "h0:eth0->tor:p0"
	Becomes string `json:"becomes"`
}

// Response is a line of the owner.
type Response struct {
	Version int       `json:"version"`
	Error   string    `json:"error,omitempty"`
	Usage   bool      `json:"usage,omitempty"` // of an error: who asks has to ask otherwise
	Changed []Changed `json:"changed,omitempty"`

	Graph *topo.Graph `json:"graph,omitempty"`
}
