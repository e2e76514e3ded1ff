package reuse_test

import (
	"testing"

	"github.com/inalab/inalab/internal/reuse"
)

func TestOrder(t *testing.T) {
	var l reuse.List[int]
	if x, ok := l.Take(); ok {
		t.Fatalf("an empty list has %d", x)
	}
	for x := range 3 {
		l.Lend(x + 1)
	}
	if _, ok := l.Take(); ok {
		t.Fatal("what is lent was taken")
	}
	l.Returned(2)
	a, _ := l.Take()
	b, _ := l.Take()
	if a+b != 3 || a == b {
		t.Errorf("%d and %d came back, of 1, 2, 3, the first two", a, b)
	}
	if x, ok := l.Take(); ok {
		t.Errorf("%d was taken, which is lent", x)
	}
	l.Returned(5)
	if x, ok := l.Take(); !ok || x != 3 {
		t.Errorf("the last that was lent: %d, %v", x, ok)
	}
	l.Free(9)
	if x, ok := l.Take(); !ok || x != 9 {
		t.Errorf("freed: %d, %v", x, ok)
	}
}

func TestNoGarbage(t *testing.T) {
	var l reuse.List[*int]
	l.Free(new(int))
	if n := testing.AllocsPerRun(100, func() {
		x, _ := l.Take()
		l.Lend(x)
		l.Returned(1)
	}); n > 0 {
		t.Errorf("a turn allocates %v times", n)
	}
}
