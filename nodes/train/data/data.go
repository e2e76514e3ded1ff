package data

import (
	"bytes"
	_ "embed"
	"fmt"
)

// Shape of the data.
const (
	Side    = 28          // pixels on each side of an image
	Pixels  = Side * Side // bytes of an image
	Classes = 10          // labels are 0..Classes-1

	TrainPerClass = 600 // images of each class in the training set of [Load]
	TestPerClass  = 100 // images of each class in the test set of [Load]
)

// TrainFile and TestFile are the names of the embedded files.
const (
	TrainFile = "train.bin.gz"
	TestFile  = "test.bin.gz"
)

//go:embed train.bin.gz
var trainFile []byte

//go:embed test.bin.gz
var testFile []byte

// Set is a list of labelled images. It is read-only once made, and may then
// be shared by any number of readers.
type Set struct {
	// Images holds Len()*Pixels grey levels: image after image, each row by
	// row from the top left; 0 is background, 255 the brightest.
	Images []byte
	// Labels holds one class, 0..Classes-1, for each image.
	Labels []uint8
}

// Len returns the number of images.
func (s Set) Len() int { return len(s.Labels) }

// Image returns the Pixels bytes of image i; they belong to the set.
func (s Set) Image(i int) []byte { return s.Images[i*Pixels : (i+1)*Pixels : (i+1)*Pixels] }

// Load decodes the embedded sets: 6000 images to train on and 1000 to test
// with, both with the classes in the order of the original files and equally
// often. Each call decodes anew (about 5 MB, tens of milliseconds); keep the
// result and share it.
func Load() (train, test Set, err error) {
	if train, err = Decode(bytes.NewReader(trainFile)); err != nil {
		return Set{}, Set{}, fmt.Errorf("decode embedded %s: %w", TrainFile, err)
	}
	if test, err = Decode(bytes.NewReader(testFile)); err != nil {
		return Set{}, Set{}, fmt.Errorf("decode embedded %s: %w", TestFile, err)
	}
	return train, test, nil
}
