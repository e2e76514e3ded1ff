package atp

import "testing"

// Each half begins with a sweep, the first two only where the numbers were used before.
func TestSweeps(t *testing.T) {
	n := Numbers{First: 5, Size: 20}
	for _, used := range []bool{false, true} {
		s := Sweeps{Aggregators: 3, Used: used}
		for packet := range uint64(60) {
			index, ok := s.Index(n, packet)
			at := packet % 10
			want := at < 3 && (used || packet >= 20)
			if ok != want || ok && uint64(index) != at {
				t.Errorf("used %v, packet %d: %d, %v", used, packet, index, ok)
			}
		}
	}
	if _, ok := (Sweeps{Used: true}).Index(n, 20); ok {
		t.Error("a sweep of no aggregators")
	}
}
