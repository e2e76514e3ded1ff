package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Owner is the first record of a journal: the process that made the lab.
type Owner struct {
	Process
	Boot    string    `json:"boot"`
	UID     int       `json:"uid"`    // the calling user
	Rooted  bool      `json:"rooted"` // made with real root; else inside a user namespace that dies with its processes
	Claimed time.Time `json:"claimed"`
}

// Kind says what a record names.
type Kind string

// The kinds of records.
const (
	KindOwner     Kind = "owner"
	KindNamespace Kind = "namespace"
	KindProcess   Kind = "process"
)

// Record is one line of a journal. The fields used depend on Kind.
type Record struct {
	Kind    Kind     `json:"kind"`
	Owner   *Owner   `json:"owner,omitempty"`
	Node    string   `json:"node,omitempty"`    // of a namespace or process
	Path    string   `json:"path,omitempty"`    // where a namespace is bound
	Process *Process `json:"process,omitempty"` // of a process
}

// Namespace returns the record of a network namespace bound at path.
func Namespace(node, path string) Record {
	return Record{Kind: KindNamespace, Node: node, Path: path}
}

// Started returns the record of a process that runs for node.
func Started(node string, p Process) Record {
	return Record{Kind: KindProcess, Node: node, Process: &p}
}

func encode(records []Record) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, r := range records {
		if err := enc.Encode(r); err != nil {
			return nil, fmt.Errorf("encode journal record: %w", err)
		}
	}
	return b.Bytes(), nil
}

// maxJournal bounds what is read of a journal. Assumed: a record is about 120
// bytes, and a lab has at most some ten thousand of them.
const maxJournal = 16 << 20

// readRecords decodes a journal. A last line without a newline is a write that
// was cut off by a kill; what it would have named was never made.
func readRecords(path string) ([]Record, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	if st.Size() > maxJournal {
		return nil, fmt.Errorf("read journal %s: %d bytes are more than %d", path, st.Size(), maxJournal)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	var records []Record
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return records, nil
		}
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s:%d: not a journal record: %w", path, n, err)
		}
		records = append(records, r)
		text = rest
	}
}
