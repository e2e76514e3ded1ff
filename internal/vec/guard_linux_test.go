package vec

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Bodies that end at the last byte, or start at the first, of a readable page:
// a loop that reads a byte outside its slices dies here, where canaries would
// not see it.
func TestNoAccessOutsideTheSlices(t *testing.T) {
	dst, src := guardedPage(t), guardedPage(t)
	for _, v := range variants() {
		for n := 0; n <= 140*elem && n <= len(dst); n += elem {
			for _, at := range []int{0, len(dst) - n} {
				d, s := dst[at:][:n], src[at:][:n]
				v.AddBE(d, s)
				v.AddSatBE(d, s)
				ints := make([]int32, n/elem)
				v.GetBE(ints, s)
				v.PutBE(d, ints)
				v.Quantise(asElements[int32](d), asElements[float32](s), 1)
				v.Mean(asElements[float32](d), asElements[int32](s), 2)
				v.MaxMagnitude(asElements[float32](s))
			}
		}
	}
}

// asElements returns the memory of body, which is aligned, as elements.
func asElements[T int32 | float32](body []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(body))), len(body)/elem)
}

// guardedPage returns one page between two that may not be touched.
func guardedPage(t *testing.T) []byte {
	page := unix.Getpagesize()
	mem, err := unix.Mmap(-1, 0, 3*page, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatalf("map guarded page: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(mem); err != nil {
			t.Errorf("unmap guarded page: %v", err)
		}
	})
	body := mem[page : 2*page]
	if err := unix.Mprotect(body, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatalf("open page between the guards: %v", err)
	}
	return body
}
