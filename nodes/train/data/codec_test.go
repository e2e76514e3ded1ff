package data

import (
	"bytes"
	"compress/gzip"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.Uint8Range(0, Classes-1), 1, 3).Draw(t, "labels")
		images := rapid.SliceOfN(rapid.Byte(), len(labels)*Pixels, len(labels)*Pixels).Draw(t, "images")
		want := Set{Images: bytes.Clone(images), Labels: bytes.Clone(labels)}
		var first, second bytes.Buffer
		for _, to := range []*bytes.Buffer{&first, &second} {
			if err := Encode(to, Set{Images: images, Labels: labels}); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatal("two encodings of one set differ")
		}
		got, err := Decode(&first)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("decoded set differs (-want +got):\n%s", diff)
		}
		if !bytes.Equal(images, want.Images) {
			t.Fatal("encoding changed the set")
		}
	})
}

// TestPaethByHand follows the four cases of W3C PNG, section 9.4.
func TestPaethByHand(t *testing.T) {
	for _, c := range []struct {
		name             string
		left, up, corner byte
		want             byte
	}{
		{"flat", 9, 9, 9, 9},
		{"vertical edge", 10, 200, 200, 10},
		{"horizontal edge", 200, 10, 200, 10},
		{"corner is nearest", 90, 30, 60, 60},
		{"tie of left and up goes left", 20, 20, 10, 20},
	} {
		img := make([]byte, Pixels)
		at := Side + 1
		img[at-1], img[at-Side], img[at-Side-1] = c.left, c.up, c.corner
		if got := predict(img, at); got != c.want {
			t.Errorf("%s: predicted %d, want %d", c.name, got, c.want)
		}
	}
}

func packed(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecodeRefuses(t *testing.T) {
	badLabel := make([]byte, Pixels+1)
	badLabel[Pixels] = Classes
	for name, content := range map[string][]byte{
		"a part of an image":  make([]byte, Pixels),
		"a label too high":    badLabel,
		"more than the limit": make([]byte, (MaxImages+1)*(Pixels+1)),
	} {
		if _, err := Decode(bytes.NewReader(packed(t, content))); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: error %v, want %v", name, err, ErrFormat)
		}
	}
	whole := packed(t, make([]byte, Pixels+1))
	for name, file := range map[string][]byte{"no gzip": []byte("hello"), "cut short": whole[:len(whole)-9]} {
		if _, err := Decode(bytes.NewReader(file)); err == nil || errors.Is(err, ErrFormat) {
			t.Errorf("%s: error %v, want one of package gzip", name, err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for name, s := range map[string]Set{
		"images without labels": {Images: make([]byte, Pixels)},
		"labels without images": {Labels: make([]uint8, 1)},
		"a label too high":      {Images: make([]byte, Pixels), Labels: []uint8{Classes}},
	} {
		if err := Encode(new(bytes.Buffer), s); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: error %v, want %v", name, err, ErrFormat)
		}
	}
}
