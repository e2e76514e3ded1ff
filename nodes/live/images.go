package live

import (
	"fmt"
	"os"

	"github.com/inalab/inalab/nodes/worker"
)

// WriteImages writes what models train on into a new file, for the processes of workers.
func WriteImages(path string, im worker.Images) error {
	if err := os.WriteFile(path, im.Stored(), 0o600); err != nil {
		return fmt.Errorf("writing the images: %w", err)
	}
	return nil
}

// images returns those of a file, or of the program.
func images(path string) (worker.Images, error) {
	if path == "" {
		return worker.LoadImages()
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return worker.Images{}, fmt.Errorf("reading the images: %w", err)
	}
	im, err := worker.StoredImages(b)
	if err != nil {
		return im, fmt.Errorf("reading the images of %s: %w", path, err)
	}
	return im, nil
}
