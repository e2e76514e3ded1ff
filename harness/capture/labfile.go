package capture

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// labFile is in the directory of a lab.
const labFile = "taps.json"

// WriteLab leaves what there is to know of a lab in its directory, for captures of others.
func WriteLab(dir string, l Lab) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, labFile), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the taps of a lab: %w", err)
	}
	return nil
}

// ReadLab reads what [WriteLab] left; ok is false where it left nothing.
func ReadLab(dir string) (l Lab, ok bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, labFile))
	if errors.Is(err, fs.ErrNotExist) {
		return l, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		return l, false, fmt.Errorf("read the taps of a lab: %w", err)
	}
	return l, true, nil
}
