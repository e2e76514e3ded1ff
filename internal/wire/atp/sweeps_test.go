package atp

import "testing"

// Each half but the first ends with a sweep, for the half behind it; one is at the start where the numbers
// were used before.
func TestSweeps(t *testing.T) {
	n := Numbers{First: 5, Size: 20}
	for _, used := range []bool{false, true} {
		s := Sweeps{Aggregators: 3, Used: used}
		before := uint64(0)
		for packet := range uint64(60) {
			if got := s.Before(n, packet); got != before {
				t.Errorf("used %v: %d sweeps before packet %d, want %d", used, got, packet, before)
			}
			want, sweeps := packet%10-7, packet >= 10 && packet%10 >= 7
			if used && packet < 3 {
				want, sweeps = packet, true
			}
			if sweeps {
				before++
			}
			if index, ok := s.Index(n, packet); ok != sweeps || ok && uint64(index) != want {
				t.Errorf("used %v, packet %d: %d, %v", used, packet, index, ok)
			}
		}
	}
	if _, ok := (Sweeps{Used: true}).Index(n, 19); ok {
		t.Error("a sweep of no aggregators")
	}
}
