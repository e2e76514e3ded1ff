package trio

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// A program that writes to all that it declares, and to every record, is not refused
// a page, though the host would give others less.
func TestDeclaredMemoryIsThere(t *testing.T) {
	p := compile(t, "wide", "sram here[100]; counter one; dram there[4096]; packet entry start; start: begin exit; end")
	const records = 300
	need := Declared(p, records)
	m, err := mem.New(mem.Config{Resident: need, Records: records, SRAM: units.MiB, DRAM: 64 * units.MiB})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Symbols {
		s := &p.Symbols[i]
		if !s.Kind.Shared() {
			continue
		}
		for a := mem.Addr(s.Value); a < mem.Addr(s.Value)+mem.Addr(s.Size/mem.WordBytes); a++ {
			if f := m.Store(a, 1); f != mem.NoFault {
				t.Fatalf("%s at %#x: %v", s.Name, a, f)
			}
		}
	}
	for key := range uint64(records) {
		a, _, _ := m.Hash().Insert(key)
		if f := m.Store(a, 1); f != mem.NoFault {
			t.Fatalf("record %d: %v", key, f)
		}
	}
	if used := m.Resident(); used < 16*units.KiB+32*units.KiB || used > need {
		t.Errorf("%v in use of %v", used, need)
	}
}

// The limit of the host is what a program declares where that is more than the usual,
// unless it is set.
func TestResidentLimit(t *testing.T) {
	wide := compile(t, "wide", "dram there[268435456]; packet entry start; start: begin exit; end") // 2 GiB
	narrow := compile(t, "narrow", "packet entry start; start: begin exit; end")
	for _, c := range []struct {
		cfg  Config
		want units.Bytes
	}{
		{Config{Program: wide}, Declared(wide, 0)},
		{Config{Program: wide, Memory: mem.Config{Resident: units.MiB}}, units.MiB},
		{Config{Program: narrow}, mem.DefaultResident},
	} {
		if got := c.cfg.withDefaults().Memory.Resident; got != c.want {
			t.Errorf("%s with %v: a limit of %v, want %v", c.cfg.Program.Name, c.cfg.Memory.Resident, got, c.want)
		}
	}
	if n := Declared(wide, 0); n < 2*units.GiB {
		t.Errorf("a program declares %v, want 2 GiB and more", n)
	}
}
