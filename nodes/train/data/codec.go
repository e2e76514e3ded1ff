package data

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
)

// MaxImages is the most images [Decode] takes, that of the whole data set.
const MaxImages = 70000

// ErrFormat is what [Decode] wraps when the content is not a set.
var ErrFormat = errors.New("not a data set")

// Encode writes s in the format of this package. The gzip header carries no
// name and no time, so the bytes depend on s and the release of Go alone.
func Encode(w io.Writer, s Set) error {
	if err := s.validate(); err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return fmt.Errorf("start compression: %w", err)
	}
	images := slices.Clone(s.Images)
	for img := range slices.Chunk(images, Pixels) {
		filter(img)
	}
	if _, err := z.Write(images); err != nil {
		return fmt.Errorf("write images: %w", err)
	}
	if _, err := z.Write(s.Labels); err != nil {
		return fmt.Errorf("write labels: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("finish compression: %w", err)
	}
	return nil
}

// Decode reads what [Encode] wrote.
func Decode(r io.Reader) (Set, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return Set{}, fmt.Errorf("open compressed set: %w", err)
	}
	const limit = MaxImages * (Pixels + 1)
	content, err := io.ReadAll(io.LimitReader(z, limit+1))
	if err != nil {
		return Set{}, fmt.Errorf("decompress set: %w", err)
	}
	if len(content) > limit {
		return Set{}, fmt.Errorf("%w: more than %d images", ErrFormat, MaxImages)
	}
	if len(content)%(Pixels+1) != 0 {
		return Set{}, fmt.Errorf("%w: %d bytes are no multiple of %d (image and label)", ErrFormat, len(content), Pixels+1)
	}
	n := len(content) / (Pixels + 1)
	s := Set{Images: content[: n*Pixels : n*Pixels], Labels: content[n*Pixels:]}
	if err := s.validate(); err != nil {
		return Set{}, err
	}
	for img := range slices.Chunk(s.Images, Pixels) {
		unfilter(img)
	}
	return s, nil
}

func (s Set) validate() error {
	if len(s.Images) != s.Len()*Pixels {
		return fmt.Errorf("%w: %d bytes of images for %d labels", ErrFormat, len(s.Images), s.Len())
	}
	if s.Len() > MaxImages {
		return fmt.Errorf("%w: %d images, at most %d are allowed", ErrFormat, s.Len(), MaxImages)
	}
	for i, label := range s.Labels {
		if label >= Classes {
			return fmt.Errorf("%w: label %d of image %d is not below %d", ErrFormat, label, i, Classes)
		}
	}
	return nil
}
