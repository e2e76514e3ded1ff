//go:build !linux

package journal

import (
	"context"
	"errors"
	"time"
)

// Kill returns an error: without Linux no process can be pinned by its identity,
// and no lab is ever made.
func (Process) Kill(time.Duration) (bool, error) {
	return false, errors.New("kill a recorded process: this needs Linux")
}

// End returns an error, likewise.
func (Process) End(context.Context) error {
	return errors.New("end a recorded process: this needs Linux")
}
