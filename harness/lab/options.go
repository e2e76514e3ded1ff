package lab

import (
	"path/filepath"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/topo"
)

// Options describe a lab that is to be up.
type Options struct {
	Lab      string
	File     string              // that the graph was read from, as it was named; empty: none
	Text     []byte              // of a topology file of the graph, for runs on the lab
	Programs map[string][]byte   // files that Text names, by path beside it
	Graph    *topo.Graph         // at first
	Transit  [][]chassis.Program // programs of the user's own, by switch
	Plain    bool                // do without segmentation and checksum offload
	Seed     rng.Root            // of links
	Owner    journal.Caller      // whose lab it is
	Exe      string              // program of the node processes; empty: the running one
	NetNS    netns.Options
}

// Files in the directory of a lab that is up.
const (
	topologyFile = "lab.topo.yaml"
	eventsFile   = "events.ndjson"
	hostsFile    = "hosts"
	resolverFile = "resolv.conf"
	logsDir      = "logs"
	ownerSocket  = "owner" // without the suffix of switches' sockets
	keeperSocket = "programs"
	privateDir   = "private" // of a run on the lab
)

// TopologyPath returns where the topology file of the lab in a directory is.
func TopologyPath(dir string) string { return filepath.Join(dir, topologyFile) }

// ProgramsPath returns where the socket of the keeper is.
func ProgramsPath(dir string) string { return filepath.Join(dir, keeperSocket) }

// EventsPath returns where the events of the lab in a directory are.
func EventsPath(dir string) string { return filepath.Join(dir, eventsFile) }

// LogsPath returns where the logs of the lab's processes are.
func LogsPath(dir string) string { return filepath.Join(dir, logsDir) }
