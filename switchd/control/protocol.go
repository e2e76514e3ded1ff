package control

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Version is the version of the protocol. Both sides are the same binary; the
// check finds one that was rebuilt beside a running lab.
const Version = 1

// Limits of the protocol; all assumed.
const (
	MaxRequest   = 64 << 10 // bytes of a line: a job of 255 sources and as many ports is some 6 KB
	MaxResponse  = 32 << 20 // bytes of a line: MaxRows block records on each of six PFEs are 10 MB
	MaxRows      = 10_000   // of a view, for each engine
	DefaultRows  = 1_000
	MaxConns     = 16 // connections at a time
	IdleTimeout  = 30 * time.Second
	WriteTimeout = 10 * time.Second
)

// Op is what a request asks for.
type Op string

// The operations.
const (
	OpShow      Op = "show"       // a view of each engine
	OpAddJob    Op = "add-job"    // set a job up
	OpRemoveJob Op = "remove-job" // take it out
	OpDrop      Op = "drop"       // set what a drop simulator does; nothing set: list it
	OpClearDrop Op = "clear-drop" // end all of that
	OpForget    Op = "forget"     // lose what programs remember of packets; jobs stay
	OpSet       Op = "set"        // write what a name of a program stands for
	OpReplace   Op = "replace"    // a program by another source
	OpRaise     Op = "raise"      // an external event of a program
	OpEvents    Op = "events"     // events that the process keeps, as captures take them
	OpLinks     Op = "links"      // what links at ports are, and what came of frames
	OpSetLink   Op = "set-link"   // one direction of the link at a port
)

// Request is one line to a switch.
type Request struct {
	Version  int              `json:"version"`
	Op       Op               `json:"op"`
	PFE      string           `json:"pfe,omitempty"`      // name or number of one; empty: all that it concerns
	View     dataplane.View   `json:"view,omitempty"`     // show
	Limit    int              `json:"limit,omitempty"`    // show: rows for each engine; zero: DefaultRows
	Job      json.RawMessage  `json:"job,omitempty"`      // add-job: as the system of the switch defines its jobs
	Protocol string           `json:"protocol,omitempty"` // add-job: what the job speaks; empty: what the switch does
	ID       *int             `json:"id,omitempty"`       // remove-job
	Drop     *Drop            `json:"drop,omitempty"`     // drop; nil: only list
	Program  string           `json:"program,omitempty"`  // show, set, raise: one program of a PFE; empty: all that it concerns
	Name     string           `json:"name,omitempty"`     // show, of a view of names: what one of them stands for; empty: all
	Set      *dataplane.Write `json:"set,omitempty"`      // set
	Source   *Source          `json:"source,omitempty"`   // replace
	Raise    *Raise           `json:"raise,omitempty"`    // raise
	Since    *uint64          `json:"since,omitempty"`    // events: the first that is wanted; nil: only say which is next
	Link     *Link            `json:"link,omitempty"`     // set-link
}

// Drop is what a drop simulator is to do at a port, in one direction.
type Drop struct {
	Port        string    `json:"port"` // by name
	Direction   Direction `json:"direction"`
	Probability float64   `json:"probability"`    // of each packet of the program; 0 ends it
	Seed        *uint64   `json:"seed,omitempty"` // begin the dice of this port and direction anew
}

// Direction is which packets of a port are meant.
type Direction string

// The directions.
const (
	In  Direction = "in"  // those that arrive by the port
	Out Direction = "out" // those sent by it
)

// Dropping is what an engine's drop simulator does.
type Dropping struct {
	PFE         string    `json:"pfe"`
	Port        string    `json:"port"`
	Direction   Direction `json:"direction"`
	Probability float64   `json:"probability"`
}

// Response is one line from a switch.
type Response struct {
	Version int              `json:"version"`
	Switch  string           `json:"switch"`
	Error   string           `json:"error,omitempty"` // empty: done
	Fault   Fault            `json:"fault,omitempty"` // what kind of error
	Reason  dataplane.Reason `json:"reason,omitempty"`

	At      units.Time    `json:"at_ps,omitempty"`   // show: when, by the clock of the switch's run
	Tables  []EngineTable `json:"tables,omitempty"`  // show
	Added   *Added        `json:"added,omitempty"`   // add-job
	Removed []Taken       `json:"removed,omitempty"` // remove-job, from the bottom up
	Drops   []Dropping    `json:"drops,omitempty"`   // drop, clear-drop: what is set behind it
	Forgot  *Forgot       `json:"forgot,omitempty"`  // forget
	Written []Written     `json:"written,omitempty"` // set

	Replaced []dataplane.Replaced `json:"replaced,omitempty"` // replace
	Raised   []Raised             `json:"raised,omitempty"`   // raise
	Events   *Events              `json:"events,omitempty"`   // events

	Links []chassis.LinkReading `json:"links,omitempty"` // links
}

// Forgot is what a switch lost on request.
type Forgot struct {
	Engines int `json:"engines"`
	Blocks  int `json:"blocks"` // that were open in them
}

// Written is what was written in one program.
type Written struct {
	PFE     string `json:"pfe"`
	Program string `json:"program"`
	dataplane.Written
}

// Fault says who has to change something after an error.
type Fault string

// The faults.
const (
	FaultRequest Fault = "request" // who asked: it cannot be asked like that
	FaultRefused Fault = "refused" // who asked, or somebody before: the engine's state forbids it
	FaultBusy    Fault = "busy"    // nobody: ask again
)

// EngineTable is a view of one engine.
type EngineTable struct {
	PFE   string          `json:"pfe"` // and behind a slash the program, if it is not the system's
	Table dataplane.Table `json:"table"`
}

// Taken is what was removed of a job from one engine.
type Taken struct {
	PFE string `json:"pfe"`
	dataplane.Removed
}

// DecodeRequest reads one line. It checks the version first, so that another
// version is told as such and not as an unknown key.
func DecodeRequest(line []byte) (Request, error) {
	var v struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(line, &v); err != nil {
		return Request{}, fmt.Errorf("a request must be one JSON object: %w", err)
	}
	if v.Version == nil {
		return Request{}, fmt.Errorf("the request lacks a version: this switch speaks %d", Version)
	}
	if *v.Version != Version {
		return Request{}, fmt.Errorf("the request is of version %d, this switch speaks %d: use the program that started the lab", *v.Version, Version)
	}
	var r Request
	if err := strictjson.Decode(line, &r); err != nil {
		return Request{}, fmt.Errorf("malformed request: %w", err)
	}
	return r, nil
}

// encodeResponse returns a response as one line; one that is too long becomes an
// error that says so.
func encodeResponse(r Response) []byte {
	r.Version = Version
	line, err := json.Marshal(r)
	if err == nil && len(line) < MaxResponse {
		return append(line, '\n')
	}
	if err == nil {
		err = fmt.Errorf("the answer has %d bytes, more than %d: ask for fewer rows or one PFE", len(line), MaxResponse)
	}
	line, _ = json.Marshal(Response{Version: Version, Switch: r.Switch, Error: err.Error(), Fault: FaultRequest}) // strings can always be encoded
	return append(line, '\n')
}
