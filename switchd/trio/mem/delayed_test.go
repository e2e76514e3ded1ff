package mem

import (
	"encoding/binary"
	"testing"
)

// Whatever looks at a page whose adds are delayed sees them done, at both sides of the end of a page.
// Adds themselves wait for nothing.
func TestDelayedAddsAreDoneBeforeTheyAreSeen(t *testing.T) {
	const last = DRAMBase + pageWords - 1
	whole := Layout{DRAM: Range{DRAMBase, DRAMBase + 2*pageWords}}.DRAM
	for name, look := range map[string]func(m *Memory) uint64{
		"Load": func(m *Memory) uint64 { v, _ := m.Load(last + 1); return v },
		"Read": func(m *Memory) uint64 {
			var b [2 * WordBytes]byte
			m.Read(last, b[:])
			return binary.BigEndian.Uint64(b[WordBytes:])
		},
		"ReadRange": func(m *Memory) uint64 {
			var b [2 * WordBytes]byte
			m.ReadRange(last, b[:])
			return binary.BigEndian.Uint64(b[WordBytes:])
		},
		"Counter":    func(m *Memory) uint64 { _, v, _ := m.Counter(last); return v },
		"FetchOr":    func(m *Memory) uint64 { v, _ := m.FetchOr(last+1, 0); return v },
		"FetchAdd32": func(m *Memory) uint64 { v, _ := m.FetchAdd32(last+1, 1, 0); return uint64(v) },
		"Written": func(m *Memory) (sum uint64) {
			for r := range m.Written(whole) {
				for a := r.Start; a < r.End; a++ {
					v, _ := m.Load(a)
					sum += v
				}
			}
			return sum
		},
		"Write": func(m *Memory) uint64 {
			m.Write(last, make([]byte, 2*WordBytes)) // what comes later must not be added to it
			v, _ := m.Load(last + 1)
			return v + 5
		},
		"FillRange": func(m *Memory) uint64 {
			m.FillRange(last, 2*WordBytes, make([]byte, WordBytes))
			v, _ := m.Load(last + 1)
			return v + 5
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := mustNew(t, Config{SRAM: pageBytes, DRAM: 2 * pageBytes, Records: 3})
			m.Store(last, 0)
			m.Store(last+1, 0)
			row, done := RowAt(last+1, 1), 0
			m.DelayAdds(func(page int) {
				if page == row.Page() && done == 0 {
					done++
					m.AddRow(row, []byte{0, 0, 0, 5})
					m.Delayed(page)
				}
			})
			m.Delay(row.Page())
			if f := m.Add32(last, 1, make([]byte, 4)); f != NoFault || done != 0 {
				t.Fatalf("an add: fault %v, %d delayed adds done", f, done)
			}
			if got := look(m); got != 5 || done != 1 {
				t.Errorf("seen %d, want 5; delayed adds done %d times", got, done)
			}
		})
	}
}
