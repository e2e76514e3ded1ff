package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inalab/inalab/nodes/train/data"
)

// debian is where the package dataset-fashion-mnist puts its files.
const debian = "/usr/share/datasets/fashion-mnist"

// TestCommittedFilesComeFromDebian makes the cut again where the package is
// installed, and compares its content with what is embedded.
func TestCommittedFilesComeFromDebian(t *testing.T) {
	if _, err := os.Stat(debian); err != nil {
		t.Skip("Debian's package dataset-fashion-mnist is not installed")
	}
	train, test, err := data.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, embedded := range []data.Set{train, test} {
		all, err := splits[i].read(debian)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := cut(all, splits[i].perClass)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(kept.Images, embedded.Images) || !bytes.Equal(kept.Labels, embedded.Labels) {
			t.Errorf("%s is not the cut of %s", splits[i].to, splits[i].images)
		}
	}
}

// small is a split of a made-up data set.
var small = split{images: "images.gz", labels: "labels.gz", to: "cut.gz", perClass: 2}

// writeIDX stores elements under the header of those dimensions.
func writeIDX(t *testing.T, path string, elements []byte, sizes ...uint32) {
	t.Helper()
	content := binary.BigEndian.AppendUint32(nil, 0x800|uint32(len(sizes)))
	for _, s := range sizes {
		content = binary.BigEndian.AppendUint32(content, s)
	}
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	if _, err := z.Write(append(content, elements...)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeSmall stores perClass images of each class, image i filled with the
// byte i, and returns the directory.
func writeSmall(t *testing.T, perClass int) string {
	t.Helper()
	dir := t.TempDir()
	var images, labels []byte
	for i := range perClass * data.Classes {
		images = append(images, bytes.Repeat([]byte{byte(i)}, data.Pixels)...)
		labels = append(labels, byte(i*7%data.Classes))
	}
	n := uint32(len(labels))
	writeIDX(t, filepath.Join(dir, small.images), images, n, data.Side, data.Side)
	writeIDX(t, filepath.Join(dir, small.labels), labels, n)
	return dir
}

func TestKeepsTheFirstOfEachClass(t *testing.T) {
	from, to := writeSmall(t, 4), t.TempDir()
	var files [2][]byte
	for i := range files {
		if err := small.write(from, to); err != nil {
			t.Fatal(err)
		}
		var err error
		if files[i], err = os.ReadFile(filepath.Join(to, small.to)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two runs wrote different bytes")
	}
	set, err := data.Decode(bytes.NewReader(files[0]))
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != 2*data.Classes {
		t.Fatalf("kept %d images, want %d", set.Len(), 2*data.Classes)
	}
	for i := range set.Len() { // classes rotate, so the first two of each are the first twenty
		if set.Image(i)[0] != byte(i) || set.Labels[i] != byte(i*7%data.Classes) {
			t.Errorf("image %d is image %d of class %d", i, set.Image(i)[0], set.Labels[i])
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	image := make([]byte, data.Pixels)
	cases := []struct {
		name, want string
		spoil      func(dir string)
	}{
		{"a class too small", "class 0 has 1 images, want 2", func(dir string) {
			writeIDX(t, filepath.Join(dir, small.images), bytes.Repeat(image, 10), 10, data.Side, data.Side)
			writeIDX(t, filepath.Join(dir, small.labels), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10)
		}},
		{"unequal counts", "has 1 images but labels.gz has 40 labels", func(dir string) {
			writeIDX(t, filepath.Join(dir, small.images), image, 1, data.Side, data.Side)
		}},
		{"another image size", "dimension 2 is 14, want 28", func(dir string) {
			writeIDX(t, filepath.Join(dir, small.images), image, 2, data.Side, data.Side/2)
		}},
		{"a label too high", "has label 10", func(dir string) {
			writeIDX(t, filepath.Join(dir, small.labels), bytes.Repeat([]byte{10}, 40), 40)
		}},
		{"a short file", "the header promises 41", func(dir string) {
			writeIDX(t, filepath.Join(dir, small.labels), make([]byte, 40), 41)
		}},
		{"labels for images", "magic is 0x00000801, want 0x00000803", func(dir string) {
			writeIDX(t, filepath.Join(dir, small.images), make([]byte, 40), 40)
		}},
		{"no header", "too few for an IDX header", func(dir string) {
			writeIDX(t, filepath.Join(dir, small.labels), nil)
		}},
		{"no gzip", "open ", func(dir string) {
			if err := os.WriteFile(filepath.Join(dir, small.labels), []byte("hello"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"no file", "no such file", func(dir string) {
			if err := os.Remove(filepath.Join(dir, small.images)); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := writeSmall(t, 4)
			c.spoil(dir)
			to := t.TempDir()
			if err := small.write(dir, to); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if left, err := os.ReadDir(to); err != nil || len(left) > 0 {
				t.Errorf("wrote %v in spite of the error (%v)", left, err)
			}
		})
	}
}
