package trace

import (
	"iter"
	"math"

	"github.com/inalab/inalab/internal/units"
)

// Log keeps events in bounded memory: the first half of its limit, and of what
// follows the latest half. What lies between is counted. A log is a [Sink]; it
// copies what it keeps into records without pointers, 64 bytes each, and never
// moves them, so that taking an event costs some 50 ns, whatever the length.
type Log struct {
	chunks [][]entry
	limit  int
	taken  uint64 // events that were given to it
	before uint64 // lost by the log that this one was read from

	names []string // by entry.kind, node and note; 0 is ""
	ids   map[string]uint16
}

// entry is an event as it is kept.
type entry struct {
	at               units.Time
	mask             Mask
	gen, block       uint32
	count            int32
	kind, node, note uint16
	index            uint16
	job, source      uint8
	degraded         bool
}

// chunkLen is the number of entries that are allocated at once, 256 KiB.
const chunkLen = 4096

// NewLog returns an empty log of at most limit events, rounded up to two chunks
// of 4096.
func NewLog(limit int) *Log {
	chunks := max(2, (limit+chunkLen-1)/chunkLen)
	return &Log{limit: chunks * chunkLen, names: []string{""}, ids: map[string]uint16{"": 0}}
}

// Event keeps a copy of the event.
func (l *Log) Event(e *Event) {
	*l.next() = entry{
		at: e.At, kind: l.id(string(e.Kind), math.MaxUint16), node: l.id(e.Node, math.MaxUint16), note: l.id(e.Note, maxNotes),
		job: e.Job, gen: e.Gen, block: e.Block, source: e.Source, mask: e.Mask,
		count: int32(min(e.Count, math.MaxInt32)), index: e.Index, degraded: e.Degraded,
	}
}

// next returns the place of one more event.
func (l *Log) next() *entry {
	at := l.place(l.taken)
	if at/chunkLen == len(l.chunks) {
		l.chunks = append(l.chunks, make([]entry, chunkLen))
	}
	l.taken++
	return &l.chunks[at/chunkLen][at%chunkLen]
}

// place returns where event number n goes: behind the first half of the limit in
// turns through the second.
func (l *Log) place(n uint64) int {
	if n < uint64(l.limit) {
		return int(n)
	}
	half := uint64(l.limit - l.limit/2)
	return l.limit/2 + int((n-uint64(l.limit/2))%half)
}

// maxNotes bounds the names with notes. Of each packet that met another one's aggregator the note
// may be new; kinds and nodes still find room, and all names fit the head of a file.
const maxNotes = 1 << 15

// id returns the number of a name. Should there be more than the greatest, the rest is nameless.
func (l *Log) id(name string, greatest int) uint16 {
	id, ok := l.ids[name]
	if !ok && len(l.names) <= greatest {
		id = uint16(len(l.names))
		l.names = append(l.names, name)
		l.ids[name] = id
	}
	return id
}

// Len returns the number of events that are kept.
func (l *Log) Len() int { return int(min(l.taken, uint64(l.limit))) }

// Lost returns the number of events that were given up for want of room.
func (l *Log) Lost() uint64 { return l.before + l.taken - uint64(l.Len()) }

// Last returns the latest event; ok is false where there was none.
func (l *Log) Last() (e Event, ok bool) {
	if l == nil || l.taken == 0 {
		return Event{}, false
	}
	return l.at(l.Len() - 1), true
}

// entry returns the i-th of the events that are kept.
func (l *Log) entry(i int) *entry {
	n := uint64(i)
	if i >= l.limit/2 {
		n += l.taken - uint64(l.Len())
	}
	at := l.place(n)
	return &l.chunks[at/chunkLen][at%chunkLen]
}

func (l *Log) at(i int) Event {
	e := l.entry(i)
	return Event{
		At: e.at, Kind: Kind(l.names[e.kind]), Node: l.names[e.node], Note: l.names[e.note],
		Job: e.job, Gen: e.gen, Block: e.block, Source: e.source, Mask: e.mask,
		Count: int(e.count), Index: e.index, Degraded: e.degraded,
	}
}

// Since returns events that are kept in order, at most so many, from number n on, where the
// first that was ever given has number 0. Next is the number behind the last of them, and
// lost counts those between n and next that were given up.
func (l *Log) Since(n uint64, most int) (events []Event, next, lost uint64) {
	half := uint64(l.limit / 2)
	behind := half + l.taken - uint64(l.Len()) // what was given up
	for next = n; next < l.taken && len(events) < most; next++ {
		if next >= half && next < behind {
			lost, next = lost+behind-next, behind
		}
		i := next
		if i >= behind {
			i -= behind - half
		}
		events = append(events, l.at(int(i)))
	}
	return events, next, lost
}

// Taken returns how many events were given.
func (l *Log) Taken() uint64 { return l.taken }

// Merged returns the events of several logs in order of time, those of one
// instant in the order of the logs. Each log is in order of time already.
func Merged(logs []*Log) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		heads, next := make([]Event, len(logs)), make([]int, len(logs))
		for i, l := range logs {
			if l.Len() > 0 {
				heads[i] = l.at(0)
			}
		}
		for {
			first := -1
			for i, l := range logs {
				if next[i] < l.Len() && (first < 0 || heads[i].At < heads[first].At) {
					first = i
				}
			}
			if first < 0 || !yield(heads[first]) {
				return
			}
			if next[first]++; next[first] < logs[first].Len() {
				heads[first] = logs[first].at(next[first])
			}
		}
	}
}

// Sinks is several sinks as one; each takes every event.
type Sinks []Sink

// Event hands the event to each.
func (s Sinks) Event(e *Event) {
	for _, sink := range s {
		sink.Event(e)
	}
}

// Join returns one sink for all that are given, nil where all are.
func Join(sinks ...Sink) Sink {
	var out Sinks
	for _, s := range sinks {
		if s != nil {
			out = append(out, s)
		}
	}
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	return out
}
