package data

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

func sum(b ...[]byte) string {
	h := sha256.New()
	for _, part := range b {
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestFilesArePinned holds the embedded files and what they decode to. The
// first may change with the release of Go that makes the cut, the second not.
func TestFilesArePinned(t *testing.T) {
	train, test, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, got, want string }{
		{TrainFile, sum(trainFile), "7944738142ec9486b1d0a17e7a68379275a9451bcc785879119d0e8c127eaf75"},
		{TestFile, sum(testFile), "c4c1a42fa67c7dabd540fe76cadbf1a25fcd410bf8691f97e91347cdd04d25ef"},
		{"training set", sum(train.Images, train.Labels), "d04919469196668f12166573f4fcda126a24fd2c8f6ff98de0861dadc433b74f"},
		{"test set", sum(test.Images, test.Labels), "22489d4842e74e85dc8dfa1e618d5c8b760cc913f0c941bf9aebbb0d0b933b9e"},
	} {
		if c.got != c.want {
			t.Errorf("%s has SHA-256 %s, want %s", c.name, c.got, c.want)
		}
	}
}

func TestFilesAreSmall(t *testing.T) {
	const limit = 3_000_000
	if size := len(trainFile) + len(testFile); size > limit {
		t.Errorf("the files take %d bytes, at most %d are allowed", size, limit)
	}
}

func TestCountsAndBalance(t *testing.T) {
	train, test, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		set      Set
		perClass int
	}{{"training", train, 600}, {"test", test, 100}} {
		var counts [Classes]int
		for _, label := range c.set.Labels {
			counts[label]++
		}
		for class, n := range counts {
			if n != c.perClass {
				t.Errorf("%s set has %d images of class %d, want %d", c.name, n, class, c.perClass)
			}
		}
		if got, want := len(c.set.Images), c.perClass*Classes*Pixels; got != want {
			t.Errorf("%s set has %d pixels, want %d", c.name, got, want)
		}
	}
}

// TestFirstImagesByEye compares with pictures that a reader recognises: the first
// training image is an ankle boot (class 9), the second a T-shirt (class 0).
func TestFirstImagesByEye(t *testing.T) {
	train, _, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/first.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := picture(train, 0) + picture(train, 1); got != string(want) {
		t.Errorf("the first two images are\n%s\nwant\n%s", got, want)
	}
}

// picture draws image i with four shades.
func picture(s Set, i int) string {
	var b strings.Builder
	b.WriteString("class " + string('0'+s.Labels[i]) + "\n")
	for y := range Side {
		line := make([]byte, Side)
		for x := range line {
			line[x] = " .o#"[s.Image(i)[y*Side+x]/64]
		}
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return b.String()
}

func TestImageCannotGrowIntoTheNext(t *testing.T) {
	s := Set{Images: make([]byte, 2*Pixels), Labels: make([]uint8, 2)}
	_ = append(s.Image(0), 77)
	if s.Image(1)[0] != 0 {
		t.Error("appending to one image wrote into the next")
	}
}
