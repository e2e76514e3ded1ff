package sansio

import (
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Count is one named counter.
type Count struct {
	Name string `json:"name"`
	N    uint64 `json:"n"`
}

// Tally counts events by name: drops by reason, messages by type. Names are
// constants of the counting package; there are few of them, so the list is
// searched. The zero value is empty.
type Tally struct{ counts []Count }

// Names of counters that the hosts of every system share, as in [result.Resent].
const (
	CountResentPackets = "resent-packets"
	CountResentBytes   = "resent-bytes"
)

// Resent counts what is sent again.
func (t *Tally) Resent(packets uint64, bytes units.Bytes) {
	t.Add(CountResentPackets, packets)
	t.Add(CountResentBytes, uint64(bytes))
}

// ResentOf returns what was sent again by the counters of a list.
func ResentOf(list []Count) result.Resent {
	return result.Resent{Packets: CountOf(list, CountResentPackets), Bytes: units.Bytes(CountOf(list, CountResentBytes))}
}

// Add counts n more events of that name.
func (t *Tally) Add(name string, n uint64) {
	for i := range t.counts {
		if t.counts[i].Name == name {
			t.counts[i].N += n
			return
		}
	}
	t.counts = append(t.counts, Count{Name: name, N: n})
}

// Get returns the count of that name.
func (t *Tally) Get(name string) uint64 { return CountOf(t.counts, name) }

// CountOf returns the count of that name in a list; 0 where there is none.
func CountOf(list []Count, name string) uint64 {
	for _, c := range list {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

// List returns all counts, sorted by name.
func (t *Tally) List() []Count {
	out := slices.Clone(t.counts)
	slices.SortFunc(out, func(a, b Count) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Merge adds every count of list.
func (t *Tally) Merge(list []Count) {
	for _, c := range list {
		t.Add(c.Name, c.N)
	}
}
