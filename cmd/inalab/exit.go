package main

import (
	"context"
	"errors"
	"slices"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/proc"
)

// What the shell learns of a run.
const (
	exitOK          = 0
	exitFailed      = 1   // an expectation or claim failed; or an error that none of the others is
	exitUsage       = 2   // the command line, the environment or a file is wrong
	exitPreflight   = 3   // the machine lacks something
	exitInvalid     = 4   // the run cannot be believed
	exitUnclean     = 5   // something was left behind
	exitTimeout     = 124 // as timeout(1) has it
	exitInterrupted = 130 // as a shell has it for SIGINT
)

// codedError is an error that knows its exit code. Without an error of its own
// it is silent: what there is to say stands on stdout already.
type codedError struct {
	code int
	err  error
}

// Error returns the message of what it wraps.
func (e *codedError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap returns what it wraps.
func (e *codedError) Unwrap() error { return e.err }

// withCode gives an error its exit code; nil stays nil.
func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &codedError{code, err}
}

// silently ends the program with a code and no message.
func silently(code int) error { return &codedError{code: code} }

// usage is an error of the command line, the environment or a file.
func usage(err error) error { return withCode(exitUsage, err) }

// failed is a result that is not what it must be.
func failed(err error) error { return withCode(exitFailed, err) }

// untrusted is a run whose numbers cannot be believed.
func untrusted(err error) error { return withCode(exitInvalid, err) }

// Causes of the end of a command's context.
var (
	errInterrupted error = &codedError{exitInterrupted, errors.New("interrupted")}
	errTimeout     error = &codedError{exitTimeout, errors.New("the time of --timeout is over")}
)

// exitCode returns the exit code of an error. Something left behind counts before
// all else, since somebody has to clean up; then what the machine lacks, then what the error says
// itself.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if hasCode(err, exitUnclean) || errors.Is(err, live.ErrCleanup) {
		return exitUnclean
	}
	if proc.IsLacking(err) { // whatever was made of it
		return exitPreflight
	}
	if coded := (*codedError)(nil); errors.As(err, &coded) {
		return coded.code
	}
	for _, known := range []struct {
		err  error
		code int
	}{
		{netns.ErrNoPrivilege, exitPreflight},
		{journal.ErrInUse, exitUsage},
		{context.Canceled, exitInterrupted},
		{context.DeadlineExceeded, exitTimeout},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return exitFailed
}

// hasCode looks for a code in all that an error wraps or joins.
func hasCode(err error, code int) bool {
	if coded, ok := err.(*codedError); ok && coded.code == code {
		return true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return hasCode(e.Unwrap(), code)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), func(inner error) bool { return hasCode(inner, code) })
	}
	return false
}
