package live

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/inalab/inalab/nodes/worker"
)

// Images come back from a file as they went into it, and without one they are those of the program.
func TestImagesOfAFile(t *testing.T) {
	want, err := worker.LoadImages()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "images")
	if _, err := images(path); err == nil {
		t.Error("images of no file")
	}
	if err := WriteImages(path, want); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{path, ""} {
		if got, err := images(from); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %d and %d images, want %d and %d: %v", from, got.Train.Len(), got.Test.Len(), want.Train.Len(), want.Test.Len(), err)
		}
	}
	if err := os.Truncate(path, 1<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := images(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("of half a file: %v", err)
	}
}
