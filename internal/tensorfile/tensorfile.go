// Package tensorfile keeps a worker's tensors in a file, generation by
// generation: what it sent and what it was given. A worker's process writes
// one; the checker reads those of all workers when they have ended.
//
//	| kind 4 | generation 4 | elements 4 | int32 ... | kind ...    big-endian
//
// What went as float32 has records of its own, whose first element is where the others begin.
package tensorfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/nodes/gradient"
)

const (
	recordHeader  = 12
	kindSent      = 1
	kindDelivered = 2

	kindSentFloats      = 3
	kindDeliveredFloats = 4
)

// Writer writes one worker's tensors to a file.
type Writer struct {
	f   *os.File
	buf []byte
	err error
}

// Create opens a new file for one worker's tensors.
func Create(path string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the file of tensors: %w", err)
	}
	return &Writer{f: f}, nil
}

// Sent writes q.
func (r *Writer) Sent(gen int, q []int32) { r.write(kindSent, gen, q) }

// Delivered writes sums.
func (r *Writer) Delivered(gen int, sums []int32) { r.write(kindDelivered, gen, sums) }

// SentFloats writes g.
func (r *Writer) SentFloats(gen, lo int, g []float32) { r.writeFloats(kindSentFloats, gen, lo, g) }

// DeliveredFloats writes sums.
func (r *Writer) DeliveredFloats(gen, lo int, sums []float32) {
	r.writeFloats(kindDeliveredFloats, gen, lo, sums)
}

func (r *Writer) writeFloats(kind, gen, lo int, v []float32) {
	words := append(make([]int32, 0, 1+len(v)), int32(lo))
	for _, x := range v {
		words = append(words, int32(math.Float32bits(x)))
	}
	r.write(kind, gen, words)
}

// write keeps the first error for Close: a recorder has nobody to tell earlier.
func (r *Writer) write(kind, gen int, v []int32) {
	if r.err != nil {
		return
	}
	b := slices.Grow(r.buf[:0], recordHeader+4*len(v))[:recordHeader+4*len(v)]
	binary.BigEndian.PutUint32(b[0:], uint32(kind))
	binary.BigEndian.PutUint32(b[4:], uint32(gen))
	binary.BigEndian.PutUint32(b[8:], uint32(len(v)))
	vec.PutBE(b[recordHeader:], v)
	r.buf = b
	_, r.err = r.f.Write(b)
}

// Close closes the file and returns the first error of all.
func (r *Writer) Close() error {
	return errors.Join(r.err, r.f.Close())
}

// Reader reads the tensors that Writers wrote.
type Reader struct{ workers [][]*file }

type file struct {
	f     *os.File
	index map[[2]uint32][]span // by kind and generation
	raw   []byte
	out   [5][]int32 // by kind
}

type span struct {
	at    int64
	count uint32
}

// Open opens the files of workers 0, 1, ... in that order.
func Open(paths []string) (*Reader, error) {
	all := make([][]string, len(paths))
	for w, path := range paths {
		all[w] = []string{path}
	}
	return OpenAll(all)
}

// OpenAll is [Open] for workers with several files each: of the processes that took each
// other's place, the first one first. Where two hold a generation, the later one counts.
func OpenAll(paths [][]string) (*Reader, error) {
	fs := &Reader{workers: make([][]*file, len(paths))}
	for w, list := range paths {
		for _, path := range list {
			f, err := openFile(path)
			if err != nil {
				return nil, errors.Join(fmt.Errorf("reading the tensors of worker %d: %w", w, err), fs.Close())
			}
			fs.workers[w] = append(fs.workers[w], f)
		}
	}
	return fs, nil
}

func openFile(path string) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	out := &file{f: f, index: map[[2]uint32][]span{}}
	var h [recordHeader]byte
	for at := int64(0); at+recordHeader <= info.Size(); {
		if _, err := f.ReadAt(h[:], at); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		kind, gen, n := binary.BigEndian.Uint32(h[0:]), binary.BigEndian.Uint32(h[4:]), binary.BigEndian.Uint32(h[8:])
		s := span{at: at + recordHeader, count: n}
		if at = s.at + 4*int64(n); at <= info.Size() { // a dying worker may cut its last record short
			k := [2]uint32{kind, gen}
			out.index[k] = append(out.index[k], s)
		}
	}
	return out, nil
}

func (f *file) all(kind, gen int) []span { return f.index[[2]uint32{uint32(kind), uint32(gen)}] }

// read reads the last record of a kind.
func (f *file) read(kind, gen int) ([]int32, error) {
	list := f.all(kind, gen)
	if len(list) == 0 {
		return nil, nil
	}
	return f.span(kind, gen, list[len(list)-1])
}

func (f *file) span(kind, gen int, s span) ([]int32, error) {
	if n := 4 * int(s.count); cap(f.raw) < n {
		f.raw = make([]byte, n)
	}
	f.raw = f.raw[:4*s.count]
	if _, err := f.f.ReadAt(f.raw, s.at); err != nil {
		return nil, fmt.Errorf("reading generation %d: %w", gen, err)
	}
	out := slices.Grow(f.out[kind][:0], int(s.count))[:s.count]
	vec.GetBE(out, f.raw)
	f.out[kind] = out
	return out, nil
}

// readFloats reads all records of a kind.
func (f *file) readFloats(kind, gen int) (out []gradient.Floats, err error) {
	for _, s := range f.all(kind, gen) {
		words, err := f.span(kind, gen, s)
		if err != nil || len(words) == 0 {
			return nil, err
		}
		one := gradient.Floats{Lo: int(words[0]), Values: make([]float32, len(words)-1)}
		for i, w := range words[1:] {
			one.Values[i] = math.Float32frombits(uint32(w))
		}
		out = append(out, one)
	}
	return out, nil
}

// read reads a record from the last file of a worker that has it.
func (fs *Reader) read(worker, kind, gen int) (out []int32, err error) {
	for _, f := range slices.Backward(fs.workers[worker]) {
		if out, err = f.read(kind, gen); out != nil || err != nil {
			break
		}
	}
	return out, err
}

// Sent returns what a worker sent.
func (fs *Reader) Sent(worker, gen int) ([]int32, error) { return fs.read(worker, kindSent, gen) }

// Delivered returns what a worker was given.
func (fs *Reader) Delivered(worker, gen int) ([]int32, error) {
	return fs.read(worker, kindDelivered, gen)
}

// SentFloats returns what a worker sent as float32.
func (fs *Reader) SentFloats(worker, gen int) ([]gradient.Floats, error) {
	return fs.floats(worker, kindSentFloats, kindSent, gen)
}

// DeliveredFloats returns what a worker was given as float32.
func (fs *Reader) DeliveredFloats(worker, gen int) ([]gradient.Floats, error) {
	return fs.floats(worker, kindDeliveredFloats, kindDelivered, gen)
}

// floats reads what stands before the records of a kind, in the last file that has those: without
// them the worker died, and it may not be whole.
func (fs *Reader) floats(worker, kind, before, gen int) ([]gradient.Floats, error) {
	for _, f := range slices.Backward(fs.workers[worker]) {
		if len(f.all(before, gen)) > 0 {
			return f.readFloats(kind, gen)
		}
	}
	return nil, nil
}

// Close closes all files.
func (fs *Reader) Close() error {
	var errs []error
	for _, f := range slices.Concat(fs.workers...) {
		errs = append(errs, f.f.Close())
	}
	return errors.Join(errs...)
}
