//go:build !linux

package sockets

import (
	"context"
	"errors"

	"github.com/inalab/inalab/harness/capture"
)

// Sockets are on Linux alone.
type Sockets struct{ Gone func() bool }

// Open returns an error: there are no packet sockets here.
func Open(capture.Lab, func(node string, f func() error) error) (*Sockets, error) {
	return nil, errors.New("capturing a running lab needs Linux: use inalab run --clock virtual --pcap")
}

// Close does nothing.
func (*Sockets) Close() error { return nil }

// Lost returns nothing.
func (*Sockets) Lost() []capture.Lost { return nil }

// Run does nothing.
func (*Sockets) Run(context.Context, *capture.Capture, []string) error { return nil }
