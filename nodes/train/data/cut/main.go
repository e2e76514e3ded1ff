package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inalab/inalab/nodes/train/data"
)

// split names one of the two halves of the data set.
type split struct {
	images, labels string // files that are read
	to             string // file that is written
	perClass       int
}

var splits = []split{
	{"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", data.TrainFile, data.TrainPerClass},
	{"t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz", data.TestFile, data.TestPerClass},
}

func main() {
	from := flag.String("from", "/usr/share/datasets/fashion-mnist", "`directory` of the IDX files (dpkg -L dataset-fashion-mnist)")
	to := flag.String("to", ".", "`directory` the cut is written to")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "cut: unexpected argument %q: give directories with -from and -to\n", flag.Arg(0))
		os.Exit(2)
	}
	for _, s := range splits {
		if err := s.write(*from, *to); err != nil {
			fmt.Fprintln(os.Stderr, "cut:", err)
			os.Exit(1)
		}
	}
}

// write makes the file of one split.
func (s split) write(from, to string) error {
	set, err := s.read(from)
	if err != nil {
		return err
	}
	kept, err := cut(set, s.perClass)
	if err != nil {
		return fmt.Errorf("cut %s: %w", s.images, err)
	}
	var file bytes.Buffer
	if err := data.Encode(&file, kept); err != nil {
		return fmt.Errorf("encode %s: %w", s.to, err)
	}
	return os.WriteFile(filepath.Join(to, s.to), file.Bytes(), 0o644)
}

// read returns the whole of one split.
func (s split) read(from string) (data.Set, error) {
	images, err := readIDX(filepath.Join(from, s.images), data.Side, data.Side)
	if err != nil {
		return data.Set{}, err
	}
	labels, err := readIDX(filepath.Join(from, s.labels))
	if err != nil {
		return data.Set{}, err
	}
	if len(images) != len(labels)*data.Pixels {
		return data.Set{}, fmt.Errorf("%s has %d images but %s has %d labels", s.images, len(images)/data.Pixels, s.labels, len(labels))
	}
	return data.Set{Images: images, Labels: labels}, nil
}

// cut keeps the first perClass images of each class, in their order.
func cut(all data.Set, perClass int) (data.Set, error) {
	var kept data.Set
	var have [data.Classes]int
	for i, label := range all.Labels {
		if label >= data.Classes {
			return data.Set{}, fmt.Errorf("image %d has label %d, want below %d", i, label, data.Classes)
		}
		if have[label] == perClass {
			continue
		}
		have[label]++
		kept.Images = append(kept.Images, all.Image(i)...)
		kept.Labels = append(kept.Labels, label)
	}
	for class, n := range have {
		if n < perClass {
			return data.Set{}, fmt.Errorf("class %d has %d images, want %d", class, n, perClass)
		}
	}
	return kept, nil
}
