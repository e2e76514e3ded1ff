package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/inalab/inalab/nodes/keeper"
)

// Event is something that happened in a lab that is up, a line of its events.
type Event struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"`
	Node    string    `json:"node,omitempty"`
	PID     int       `json:"pid,omitempty"` // of a program, in the lab
	Command []string  `json:"command,omitempty"`
	Code    *int      `json:"code,omitempty"` // that a program ended with
	Link    string    `json:"link,omitempty"` // one direction, as "h0:eth0->tor:p0"
	Becomes string    `json:"becomes,omitempty"`
	Text    string    `json:"text,omitempty"`
}

// Words of events.
const (
	EventUp            = "up"
	EventDown          = "down"
	EventSwitchEnded   = "switch-ended"
	EventSwitchStarted = "switch-started"
	EventLink          = "link"
	EventRunBegan      = "run-began"
	EventRunEnded      = "run-ended"
	EventTold          = "switch-told"
)

// events writes the events of a lab. A full disk loses events, never the lab.
type events struct {
	mu   sync.Mutex // guards file: one line at a time
	file *os.File
}

func openEvents(dir string) (*events, error) {
	f, err := os.OpenFile(EventsPath(dir), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("make file of events: %w", err)
	}
	return &events{file: f}, nil
}

func (e *events) add(event Event) {
	event.Time = time.Now().UTC()
	line, err := json.Marshal(event)
	if err != nil {
		return // plain values can always be encoded
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, _ = e.file.Write(append(line, '\n'))
}

func (e *events) close() error { return e.file.Close() }

// told takes what the keeper says.
func (e *events) told(text string) {
	var t keeper.Told
	if json.Unmarshal([]byte(text), &t) == nil {
		e.add(Event{Event: t.Event, Node: t.Node, PID: t.PID, Command: t.Args, Code: t.Code})
	}
}
