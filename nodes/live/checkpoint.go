package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
)

// A checkpoint is a file with the model that a worker had when it began to compute a
// generation:
//
//	| magic 8 | generation 8 | values 8 | float32 ... |    little-endian
//
// It is there as a whole or not at all: it is written under another name first.
const (
	checkpointMagic  = "INACKPT1"
	checkpointHeader = 24

	// CheckpointPart is the suffix of the file while it is being written.
	CheckpointPart = ".part"
)

// writeCheckpoint makes a new file.
func writeCheckpoint(path string, gen int, model []float32) error {
	b := append(make([]byte, 0, checkpointHeader+4*len(model)), checkpointMagic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(gen))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(model)))
	for _, v := range model {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	f, err := os.OpenFile(path+CheckpointPart, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(path+CheckpointPart, path)
	}
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", errors.Join(err, os.Remove(path+CheckpointPart)))
	}
	return nil
}

// readCheckpoint reads one; ok is false where there is none yet.
func readCheckpoint(path string) (gen int, model []float32, ok bool, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, false, nil
	}
	if err != nil {
		return 0, nil, false, fmt.Errorf("read checkpoint: %w", err)
	}
	if len(b) < checkpointHeader || string(b[:len(checkpointMagic)]) != checkpointMagic {
		return 0, nil, false, fmt.Errorf("read checkpoint %s: its %d bytes do not begin as those of a checkpoint do: name a file that a checkpoint command named", path, len(b))
	}
	at, values := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	b = b[checkpointHeader:]
	if uint64(len(b)) != 4*values || at > math.MaxInt32 {
		return 0, nil, false, fmt.Errorf("read checkpoint %s: generation %d, and %d bytes for %d values: it must hold 4 for each: the file is damaged", path, at, len(b), values)
	}
	for i := range values {
		model = append(model, math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return int(at), model, true, nil
}
