package proc

import (
	"encoding/json"
	"fmt"
)

// Version is the version of the protocol. Both sides are the same binary; the
// check finds one that was rebuilt under a running harness.
const Version = 1

// MaxLine is the longest line in bytes. Assumed: a config of 512 nodes is about
// 100 KB, and a report of 256 flows with 4000 intervals each at most 15 MB.
const MaxLine = 16 << 20

// Descriptors of a child.
const (
	controlFD = 3
	reportFD  = 4
)

// Command words of the first argument and of the control stream.
const nodeArg = "node"

// CommandName says what a child is to do.
type CommandName string

// The commands.
const (
	CommandStart CommandName = "start" // begin the run at EpochNS
	CommandStop  CommandName = "stop"  // end early, report what there is, exit

	CommandSnapshot CommandName = "snapshot" // say where things stand, by a ReportSnapshot

	CommandCheckpoint CommandName = "checkpoint" // leave the model for another worker in the new file Path, and say by a ReportCheckpoint of which Generation, or a later one
)

// Command is one line to a child.
type Command struct {
	Name CommandName `json:"cmd"`
	// EpochNS is the epoch of the run in nanoseconds of CLOCK_MONOTONIC, which all
	// processes of a machine share, for start.
	EpochNS int64 `json:"epoch_ns,omitempty"`
	// Path is the file of a checkpoint. With start, the worker takes part in a run that
	// is under way, with the model that another one leaves there.
	Path string `json:"path,omitempty"`
	// Generation is the first that the checkpoint may be of: for checkpoint, one that no
	// worker has begun; for start, the one that was promised.
	Generation int `json:"generation,omitempty"`
}

// ReportKind says what a report is about.
type ReportKind string

// The reports.
const (
	ReportReady    ReportKind = "ready"    // set up; waits for start
	ReportProgress ReportKind = "progress" // Data is for the display
	ReportSample   ReportKind = "sample"   // Data is a record of the results
	ReportSnapshot ReportKind = "snapshot" // Data is the state of the node, as asked for
	ReportDone     ReportKind = "done"     // Result is the outcome; exits
	ReportError    ReportKind = "error"    // Message says what failed; exits

	ReportCheckpoint ReportKind = "checkpoint" // Data is the promise of a checkpoint, or why there is none
)

// Report is one line from a child.
type Report struct {
	Kind    ReportKind      `json:"kind"`
	Message string          `json:"message,omitempty"`
	Lacks   bool            `json:"lacks,omitempty"` // of an error: the machine lacks what the node needs
	Data    json.RawMessage `json:"data,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
}

// hello is the first line to a child.
type hello struct {
	Version int             `json:"version"`
	Node    string          `json:"node"`
	Kind    string          `json:"kind"`
	Config  json.RawMessage `json:"config"`
}

// encodeLine returns v as one line.
func encodeLine(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(line) >= MaxLine {
		return nil, fmt.Errorf("line of %d bytes is longer than %d", len(line)+1, MaxLine)
	}
	return append(line, '\n'), nil
}
