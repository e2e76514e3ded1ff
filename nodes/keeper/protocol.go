package keeper

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Version is the version of the protocol.
const Version = 1

// Request asks for a program. Its standard files come with the first byte.
type Request struct {
	Version  int      `json:"version"`
	Node     string   `json:"node,omitempty"` // whose namespace; empty: that of the lab's owner
	Path     string   `json:"path"`           // of the program
	Args     []string `json:"args"`           // its name first
	Env      []string `json:"env"`
	Dir      string   `json:"dir"`                // working directory; where there is none like it, /
	Terminal bool     `json:"terminal,omitempty"` // standard input becomes its controlling terminal
}

// Order is a further line of a client.
type Order struct {
	Signal int `json:"signal"` // for the program's process group
}

// Answer is a line to a client.
type Answer struct {
	Error   string `json:"error,omitempty"` // why it was not started
	PID     int    `json:"pid,omitempty"`   // it was, and has this number in the lab
	Ended   bool   `json:"ended,omitempty"`
	Code    int    `json:"code,omitempty"`    // that it ended with; 128 and the signal that ended it
	Unknown bool   `json:"unknown,omitempty"` // of an error: there is no such node
}

// standardFiles are those that come with a request.
const standardFiles = 3

// maxRequest bounds a request in bytes: execve(2) takes 2 MiB of arguments and environment.
const maxRequest = 4 << 20

func encode(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write to the keeper of a lab: %w", err)
	}
	return append(line, '\n'), nil
}

// Config describes the keeper of a lab, as it crosses to it.
type Config struct {
	Socket string            `json:"socket"` // new socket
	Nodes  map[string]string `json:"nodes"`  // paths of network namespaces
	Binds  map[string]string `json:"binds"`  // files that programs see, by the file that they see them in place of
}

// Control is this process's side of its conversation with whoever started it.
type Control interface {
	// Ready says that programs may come.
	Ready() error
	// Tell says what a program does, for the events of the lab.
	Tell(text string) error
}

// Report says what was left at the end.
type Report struct {
	Programs int `json:"programs"` // that were started
}

// within returns the address of a socket in an open directory, which is short
// however long the path is.
func within(dir *os.File, path string) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path))
}

// Told is what a program does, for the events of the lab.
type Told struct {
	Event string   `json:"event"` // program-started, program-ended
	Node  string   `json:"node,omitempty"`
	PID   int      `json:"pid"` // in the lab
	Args  []string `json:"command"`
	Code  *int     `json:"code,omitempty"`
}
