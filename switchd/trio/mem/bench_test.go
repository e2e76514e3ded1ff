package mem

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
)

func BenchmarkMemory(b *testing.B) {
	m := mustNew(b, Config{AddBytes: MaxAccess})
	h := m.Hash()
	buf := make([]byte, 64)
	for a := DRAMBase; a < DRAMBase+1<<18; a += 8 {
		m.Write(a, buf)
	}
	for key := range uint64(4096) {
		h.Insert(key)
	}
	const turn = 1<<18 - 8 // 2 MiB: the aggregation buffers of 512 blocks of 4 KB
	for _, op := range []struct {
		name string
		do   func(i int)
	}{
		{"Add32/64", func(i int) { m.Add32(DRAMBase+Addr(i*8)%turn, 0, buf) }},
		{"Add32/4", func(i int) { m.Add32(DRAMBase+Addr(i)%turn, uint64(i&1), buf[:4]) }},
		{"Read/64", func(i int) { m.Read(DRAMBase+Addr(i*8)%turn, buf) }},
		{"Write/64", func(i int) { m.Write(DRAMBase+Addr(i*8)%turn, buf) }},
		{"FetchOr", func(i int) { m.FetchOr(DRAMBase+Addr(i)%turn, 1) }},
		{"CounterInc", func(i int) { m.CounterInc(DRAMBase+Addr(i*2)%turn, 100) }},
		{"Police", func(i int) { m.Police(DRAMBase, 100, units.Time(i)*1000) }},
		{"Lookup", func(i int) { h.Lookup(uint64(i) % 4096) }},
		{"InsertDelete", func(i int) { h.Insert(1<<40 + uint64(i)); h.Delete(1<<40 + uint64(i)) }},
		{"Scan/100", func(i int) { h.Scan(uint32(i)%100, 100, 0) }},
	} {
		b.Run(op.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				op.do(i)
			}
		})
	}
}

func BenchmarkEngines(b *testing.B) {
	e := mustEngines(b, Config{})
	b.Run("Add/64", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			e.Add(units.Time(i)*3000, Addr(i*8), 0, 64)
		}
	})
	b.Run("Access/8", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			e.Access(units.Time(i)*1000, Addr(i), 8)
		}
	})
	b.Run("Hash", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			e.Hash(units.Time(i)*3000, Cost{Index: 3})
		}
	})
}
