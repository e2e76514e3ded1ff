//go:build !linux

package main

import (
	"errors"

	"github.com/inalab/inalab/harness/capture"
)

var errNoSockets = errors.New("labs run on Linux alone")

func canCapture() error { return errNoSockets }

func (target) enter(string, func() error) error { return errNoSockets }

func lookAround(target, string) (capture.Lab, error) { return capture.Lab{}, errNoSockets }
