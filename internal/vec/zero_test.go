package vec

import "testing"

func TestZero(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257, 1000} {
		b := make([]byte, n)
		if !Zero(b) {
			t.Errorf("%d zeros are not", n)
		}
		for _, at := range []int{0, n / 2, n - 1} {
			if n == 0 {
				continue
			}
			b[at] = 1
			if Zero(b) {
				t.Errorf("%d bytes with a 1 at %d are zeros", n, at)
			}
			b[at] = 0
		}
	}
}
