//go:build !linux

package tcp

import "errors"

// Congestion returns the congestion control that this process's connections
// have.
func Congestion() (string, error) { return "", errors.ErrUnsupported }
