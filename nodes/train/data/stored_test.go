package data

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// Sets that are stored one behind another come back as they are, and nothing else is taken for one.
func TestStored(t *testing.T) {
	one := Set{Images: bytes.Repeat([]byte{7, 250}, Pixels), Labels: []uint8{9, 0}}
	both := AppendStored(AppendStored(nil, one), Set{})
	got, rest, err := Stored(both)
	if err != nil || !slices.Equal(got.Images, one.Images) || !slices.Equal(got.Labels, one.Labels) {
		t.Errorf("%v, %v", got, err)
	}
	if got, rest, err = Stored(rest); err != nil || got.Len() != 0 || len(rest) != 0 {
		t.Errorf("the second has %d images, %d bytes are left: %v", got.Len(), len(rest), err)
	}
	label := bytes.Clone(both)
	label[storedLen+2*Pixels] = Classes
	for name, b := range map[string][]byte{
		"empty": nil, "short": both[:2*Pixels], "many": {0xff, 0xff, 0xff, 0xff}, "no label": both[:storedLen+2*Pixels+1], "bad label": label,
	} {
		if _, _, err := Stored(b); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
