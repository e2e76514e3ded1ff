package sansiotest

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
)

// Counts says which counters of a machine are not as they are wanted; it looks at no others.
func Counts(got []sansio.Count, want map[string]uint64) error {
	found := 0
	for _, c := range got {
		n, ok := want[c.Name]
		if ok {
			found++
		}
		if ok && n != c.N {
			return fmt.Errorf("%s is %d, want %d", c.Name, c.N, n)
		}
	}
	if found != len(want) {
		return fmt.Errorf("counters %v, want %v in them", got, want)
	}
	return nil
}
