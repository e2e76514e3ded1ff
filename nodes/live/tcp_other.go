//go:build !linux

package live

import (
	"errors"
	"net"
	"syscall"
)

// setCongestion returns an error: live runs need Linux.
func setCongestion(string, string, syscall.RawConn) error { return errors.ErrUnsupported }

// segmentsOf returns an error, too.
func segmentsOf(*net.TCPConn) (segments, error) { return segments{}, errors.ErrUnsupported }
