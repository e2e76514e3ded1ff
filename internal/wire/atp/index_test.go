package atp

import (
	"slices"
	"testing"
)

// Places of a job have indexes of their own while there are enough; with fewer, each has as
// many places as any other, give or take one. Tables of powers of two, where CRCs of neighbours
// differ by a constant, are no exception.
func TestPositionsAreDistinct(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64, 100, 256, 660, 1024, 1980, MaxAggregators} {
		for _, places := range []int{1, 2, n - 1, n, n + 1, 2*n + 3} {
			if places < 1 || places > 5000 {
				continue
			}
			for _, job := range []uint8{0, 1, 255} {
				checkPositions(t, job, places, n)
			}
		}
	}
	checkPositions(t, 3, MaxAggregators, MaxAggregators)
}

func checkPositions(t *testing.T, job uint8, places, n int) {
	t.Helper()
	held := make([]int, n)
	for i, at := range Positions(job, places, n) {
		if int(at) >= n {
			t.Fatalf("job %d, place %d of %d: index %d of a table of %d", job, i, places, at, n)
		}
		held[at]++
	}
	if least, most := slices.Min(held), slices.Max(held); least < places/n || most > (places+n-1)/n {
		t.Fatalf("job %d: %d places have %d to %d of an index of a table of %d", job, places, least, most, n)
	}
}

// All workers find the same indexes, those of fewer places first.
func TestPositionsArePrefixes(t *testing.T) {
	all := Positions(9, 200, 150)
	for places := range 200 {
		if got := Positions(9, places, 150); !slices.Equal(got, all[:places]) {
			t.Fatalf("%d places have %v, want %v", places, got, all[:places])
		}
	}
}

// CRC-32 of the job, the number and the salt, big-endian: computed with another
// implementation (Python's zlib).
func TestIndexGoldens(t *testing.T) {
	for _, c := range []struct {
		job    uint8
		number uint32
		salt   uint16
		n      int
		want   uint16
	}{
		{0, 1, 0, 20000, 15369},
		{7, 123456, 0, 20000, 13011},
		{7, 123456, 1, 20000, 15461},
		{255, 16777215, 65535, 65536, 29217},
		{3, 10, 0, 1, 0},
	} {
		if got := Index(c.job, c.number, c.salt, c.n); got != c.want {
			t.Errorf("Index(%d, %d, %d, %d) = %d, want %d", c.job, c.number, c.salt, c.n, got, c.want)
		}
	}
	for _, c := range []struct {
		index uint16
		n     int
		want  uint16
	}{
		{0, 20000, 5215},
		{4711, 1980, 475},
		{65535, 65536, 0},
		{1, 1, 0},
	} {
		if got := Rehash(c.index, c.n); got != c.want {
			t.Errorf("Rehash(%d, %d) = %d, want %d", c.index, c.n, got, c.want)
		}
	}
}

// Without aggregators there is nothing to hash to, and packets still name an index.
func TestNoAggregators(t *testing.T) {
	if Index(1, 2, 3, 0) != 0 || Rehash(5, 0) != 0 || !slices.Equal(Positions(1, 3, 0), []uint16{0, 0, 0}) {
		t.Error("an index of a table of none is not 0")
	}
}
