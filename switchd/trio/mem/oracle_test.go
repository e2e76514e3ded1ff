package mem

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// small is a memory of two pages each with a table that soon is full.
var small = Config{SRAM: 2 * pageBytes, DRAM: 2 * pageBytes, Records: 20, Buckets: 7}

func mustNew(t rapid.TB, c Config) *Memory {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// An oracle is memory as a map of 4-byte numbers, by byte address.
type oracle map[uint64]uint32

func (o oracle) word(a Addr) uint64 {
	return uint64(o[8*uint64(a)])<<32 | uint64(o[8*uint64(a)+4])
}

func (o oracle) put(a Addr, v uint64) {
	o[8*uint64(a)], o[8*uint64(a)+4] = uint32(v>>32), uint32(v)
}

// smallRanges are those of small, whose records take their room from SRAM.
var smallRanges = []Range{
	{0, 2*pageWords - 20*recordWords},
	{RecordsBase, RecordsBase + 20*recordWords},
	{DRAMBase, DRAMBase + 2*pageWords},
}

// valid says which bytes of small exist.
func valid(a Addr, n int) bool {
	for i := range (n + 7) / 8 {
		w := uint64(a) + uint64(i)
		if !slices.ContainsFunc(smallRanges, func(r Range) bool { return w >= uint64(r.Start) && w < uint64(r.End) }) {
			return false
		}
	}
	return true
}

// drawAddr prefers the neighbourhood of ends: of ranges, of pages.
func drawAddr(t *rapid.T) Addr {
	edges := []int64{pageWords, int64(DRAMBase) + pageWords, math.MaxUint32}
	for _, r := range smallRanges {
		edges = append(edges, int64(r.Start), int64(r.End))
	}
	edge := rapid.SampledFrom(edges).Draw(t, "edge")
	return Addr(edge + rapid.Int64Range(-12, 12).Draw(t, "off"))
}

func be(b []byte) (out uint32) {
	for _, x := range b {
		out = out<<8 | uint32(x)
	}
	return out
}

// A tokens oracle is a token bucket in rational numbers.
type tokens struct {
	rate, burst int64
	level       *big.Rat
	last        units.Time
}

func newTokens(rate, burst int64, now units.Time) *tokens {
	return &tokens{rate, burst, big.NewRat(burst, 1), now}
}

func (k *tokens) police(bytes int64, now units.Time) (exceeds bool) {
	if now > k.last {
		more := new(big.Int).Mul(big.NewInt(int64(now-k.last)), big.NewInt(k.rate))
		k.level.Add(k.level, new(big.Rat).SetFrac(more, big.NewInt(8*int64(units.Second))))
		k.last = now
	}
	if full := big.NewRat(k.burst, 1); k.level.Cmp(full) > 0 {
		k.level = full
	}
	cost := big.NewRat(bytes, 1)
	if k.level.Cmp(cost) < 0 {
		return true
	}
	k.level.Sub(k.level, cost)
	return false
}

// A hashOracle is the hash table as two maps.
type hashOracle struct {
	at  map[uint64]Addr
	ref map[uint64]bool
}

func popcount(words []uint64) (n int) {
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	return n
}
